"""The records of each key of GROUP BY: those that surely belong to it and match, and those that may.

A column of words gives a record one key for each word that its cell may stand for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from sqlglot import exp

from shoal.arrays import Bools, Ints
from shoal.errors import ShoalError
from shoal.query.generalized.column import WordCells
from shoal.query.generalized.condition import ConditionTruth, condition_truth
from shoal.query.generalized.database import GeneralizedDatabase
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode

MOST_PAIRS = 20_000_000  # of a record and a key


@dataclass(frozen=True)
class KeyGroups:
    """Rows of ``data``, one group behind the other; ``starts`` has one end more than there are groups."""

    keys: list[pa.Array]  # one value per group each
    rows: Ints
    sure: Bools
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[slice]:
        return (slice(*self.starts[at : at + 2].tolist()) for at in range(len(self)))


@dataclass
class _Members:
    """Records with the numbers of their keys, as these are added one by one."""

    rows: Ints
    sure: Bools
    numbers: list[Ints] = field(default_factory=list)
    values: list[pa.Array] = field(default_factory=list)

    def repeat(self, counts: Ints) -> None:
        if counts.sum() > MOST_PAIRS:
            raise ShoalError(
                "generalized records may belong to too many keys of GROUP BY",
                "group by fewer generalized columns.",
            )
        self.rows, self.sure = np.repeat(self.rows, counts), np.repeat(self.sure & (counts == 1), counts)
        self.numbers = [np.repeat(numbers, counts) for numbers in self.numbers]


def key_groups(
    keys: tuple[exp.Expression, ...], where: exp.Expression | None, opened: GeneralizedDatabase
) -> KeyGroups:
    """The keys of a query with their records, of which some belong only possibly; one group without keys."""
    met = None if where is None else condition_truth(where, opened)
    members = _matching(met, opened.rows)
    for key in keys:
        if not opened.generalized(key):
            _add_exact(members, key, opened)
        elif (name := opened.words(key)) is not None:
            _add_words(members, key, name, where, opened)
        else:
            raise _no_keys(key, opened)
    return _sorted(members) if keys else _alone(members)


def _matching(met: ConditionTruth | None, count: int) -> _Members:
    if met is None:
        return _Members(np.arange(count), np.ones(count, bool))
    rows = np.flatnonzero(met.true)
    return _Members(rows, met.sure[rows])


def _add_exact(members: _Members, key: exp.Expression, opened: GeneralizedDatabase) -> None:
    found = encode(opened.ask(opened.stored(key))[0])
    members.numbers.append(found.numbers[members.rows].astype(np.int64))
    members.values.append(found.cells)


def _add_words(
    members: _Members,
    key: exp.Expression,
    name: str,
    where: exp.Expression | None,
    opened: GeneralizedDatabase,
) -> None:
    column = opened.columns[name]
    assert isinstance(column, WordCells)  # noqa: S101 - `Opened.words` says so
    if column.anything[column.codes[members.rows]].any():
        raise ShoalError(
            f"some cells of {name!r} may hold any word, so their keys are not known",
            "group by a column whose labels the policy's hierarchy explains.",
        )
    owners, found = opened.ask_leaves(key, name)
    values = encode(found)
    fits = _fitting(name, where, opened)
    pairs = np.unique(np.column_stack([owners, values.numbers])[fits], axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(column.anything))
    begins = np.cumsum(counts) - counts
    codes = column.codes[members.rows]
    members.repeat(counts[codes])
    first = np.repeat(begins[codes], counts[codes])
    within = np.arange(len(first)) - np.repeat(np.cumsum(counts[codes]) - counts[codes], counts[codes])
    members.numbers.append(pairs[first + within, 1].astype(np.int64))
    members.values.append(values.cells)


def _fitting(name: str, where: exp.Expression | None, opened: GeneralizedDatabase) -> Bools:
    """The leaves for which the conditions on this column alone hold: no record that matches has another."""
    parts = [] if where is None else [part for part in where.flatten() if opened.words(part) == name]
    if not isinstance(where, exp.And):
        parts = [] if where is None or opened.words(where) != name else [where]
    found = opened.ask_leaves(exp.cast(exp.and_(exp.true(), *parts), "boolean"), name)[1]
    return np.asarray(numpy_from_arrow(found.fill_null(False)))


def _no_keys(key: exp.Expression, opened: GeneralizedDatabase) -> ShoalError:
    name = opened.generalized(key)[0]
    return ShoalError(
        f"column {name!r} is published in ranges, so the keys of its records are not known",
        "group by another column, or ask once for each range, in WHERE.",
    )


def _alone(members: _Members) -> KeyGroups:
    return KeyGroups([], members.rows, members.sure, np.array([0, len(members.rows)]))


def _sorted(members: _Members) -> KeyGroups:
    number = np.zeros(len(members.rows), np.int64)
    for numbers, values in zip(members.numbers, members.values, strict=True):
        number = np.unique(number * len(values) + numbers, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    keys = [
        values.take(arrow_from_numpy(numbers[order][starts]))
        for numbers, values in zip(members.numbers, members.values, strict=True)
    ]
    return KeyGroups(keys, members.rows[order], members.sure[order], np.append(starts, len(order)))
