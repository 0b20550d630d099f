"""Codes and other words as their owner spells them, also where a frame holds them as whole numbers."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.numbers import is_text
from shoal.table.columns.spelling import same_values
from shoal.table.rules.column_readers import ReadCells


@dataclass(frozen=True)
class Words:
    """Every cell is a word. ``order``: it has to be one of these.

    >>> Words().read(pa.array([3, 1, None])).cells.to_pylist()
    ['3', '1', None]
    """

    order: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        return "not in the declared order" if self.order else "no words"

    def read(self, cells: pa.Array) -> ReadCells:
        try:
            words = cells if is_text(cells.type) else same_values(cells)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return ReadCells.none_of(cells)
        words = words.cast(pa.string())
        if not self.order:
            return ReadCells.all_of(words)
        known = pc.is_in(same_values(words), value_set=same_values(pa.array(self.order)))
        return ReadCells(words, numpy_from_arrow(words.is_valid()) & ~numpy_from_arrow(known))

    def hint(self, _cells: pa.Array, /) -> str:
        return "add these words to order in [types], or list codes of missing cells in [missing]."
