"""Who watches long work: they are told what is under way, or how far a search is."""

from collections.abc import Callable

Step = Callable[[str], None]
Progress = Callable[[float, str], None]  # the share of the time that has passed, and how far it is


def unwatched(*_: object) -> None:
    """A report of progress that nobody watches."""
