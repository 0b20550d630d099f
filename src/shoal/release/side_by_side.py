"""Rows before and after, side by side, for the owner alone: whole classes, to see what they share."""

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.policy.model.policy import Policy
from shoal.release.release import Release
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.files.data_file import rows_as_text
from shoal.table.table import Table

Row = tuple[str | None, ...]  # None where a column is not there


@dataclass(frozen=True)
class SideBySide:
    """Some rows as they were and as they are published, as text; ``classes`` count from 1, as in the audit
    file. ``whole`` says that every class here is shown with all of its rows."""

    columns: tuple[str, ...]
    before: tuple[Row, ...] = field(repr=False)
    after: tuple[Row, ...] = field(repr=False)
    changed: tuple[tuple[bool, ...], ...] = field(repr=False)
    classes: tuple[int, ...]
    left_out: int
    whole: bool


def release_side_by_side(release: Release, rows: int = 20, choice: int = 0) -> SideBySide:
    """Rows of a release in memory beside the original rows they come from."""
    made = release.result
    published = Table(made.table)
    return side_by_side(
        release.original, published, made.input_rows, made.class_of, release.policy, rows, choice
    )


def side_by_side(
    original: Table,
    published: Table,
    input_rows: Ints,
    class_of: Ints,
    policy: Policy,
    rows: int = 20,
    choice: int = 0,
) -> SideBySide:
    """Classes of typical size, at most so many rows in all; every ``choice`` shows other ones.

    ``input_rows`` and ``class_of`` belong to the published rows, as a release or its audit file has them.
    """
    shown = _shown_rows(class_of, rows, choice)
    hidden = {name for name in policy.columns if not policy.publishes(name)}
    columns = [*original.names, *(name for name in published.names if name not in original.names)]
    before = _texts(original, input_rows[shown], columns, set())
    after = _texts(published, shown, columns, hidden)
    changed = tuple(
        tuple(_differ(*cells) for cells in zip(*pair, strict=True))
        for pair in zip(before, after, strict=True)
    )
    classes = class_of[shown]
    sizes = np.bincount(class_of)
    different, counts = np.unique(classes, return_counts=True)
    return SideBySide(
        tuple(columns),
        before,
        after,
        changed,
        tuple((classes + 1).tolist()),
        left_out=len(original) - len(published),
        whole=bool(np.array_equal(sizes[different], counts)),
    )


def _shown_rows(class_of: Ints, rows: int, choice: int) -> Ints:
    """The rows of some classes, class by class; a class that is larger than all there is room for is cut."""
    sizes = np.bincount(class_of)
    chosen = typical_classes(sizes, rows, choice)
    found = np.flatnonzero(np.isin(class_of, chosen))
    return found[np.argsort(class_of[found], kind="stable")][:rows]


def typical_classes(sizes: Ints, rows: int, choice: int) -> Ints:
    """The next few classes of those nearest to the middle size that fit into so many rows, at least one.

    >>> typical_classes(np.array([3, 90, 4, 3]), rows=7, choice=0)
    array([0, 3])
    >>> typical_classes(np.array([3, 90, 4, 3]), rows=7, choice=1)
    array([2])
    """
    there = np.flatnonzero(sizes)
    middle = np.sort(sizes[there])[(len(there) - 1) // 2]
    nearest = there[np.argsort(np.abs(sizes[there] - middle), kind="stable")]
    page = max(1, rows // int(middle))
    start = choice * page % len(nearest)
    some = nearest[start : start + page]
    fitting = int(np.searchsorted(np.cumsum(sizes[some]), rows, side="right"))
    return np.asarray(some[: max(1, fitting)])


def _texts(table: Table, rows: Ints, columns: list[str], hidden: set[str]) -> tuple[Row, ...]:
    names = [name for name in columns if name in table.names and name not in hidden]
    taken = pa.table({name: table.column(name).take(arrow_from_numpy(rows)) for name in names})
    place = {name: at for at, name in enumerate(names)}
    return tuple(
        tuple(row[place[name]] if name in place else None for name in columns) for row in rows_as_text(taken)
    )


def _differ(before: str | None, after: str | None) -> bool:
    """
    >>> _differ("12.50", "12.5"), _differ("12", "[10, 15]"), _differ("name", None)
    (False, True, True)
    """
    if before == after:
        return False
    try:
        return before is None or after is None or Decimal(before) != Decimal(after)
    except InvalidOperation:
        return True
