"""A table as it was given: named Arrow columns, and where each row stood in its source."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.errors import Fault, ShoalError
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.categories import Categories, categories_of
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode, encode_if_few
from shoal.table.columns.mostly_numbers import mostly_numbers
from shoal.table.columns.numbers import (
    BEYOND,
    CODES,
    NotNumeric,
    Numbers,
    is_text,
    numbers_from_arrow,
    numbers_from_encoded,
)
from shoal.table.columns.spelling import one_spelling
from shoal.table.files.reading import RowRule
from shoal.table.source_lines import SourceLines

SHOWN_ROWS = 5
_KEPT: WeakValueDictionary[int, "Table"] = WeakValueDictionary()  # by the identity of what they hold
FaultyCells = Callable[[], list[tuple[str, int, str | None]]]  # column, line and text of each
LocatedFault = Callable[[str, pa.Array, str, str], Fault]  # of a column's values, by reason and hint


@dataclass(frozen=True)
class Table:
    """Columns by name. ``lines`` says where rows stand when the source has lines.

    A row may stand for several records that are alike: ``counts`` says for how many, and ``located`` finds
    all cells with some values of a column in the source, and says what is wrong with them. ``rules`` are
    those that its rows have gone through, so that nobody applies them twice."""

    arrow: pa.Table = field(repr=False)
    lines: SourceLines | None = None
    counts: Ints | None = field(default=None, repr=False, compare=False)
    located: LocatedFault | None = field(default=None, repr=False, compare=False)
    rules: tuple[RowRule, ...] = field(default=(), repr=False)
    _columns: dict[str, pa.ChunkedArray] = field(default_factory=dict, repr=False, compare=False)
    _numbers: dict[str, Numbers] = field(default_factory=dict, repr=False, compare=False)
    _encoded: dict[str, EncodedColumn] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_batch(cls, arrow: pa.Table) -> "Table":
        """A batch as a table: the one that knows it already, if somebody keeps that (``also_as``)."""
        known = _KEPT.get(id(arrow))
        return cls(arrow) if known is None or known.arrow is not arrow else known

    def also_as(self, arrow: pa.Table) -> "Table":
        """The same columns, and perhaps more, in another Arrow table: what is found out of a column is known
        of both. ``of_batch`` finds it as long as it is kept."""
        other = Table(arrow, self.lines, None, None, self.rules, self._columns, self._numbers, self._encoded)
        _KEPT[id(arrow)] = other
        return other

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    @property
    def records(self) -> int:
        return len(self) if self.counts is None else int(self.counts.sum())

    def weight(self, rows: Any) -> int:
        """How many records these rows are."""
        return len(rows) if self.counts is None else int(self.counts[rows].sum())

    def first(self, rows: int) -> "Table":
        """No more than so many rows."""
        return Table(self.arrow.slice(0, rows), self.lines, rules=self.rules)

    @cached_property
    def names(self) -> list[str]:
        return list(self.arrow.column_names)

    def column(self, name: str) -> pa.ChunkedArray:
        """A column as everybody reads it: blanks around words, and ways to be missing, are no difference.

        >>> Table(pa.table({"ill": ["flu ", "nan"]})).column("ill").to_pylist()
        ['flu', None]
        """
        if name not in self._columns:
            self._columns[name] = one_spelling(self.arrow.column(self.names.index(name)))
        return self._columns[name]

    def numbers(self, name: str) -> Numbers:
        """A column as fixed-point numbers; text, infinities and overflow are bad input."""
        if name not in self._numbers:
            try:
                self._numbers[name] = self._read_numbers(name)
            except NotNumeric as error:
                raise ShoalError([self.fault(name, error.rows, error.reason)]) from None
        return self._numbers[name]

    def _read_numbers(self, name: str) -> Numbers:
        column, known = self.column(name), self._encoded.get(name)
        if known is None or not is_text(column.type):
            return numbers_from_arrow(column)
        return numbers_from_encoded(known)

    def numbers_if_any(self, name: str) -> Numbers | None:
        """The same; None of a column with other cells."""
        try:
            return self.numbers(name)
        except ShoalError:
            return None

    def points(self, name: str) -> Numbers:
        """A column as points on a line: numbers, or dates as days.

        >>> Table(pa.table({"since": ["1970-01-01", "1970-01-31"]})).points("since").units.tolist()
        [0, 30]
        """
        return days_from_arrow(self.column(name)) or self.numbers(name)

    def encoded(self, name: str) -> EncodedColumn:
        """A column as numbers of its different cells; few of them are kept for the next one to ask."""
        if name in self._encoded:
            return self._encoded[name]
        try:
            found = encode(self.column(name))
        except pa.ArrowNotImplementedError:
            what = f"column {name!r} holds lists or structs, which cannot be compared"
            raise ShoalError(what, "make one plain column of each part.") from None
        if _is_bytes(found.cells.type) and not _is_text(found.cells):
            what = f"column {name!r} holds bytes that are no text"
            raise ShoalError(what, "make text or numbers of them, or leave the column out.")
        if found.few:
            self._encoded[name] = found
        return found

    def encoded_if_few(self, name: str) -> EncodedColumn | None:
        """The same of a long column of few different cells; None if it is not one."""
        if name not in self._encoded and (found := encode_if_few(self.column(name))) is not None:
            self._encoded[name] = found
        return self._encoded.get(name)

    def words(self, name: str) -> Categories:
        return categories_of(self.encoded(name), self.counts)

    def mostly_numbers(self, name: str) -> bool:
        """Are more than half of the cells that are there numbers? Then the others are mistakes.

        >>> Table(pa.table({"pay": ["12.5", "7", "n/a"], "sex": ["f", "m", "1"]})).mostly_numbers("sex")
        False
        """
        column = self.column(name)
        text = is_text(column.type)
        try:
            self._numbers[name] = self._read_numbers(name)
        except NotNumeric as error:
            if error.reason == CODES:
                return mostly_numbers(len(self), 0, text=text, codes=True)
            there = column.is_valid()
            if text:
                there = pc.and_kleene(there, pc.not_equal(pc.utf8_trim_whitespace(column), ""))
            cells = np.flatnonzero(numpy_from_arrow(there.combine_chunks()))
            return mostly_numbers(self.weight(cells), self.weight(error.rows), text=text, codes=False)
        filled = int((~self._numbers[name].missing).sum())
        return mostly_numbers(filled, 0, text=text, codes=False)

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
        if self.located is not None:
            values = self.column(name).take(arrow_from_numpy(np.asarray(rows, np.int64)))
            return self.located(name, values.combine_chunks(), reason, hint)
        count, place = len(rows), self.place(rows)
        return cell_fault(name, count, len(self), reason, place, hint, lambda: self._cells(name, rows))

    def _cells(self, name: str, rows: Any) -> list[tuple[str, int, str | None]]:
        if name not in self.names:  # derived, so no cell of the source
            return []
        column = self.column(name)
        return [(name, self.line(int(row)), cell_text(column[int(row)].as_py())) for row in rows]

    def place(self, rows: Iterable[int]) -> str:
        """The place of rows: ``line 4``, ``lines 2, 3, ...`` or, without a file of lines, rows."""
        found = [int(row) for row in islice(rows, SHOWN_ROWS + 1)]
        word = "line" if self.lines else "row"
        shown = ", ".join(str(self.line(row)) for row in found[:SHOWN_ROWS])
        more = ", ..." if len(found) > SHOWN_ROWS else ""
        return f"{word}{'s' if len(found) > 1 else ''} {shown}{more}"

    def line(self, row: int) -> int:
        """The line in which a row begins, after the line ends inside the cells above it."""
        if self.lines is None or not self.lines.multiline:
            return row + (1 if self.lines is None else self.lines.first)
        above = self.arrow.slice(0, row).columns
        ends = [pc.sum(pc.count_substring(column, "\n")).as_py() for column in above if is_text(column.type)]
        return row + self.lines.first + sum(count or 0 for count in ends)


def cell_fault(
    name: str, count: int, records: int, reason: str, place: str, hint: str, cells: FaultyCells
) -> Fault:
    """What is wrong with so many cells of a column, and where the first of them stand."""
    return Fault(
        f"column {name!r} has {count:,} of {records:,} cells that are {reason} ({place})",
        hint or HINTS.get(reason, "correct these cells, or give the column another role."),
        cells,
    )


def beyond_one_scale(name: str) -> Fault:
    """The fault of numbers that fit 64 bits each, but not all on the scale that the whole column needs."""
    what = f"the numbers of column {name!r}, all on one scale, do not fit 64-bit arithmetic"
    return Fault(what, HINTS[BEYOND])


def cell_text(value: Any) -> str | None:
    """A cell as text; a missing one stays missing."""
    return None if value is None else str(value)


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )


def _is_text(cells: pa.Array) -> bool:
    try:
        cells.cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return True


HINTS = {
    "text, not numbers": "plain numbers are needed here, such as 1250 or 12.50; say in [types] if they have "
    "a decimal comma or marks between thousands, list codes such as NA in [missing], or leave the column out "
    '(role "drop").',
    "codes with leading zeros, not numbers": "codes are text: give the column another role.",
    "infinite numbers": "correct these cells or leave them empty and say in [missing] how they count.",
    BEYOND: "publish the column in larger units, for example thousands.",
    "floats beyond fifteen digits": "publish the column in larger units, for example thousands.",
}
