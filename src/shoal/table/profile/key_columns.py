"""Columns that seem to number people, households or cases, whatever role they were given.

Every row counts as a person. So a table of visits whose patients' numbers are dropped, or published, looks
safer than it is. A column is a key if its values are no measures, if each stands in a few rows on average,
and if one of two things is true:

- its name says so, as `id` and `patient_nr` do;
- the rows of a value agree in two traits that do not tell each other, as the sex and the origin of one person
  do. A postal code tells town and state, but the town tells the state: that is one trait, and no key.

A sample is judged: all rows of some values, drawn by a hash of the value.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.kernels.splitmix import splitmix64
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import Uncomparable, encode, take_rows, value_type
from shoal.table.columns.numbers import is_text
from shoal.table.profile.column_names import looks_like_code, looks_like_key
from shoal.table.table import Table

SAMPLE = 2_000  # rows that are judged
FIRST_LOOK = 2_000  # cells that tell whether a column has as many values as a key needs
FEWEST = 10  # values of a key that its name does not tell
FEWEST_NAMED = 3
MOST_ROWS = 100  # of a value, on average
MOST_ROWS_NAMED = 20
EVEN = 5  # values of more than so many times the average, and so many rows, are no people's, as 0 is none
AGREE = 0.9  # of what chance leaves open: rows of one person share a trait, but for slips
TOLD = 0.5  # from here on a trait follows from another one
SPREAD = 0.95  # a trait that more pairs of rows share by chance tells nothing
MOST_TRAITS = 60
FRACTION = r"^\s*[+-]?\d*[.,]\d*[1-9]\d*\s*$"
DATE = r"^\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})"


@dataclass(frozen=True)
class KeyColumn:
    """A column that seems to be a key; ``certain`` if its name says so and its values repeat like a key's."""

    name: str
    rows_per_value: float
    certain: bool


def key_columns(table: Table, names: Sequence[str]) -> list[KeyColumn]:
    """The keys among these columns of a table.

    >>> visits = {"patient": [1, 1, 2, 2, 3, 3], "day": [1, 2, 3, 4, 5, 6]}
    >>> [key.name for key in key_columns(Table(pa.table(visits)), ["patient", "day"])]
    ['patient']
    """
    found = (
        find_key(name, codes)
        for name in names
        if may_be_key(name, table.column(name)) and (codes := _sampled(table, name))
    )
    return [key for key in found if key is not None]


def may_be_key(name: str, column: pa.ChunkedArray) -> bool:
    """Are its cells no measures, and are there enough different ones? Some cells are looked at."""
    if is_code(name) or not len(column):
        return False
    some = column.take(arrow_from_numpy(_probe_rows(len(column)))).drop_null()
    if not len(some) or is_measure(some):
        return False
    try:
        different = len(encode(some).cells)
    except Uncomparable:
        return False
    return 2 * different >= min(len(some), len(column) / MOST_ROWS)


def _probe_rows(rows: int) -> Ints:
    """Some rows of so many, as if drawn at random: every n-th row of a panel may be the same person's."""
    if rows <= FIRST_LOOK:
        return np.arange(rows)
    return np.unique(splitmix64(np.arange(FIRST_LOOK)) % np.uint64(rows)).astype(np.int64)


def is_code(name: str) -> bool:
    """Does the name say that cells stand for something else: a year, a place, a class?"""
    return looks_like_code(name) and not looks_like_key(name)


def is_measure(cells: pa.ChunkedArray) -> bool:
    """Does a column hold fractions, dates, or what is no name and no number at all?"""
    kind = value_type(cells)
    if pa.types.is_integer(kind):
        return False
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        reals = cells.cast(pa.float64())
        return bool(pc.any(pc.not_equal(pc.floor(reals), reals)).as_py())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return False
    if not is_text(kind):
        return True
    words = cells.cast(pa.string())
    found = pc.or_(pc.match_substring_regex(words, FRACTION), pc.match_substring_regex(words, DATE))
    return 2 * int(pc.sum(found).as_py() or 0) > len(words)


def _sampled(table: Table, name: str) -> dict[str, Ints]:
    """All rows of some values of a column, with the column itself first."""
    found = encode(table.column(name))
    there = len(found.cells) - bool(found.cells.null_count)
    drawn = splitmix64(np.arange(there))
    most = np.partition(drawn, SAMPLE)[SAMPLE] if there > SAMPLE else np.uint64(2**64 - 1)
    chosen = np.append(drawn <= most, np.zeros(len(found.cells) - there, bool))
    rows = np.flatnonzero(chosen[found.numbers])
    while len(rows) > SAMPLE:
        most = most >> np.uint64(1)
        rows = rows[drawn[found.numbers[rows]] <= most]
    at = arrow_from_numpy(rows)
    beside = [one for one in table.names if one != name]
    return {name: found.numbers[rows].astype(np.int64)} | dict(_codes(table, beside, at))


def _codes(table: Table, names: Sequence[str], rows: pa.Array) -> Iterator[tuple[str, Ints]]:
    for name in names[:MOST_TRAITS]:
        try:
            yield name, encode(take_rows(table.column(name), rows)).numbers.astype(np.int64)
        except Uncomparable:
            continue


def find_key(name: str, codes: Mapping[str, Ints]) -> KeyColumn | None:
    """Is the column a key of these rows, which are all rows of its values?"""
    keys = np.unique(codes[name], return_inverse=True)[1]
    counts = np.bincount(keys)
    if not len(counts) or counts.max() < 2:
        return None
    average = len(keys) / len(counts)
    named = looks_like_key(name)
    if named and len(counts) >= FEWEST_NAMED and average <= MOST_ROWS_NAMED:
        return KeyColumn(name, average, certain=True)
    if int(np.sum(counts > 1)) < FEWEST or average > MOST_ROWS:
        return None
    usual = (counts <= EVEN * (average + 1))[keys]
    others = [cells[usual] for one, cells in codes.items() if one != name]
    return KeyColumn(name, average, certain=False) if named or _two_traits(keys[usual], others) else None


def _two_traits(keys: Ints, others: Sequence[Ints]) -> bool:
    """Do the rows of a key agree in two traits, neither of which tells the other?"""
    traits = [
        cells
        for cells in (np.unique(cells, return_inverse=True)[1] for cells in others)
        if len(cells) and 2 * (cells.max() + 1) <= len(cells) and agreement(keys, cells) >= AGREE
    ]
    return any(
        agreement(one, other) < TOLD and agreement(other, one) < TOLD
        for one, other in combinations(traits, 2)
    )


def agreement(keys: Ints, cells: Ints) -> float:
    """How often two rows of one key hold the same cell, of what chance leaves open (Cohen's kappa). It is 0
    where nearly all rows hold the same.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7]))
    1.0
    """
    by_chance = _pairs(cells) / (len(cells) * (len(cells) - 1))
    if by_chance > SPREAD:
        return 0.0
    together = keys * (int(cells.max()) + 1) + cells
    alike = _pairs(together) / max(_pairs(keys), 1)
    return (alike - by_chance) / (1 - by_chance)


def _pairs(codes: Ints) -> int:
    """Ordered pairs of rows with the same number."""
    counts = np.unique(codes, return_counts=True)[1]
    return int(np.sum(counts * (counts - 1)))
