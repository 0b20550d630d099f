"""Published cells as a recipient reads them: numbers, ranges, stars and words; the classes they form, their
sizes and how far values lie apart. Knows no guarantee and no original.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """This room was a module once, and documents named what was in it."""
    from shoal.former_names import former_attribute

    return former_attribute(__name__, name)
