"""Cells that a rule cannot read: which and why, for those who know in which lines they stand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class CellsAtFault:
    """Some rows of a column, by their place among the rows that a rule was given."""

    column: str
    rows: NDArray[np.intp]
    reason: str
    hint: str


class UnreadableCells(Exception):
    """What a rule found in some rows; carries which cells, never what they hold."""

    def __init__(self, found: tuple[CellsAtFault, ...]) -> None:
        self.found = found
        super().__init__(f"{len(found)} columns with cells that a rule cannot read")
