"""Callbacks by which long work says what is under way, or how far a search is."""

from collections.abc import Callable

Step = Callable[[str], None]
Progress = Callable[[float, str], None]  # the share of the time that has passed, and how far it is


def unwatched(*_: object) -> None:
    """A callback for work that nobody watches."""
