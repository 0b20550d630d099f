"""Where rows stand in a source that has lines."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLines:
    """``first`` is the line of the first row; ``multiline`` says that a line end inside a cell is a line end
    of the source."""

    first: int
    multiline: bool = False
