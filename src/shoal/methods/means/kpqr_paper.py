"""kpqr-paper: the heuristic for (k,p,q,r)-anonymity as printed (Domingo-Ferrer, Sebé and Solanas, 2008,
section 4).

A group begins with a random record whose confidential value is rare. The records nearest to it that bring
another value are added until there are p different ones, if possible such that raise the variance; then the
nearest that raise the variance, until it is r times that of all rare values; then the nearest that keep it
there, until there are k records. When the rare values that are left could not do the same, all their records
join the last group. What has no rare value and is still there goes through MDAV.

What the paper leaves open is decided like this:

- A random record is the one whose keyed hash is the least. Of equally near records the one with the lower
  row number is taken.
- A step that finds no record ends: no new value or no higher variance is to be had. Where none keeps the
  variance, the nearest record is taken, until none is left.
- With several confidential columns, a record is sensitive if its value in any of them is rare, and a group
  is looked at in those columns where it has a rare value: the first one that falls short says what the next
  record has to bring; the variance is to be kept in all of them. Those left join the last group when they
  fall short in any column in which some of them are rare, as far as rare in this column.
- MDAV forms one group per centroid, as in the paper's figures. Fewer than k records join the groups with the
  nearest centroids.

The variance is compared with that of the rare values, not of the whole table, and the last group may lose
records again (step g): the result need not be (k,p,q,r)-anonymous, nor need its groups have k records.
``kpqr`` makes it so.

The nearest records come from a kd-tree, more and more of them until one fits: O(log n) for a record where one
of the first fits, O(n) where none does, and O(n²) in all if this happens to every group.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.means.kd_tree import GONE, kd_tree, nearest, remove
from shoal.methods.means.mdav import contiguous_points, mdav
from shoal.methods.means.rare_values import (
    ConfidentialColumn,
    RareDemand,
    begin_group,
    count_row,
    empty_tally,
    rare_demand,
    variance,
)
from shoal.methods.means.vmdav import join_nearest

FIRST, MORE = 32, 8  # records that are looked at first, and how many times as many if none fits
ROUNDING = 1e-12  # a variance that is higher by less has not risen
NEW_VALUE, RAISE, KEEP, ANY = 1, 2, 4, 8  # what a record has to do; the first two may add up
NO_ROW = -1


class RareRecords(NamedTuple):
    """The records with rare values that are left. ``counts`` and ``sums`` are those of the columns in which
    they are rare."""

    is_sensitive: Any  # row
    sizes: Any  # column
    counts: Any  # value
    different: Any  # column
    sums: Any  # axis
    squares: Any  # column
    lengths: Any  # column


class NearRecords(NamedTuple):
    """The records nearest to the first one of a group, the closest first."""

    rows: Any
    distances: Any
    known: Any  # how many


def kpqr_paper(points: Floats, k: int, columns: list[ConfidentialColumn], key: Key) -> Ints:
    """The group of every row, numbered from 0 on as they are formed. Columns should be standardized.

    >>> from fractions import Fraction
    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> values, half = np.array([0, 1, 1, 1, 1, 1]), Fraction(1, 2)
    >>> column = ConfidentialColumn.of_numbers(values, np.array([1, 9]), q=half, p=2, r=half)
    >>> points = np.array([[8.0], [1.0], [2.0], [3.0], [9.0], [4.0]])
    >>> kpqr_paper(points, 2, [column], seeded_key(0)).tolist()
    [0, 1, 1, 2, 0, 2]
    """
    points = contiguous_points(points, k)
    asked = _of_rare_values(rare_demand(columns, len(points)), columns)
    group_of = np.full(len(points), -1)
    sensitive = _sensitive(asked, len(points))
    drawn = np.argsort(hash_rows(key, Purpose.STARTS, len(points)), kind="stable")
    tree = kd_tree(points, np.arange(len(points)))
    room = NearRecords(np.empty(len(points), np.int64), np.empty(len(points)), np.zeros(1, np.int64))
    starts = drawn[sensitive.is_sensitive[drawn]]
    groups = _form_groups(points, tree, k, asked, empty_tally(asked), sensitive, starts, room, group_of)
    rest = np.flatnonzero(group_of < 0)
    if len(rest) >= k:
        group_of[rest] = groups + mdav(points[rest], k, "one-group")
    elif len(rest):
        join_nearest(points, group_of, groups)
    return group_of


def _of_rare_values(asked: RareDemand, columns: list[ConfidentialColumn]) -> RareDemand:
    """The least variances as shares of those of the rare values."""
    least = np.zeros(len(columns))
    for at, column in enumerate(columns):
        found = _variance_of(asked, np.flatnonzero(column.is_rare[column.codes]), at, empty_tally(asked))
        least[at] = float(column.r) * found
    return asked._replace(least=least)


@compiled
def _variance_of(asked: Any, rows: Any, column: int, counted: Any) -> float:
    begin_group(counted)
    for row in rows:
        count_row(asked, counted, row)
    return variance(counted, column) if len(rows) > 0 else 0.0


def _sensitive(asked: RareDemand, rows: int) -> RareRecords:
    columns, axes = len(asked.different), int(asked.axes.max(initial=0)) + 1
    sensitive = RareRecords(
        np.zeros(rows, np.bool_),
        np.zeros(columns, np.int64),
        np.zeros(len(asked.is_rare), np.int64),
        np.zeros(columns, np.int64),
        np.zeros(axes),
        np.zeros(columns),
        np.zeros(columns),
    )
    _list_sensitive(asked, sensitive)
    return sensitive


@compiled
def _list_sensitive(asked: Any, sensitive: Any) -> None:
    for row in range(len(asked.codes)):
        for column in range(len(asked.different)):
            if asked.is_rare[asked.codes[row, column]]:
                sensitive.is_sensitive[row] = True
                _add(asked, sensitive, row, column, 1)


@compiled
def _add(asked: Any, sensitive: Any, row: int, column: int, sign: int) -> None:
    """One rare value more or fewer."""
    value = asked.codes[row, column]
    if sensitive.counts[value] == (0 if sign > 0 else 1):
        sensitive.different[column] += sign
    sensitive.counts[value] += sign
    sensitive.sizes[column] += sign
    for at in range(asked.axes.shape[1]):
        axis, place = asked.axes[value, at], sign * asked.places[value, at]
        sensitive.squares[column] += sign * place * place
        sensitive.lengths[column] += (2 * sensitive.sums[axis] + place) * place
        sensitive.sums[axis] += place


@compiled
def _form_groups(
    points: Any, tree: Any, k: int, asked: Any, counted: Any, sensitive: Any, starts: Any, near: Any,
    group_of: Any,
) -> int:  # fmt: skip
    """Groups with rare values, step 4; how many."""
    groups = 0
    for row in starts:
        if not sensitive.is_sensitive[row]:
            continue
        begin_group(counted)
        near.known[0] = 0
        _join(tree, asked, counted, sensitive, row, group_of, groups)
        _grow(points[row], tree, k, asked, counted, sensitive, near, group_of, groups)
        if _fall_short(asked, sensitive):
            for other in starts:
                if sensitive.is_sensitive[other]:
                    _join(tree, asked, counted, sensitive, other, group_of, groups)
            if _first_narrow(asked, counted) >= 0:
                _return_others(asked, group_of, groups)
        groups += 1
    return groups


@compiled
def _grow(
    target: Any, tree: Any, k: int, asked: Any, counted: Any, sensitive: Any, near: Any, group_of: Any,
    group: int,
) -> None:  # fmt: skip
    """Steps d, e and f."""
    while _first_uniform(asked, counted) >= 0:
        column = _first_uniform(asked, counted)
        row = _nearest_fit(target, tree, asked, counted, near, column, NEW_VALUE + RAISE)
        if row == NO_ROW:
            row = _nearest_fit(target, tree, asked, counted, near, column, NEW_VALUE)
        if row == NO_ROW:
            break
        _join(tree, asked, counted, sensitive, row, group_of, group)
    while _first_narrow(asked, counted) >= 0:
        row = _nearest_fit(target, tree, asked, counted, near, _first_narrow(asked, counted), RAISE)
        if row == NO_ROW:
            break
        _join(tree, asked, counted, sensitive, row, group_of, group)
    while counted.size[0] < k:
        row = _nearest_fit(target, tree, asked, counted, near, 0, KEEP)
        if row == NO_ROW:
            row = _nearest_fit(target, tree, asked, counted, near, 0, ANY)
        if row == NO_ROW:
            break
        _join(tree, asked, counted, sensitive, row, group_of, group)


@compiled
def _join(tree: Any, asked: Any, counted: Any, sensitive: Any, row: int, group_of: Any, group: int) -> None:
    group_of[row] = group
    remove(tree, row)
    count_row(asked, counted, row)
    if sensitive.is_sensitive[row]:
        sensitive.is_sensitive[row] = False
        for column in range(len(asked.different)):
            if asked.is_rare[asked.codes[row, column]]:
                _add(asked, sensitive, row, column, -1)


@compiled
def _first_uniform(asked: Any, counted: Any) -> int:
    """The first column with a rare value and too few different ones, or -1."""
    for column in range(len(asked.different)):
        if counted.has_rare[column] and counted.different[column] < asked.different[column]:
            return column
    return -1


@compiled
def _first_narrow(asked: Any, counted: Any) -> int:
    """The first column with a rare value and too low a variance, or -1."""
    for column in range(len(asked.different)):
        if counted.has_rare[column] and variance(counted, column) < asked.least[column] * (1 - ROUNDING):
            return column
    return -1


@compiled
def _fall_short(asked: Any, sensitive: Any) -> bool:
    """Could the sensitive records that are left not form a group (step g)?"""
    for column in range(len(asked.different)):
        size = sensitive.sizes[column]
        if size > 0:
            spread = (size * sensitive.squares[column] - sensitive.lengths[column]) / (size * size)
            if spread < asked.least[column] * (1 - ROUNDING):
                return True
            if sensitive.different[column] < asked.different[column]:
                return True
    return False


@compiled
def _return_others(asked: Any, group_of: Any, group: int) -> None:
    """Records without a rare value leave the group."""
    for row in range(len(group_of)):
        if group_of[row] == group:
            stays = False
            for column in range(len(asked.different)):
                stays |= asked.is_rare[asked.codes[row, column]]
            if not stays:
                group_of[row] = -1


@compiled
def _nearest_fit(target: Any, tree: Any, asked: Any, counted: Any, near: Any, column: int, task: int) -> int:
    """The nearest record that is left and does what is asked, or NO_ROW."""
    at = 0
    while True:
        while at < near.known[0]:
            row = near.rows[at]
            if tree.places[row] != GONE and _fits(asked, counted, row, column, task):
                return int(row)
            at += 1
        if not _look_farther(target, tree, near):
            return NO_ROW
        at = 0


@compiled
def _look_farther(target: Any, tree: Any, near: Any) -> bool:
    """Are there more records than those known? Then they are known now."""
    left = tree.counts.sum()
    fresh = 0
    for at in range(near.known[0]):
        fresh += tree.places[near.rows[at]] != GONE
    if fresh == left:
        return False
    wanted = min(max(FIRST, MORE * near.known[0]), left)
    rows, distances = near.rows[:wanted], near.distances[:wanted]
    nearest(tree, target, distances, rows)
    by_row = np.argsort(rows)
    order = by_row[np.argsort(distances[by_row], kind="mergesort")]
    rows[:] = rows[order]
    near.known[0] = wanted
    return True


@compiled
def _fits(asked: Any, counted: Any, row: int, column: int, task: int) -> bool:
    if task & NEW_VALUE and counted.value_stamps[asked.codes[row, column]] == counted.stamp[0]:
        return False
    if task & RAISE and not _variance_with(asked, counted, row, column) > variance(counted, column) * (
        1 + ROUNDING
    ):
        return False
    return not task & KEEP or _keeps(asked, counted, row)


@compiled
def _keeps(asked: Any, counted: Any, row: int) -> bool:
    """Is the variance high enough with this record, wherever there is then a rare value?"""
    for column in range(len(asked.different)):
        if counted.has_rare[column] or asked.is_rare[asked.codes[row, column]]:
            if _variance_with(asked, counted, row, column) < asked.least[column] * (1 - ROUNDING):
                return False
    return True


@compiled
def _variance_with(asked: Any, counted: Any, row: int, column: int) -> float:
    """The variance of the group with one more record."""
    value, size = asked.codes[row, column], counted.size[0] + 1
    squares, lengths = counted.squares[column], counted.lengths[column]
    for at in range(asked.axes.shape[1]):
        axis, place = asked.axes[value, at], asked.places[value, at]
        before = counted.sums[axis] if counted.axis_stamps[axis] == counted.stamp[0] else 0.0
        squares += place * place
        lengths += (2 * before + place) * place
    return float((size * squares - lengths) / (size * size))
