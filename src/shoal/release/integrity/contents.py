"""What the files of a release hold, as far as its manifest states something about it.

Found batch by batch and joined, so that a table beyond memory is looked at like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import is_text
from shoal.table.table import Table
from shoal.verify.cells.word_cells import words_of_cell

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
ALONE = rf"^\s*{NUMBER}\s*$"
RANGE = rf"^\s*\[\s*{NUMBER}\s*,\s*{NUMBER}\s*\]\s*$"
HALF_OPEN = rf"^\s*\[\s*{NUMBER}\s*,\s*{NUMBER}\s*\)\s*$"
WHOLE = r"^(?:0|[1-9]\d*)$"
BLANK_OR_STAR = r"^\s*\*?\s*$"


@dataclass(frozen=True)
class CellKinds:
    """The kinds of cells that a column holds. ``pairs`` are ranges as Parquet has them, ``ranges`` as text;
    ``words`` are cells that are neither a number nor a range nor a star."""

    pairs: bool = False
    ranges: bool = False
    numbers: bool = False
    words: bool = False
    missing: bool = False
    whole: bool = True  # every cell that is there is a whole number, not negative

    def joined(self, other: "CellKinds") -> "CellKinds":
        return CellKinds(
            pairs=self.pairs or other.pairs,
            ranges=self.ranges or other.ranges,
            numbers=self.numbers or other.numbers,
            words=self.words or other.words,
            missing=self.missing or other.missing,
            whole=self.whole and other.whole,
        )


@dataclass(frozen=True)
class Contents:
    """The columns in their order, how many records there are, the kinds of cells of the quasi columns and of
    the group numbers, the different words of columns with labels, and where the rules of the policy are not
    kept."""

    names: tuple[str, ...]
    records: int
    kinds: Mapping[str, CellKinds]
    words: Mapping[str, frozenset[str]]
    unprepared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, table: Table, policy: Policy) -> Self:
        looked_at = [name for name in (*policy.having("quasi"), GROUP) if table.names.count(name) == 1]
        kinds = {name: cell_kinds(table.column(name)) for name in looked_at}
        words = words_by_column(table, policy)
        return cls(tuple(table.names), len(table), kinds, words, _unprepared(table, policy))

    def joined(self, other: "Contents") -> "Contents":
        return Contents(
            self.names,
            self.records + other.records,
            {name: kinds.joined(other.kinds[name]) for name, kinds in self.kinds.items()},
            {name: words | other.words[name] for name, words in self.words.items()},
            self.unprepared | other.unprepared,
        )


def _unprepared(table: Table, policy: Policy) -> frozenset[str]:
    if not policy.how_to_read.rules:
        return frozenset()
    from shoal.release.integrity.prepared_cells import preparation_faults  # loads a parser of SQL

    return preparation_faults(table, policy)


def labelled_columns(policy: Policy) -> list[str]:
    """The columns whose hierarchy is written out, in a file or a tree."""
    return [name for name, spec in policy.hierarchies.items() if spec.written_out]


def words_by_column(table: Table, policy: Policy) -> dict[str, frozenset[str]]:
    """The different words of every column with labels."""
    there = [name for name in labelled_columns(policy) if table.names.count(name) == 1]
    return {name: published_words(table.column(name)) for name in there}


def published_words(column: pa.ChunkedArray) -> frozenset[str]:
    """The different words that the cells of a column show, alone or in a set, without blanks around them.

    >>> sorted(published_words(pa.chunked_array([["{Ulm, Rom}", "north ", None]])))
    ['Rom', 'Ulm', 'north', '{Ulm, Rom}']
    """
    if pa.types.is_nested(column.type):
        return frozenset()  # ranges: labels are left aside
    cells = [word for word in categories_from_arrow(column).words if word is not None]
    members = (words_of_cell(cell) or () for cell in cells)
    return frozenset(word.strip() for words in (cells, *members) for word in words if word is not None)


def cell_kinds(column: pa.ChunkedArray) -> CellKinds:
    """
    >>> found = cell_kinds(pa.chunked_array([["[10, 20]", "7", "*", None]]))
    >>> found.ranges, found.numbers, found.words, found.missing
    (True, True, False, True)
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    missing = column.null_count > 0
    if pa.types.is_nested(kind):
        return CellKinds(pairs=True, missing=missing, whole=False)
    if not is_text(kind):
        whole = pa.types.is_integer(kind) and not pc.any(pc.less(column, 0)).as_py()
        numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        return CellKinds(numbers=numbers, words=not numbers, missing=missing, whole=bool(whole))
    cells = encode(column).cells.cast(pa.string()).drop_null()
    found = [_matching(cells, pattern) for pattern in (ALONE, RANGE, HALF_OPEN, BLANK_OR_STAR)]
    words = pc.invert(reduce(pc.or_, found))
    return CellKinds(
        ranges=bool(found[1].true_count),
        numbers=bool(found[0].true_count),
        words=bool(words.true_count),
        missing=missing or bool(_matching(cells, r"^\s*$").true_count),
        whole=_matching(cells, WHOLE).true_count == len(cells),
    )


def _matching(cells: pa.Array, pattern: str) -> pa.BooleanArray:
    return pc.match_substring_regex(cells, pattern)
