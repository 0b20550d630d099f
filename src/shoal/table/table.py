"""A table as it was given: named Arrow columns, and where each row stood in its source."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import Fault, ShoalError
from shoal.table.numbers import NotNumeric, Numbers, is_text, numbers_from_arrow

SHOWN_ROWS = 5


@dataclass(frozen=True)
class Table:
    """Columns by name. ``first_line`` is the line of the first row when the source has lines."""

    arrow: pa.Table
    first_line: int | None = None
    _numbers: dict[str, Numbers] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    @cached_property
    def names(self) -> list[str]:
        return list(self.arrow.column_names)

    def column(self, name: str) -> pa.ChunkedArray:
        return self.arrow.column(self.names.index(name))

    def numbers(self, name: str) -> Numbers:
        """A column as fixed-point numbers; text, infinities and overflow are bad input."""
        if name not in self._numbers:
            try:
                self._numbers[name] = numbers_from_arrow(self.column(name))
            except NotNumeric as error:
                raise ShoalError([self.fault(name, error.rows, error.reason)]) from None
        return self._numbers[name]

    def kind(self, name: str) -> str:
        """``integer``, ``decimal``, ``text``, or Arrow's word for anything else.

        >>> Table(pa.table({"zip": ["01234"], "pay": ["12.5"]})).kind("pay")
        'decimal'
        """
        arrow_type = self.column(name).type
        try:
            return "decimal" if self.numbers(name).scale else "integer"
        except ShoalError:
            return "text" if is_text(arrow_type) else str(arrow_type)

    def fault(self, name: str, rows: Any, reason: str, hint: str = "") -> Fault:
        return Fault(
            f"column {name!r} has {len(rows):,} of {len(self):,} cells that are {reason} "
            f"({self.place(rows)})",
            hint or _HINTS.get(reason, "correct these cells, or give the column another role."),
        )

    def place(self, rows: Iterable[int]) -> str:
        """Where rows stood: ``line 4``, ``lines 2, 3, ...`` or, without a file of lines, rows."""
        found = [int(row) for row in np.asarray(list(rows)[: SHOWN_ROWS + 1])]
        word, first = ("line", self.first_line) if self.first_line else ("row", 1)
        shown = ", ".join(f"{row + first}" for row in found[:SHOWN_ROWS])
        more = ", ..." if len(found) > SHOWN_ROWS else ""
        return f"{word}{'s' if len(found) > 1 else ''} {shown}{more}"


_HINTS = {
    "text, not numbers": "a quasi column needs plain numbers such as 1250 or 12.50 (point as the "
    "decimal mark, no thousands mark); leave missing cells empty, or give the column another role.",
    "codes with leading zeros, not numbers": "codes are text: give the column another role.",
    "infinite numbers": "correct these cells or leave them empty and say in [missing] how they count.",
    "numbers beyond 64 bits": "publish the column in larger units, for example thousands.",
    "floats beyond fifteen digits": "publish the column in larger units, for example thousands.",
}
