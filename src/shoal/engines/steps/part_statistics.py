"""What a part tells of itself: figures that add up to those of the whole table.

They ride as text on one published row of the part, so that a part which is computed twice is counted once.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.table.columns.numbered_rows import ROW

STATISTICS = "shoal:told"
CLASS = "shoal:class"


@dataclass(frozen=True)
class PartStatistics:
    """``widths`` per quasi column, summed over rows; ``exact`` cells; rows that had ``fallen`` to a simpler
    method; ``split`` are the widths of the regions that cuts left, where there are any; ``squares`` are those
    of the sizes of classes, summed, where somebody asks; ``sums`` whatever else a plan adds up."""

    rows: int
    classes: int
    widths: tuple[float, ...]
    exact: int
    fallen: int = 0
    split: tuple[float, ...] | None = None
    squares: float = 0.0
    sums: tuple[float, ...] = ()

    def joined(self, other: "PartStatistics") -> "PartStatistics":
        return PartStatistics(
            self.rows + other.rows,
            self.classes + other.classes,
            _sum(self.widths, other.widths),
            self.exact + other.exact,
            self.fallen + other.fallen,
            None if self.split is None or other.split is None else _sum(self.split, other.split),
            self.squares + other.squares,
            _sum(self.sums, other.sums) if self.sums and other.sums else self.sums or other.sums,
        )

    def on(self, table: pa.Table, classes: Ints) -> pa.Table:
        """A published part with the class of every row, and this on that with the smallest number: rows have
        another order when a worker is lost, and some of them are sent once more."""
        numbers, text = table.column(ROW), json.dumps(asdict(self))
        statistics = pc.if_else(pc.equal(numbers, pc.min(numbers)), text, pa.scalar(None, pa.string()))
        return table.append_column(CLASS, pa.array(classes)).append_column(STATISTICS, statistics)

    @classmethod
    def read(cls, texts: Iterable[str]) -> "PartStatistics | None":
        """All parts together, in an order that does not depend on who came first."""
        found = None
        for text in sorted(texts):
            figures: dict[str, Any] = {name: tuple(figure) if isinstance(figure, list) else figure
                                       for name, figure in json.loads(text).items()}  # fmt: skip
            part = cls(**figures)
            found = part if found is None else found.joined(part)
        return found


def _sum(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(np.add(one, other).tolist())
