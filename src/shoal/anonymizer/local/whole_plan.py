"""Local recoding: every class shows the lowest label over its values, a range of numbers, or a set.

Columns with a hierarchy show labels, or sets with ``cells = "sets"``; other columns of words show sets and
numbers show ranges.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.local.local_columns import LocalCells, LocalColumns, fit_local
from shoal.anonymizer.recoding import local_recoding
from shoal.anonymizer.registry import GroupRequest
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.ranges import Ranges
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.table import Table


def shows_labels(table: Table, policy: Policy) -> bool:
    """Are there columns to publish as labels or sets, and nobody who knows aggregates of numbers?"""
    there = [name for name in policy.having("quasi") if name in table.names]
    return may_show_labels(policy) and (
        any(name in policy.hierarchies for name in policy.having("quasi"))
        or any(not table.mostly_numbers(name) for name in there)
    )


def may_show_labels(policy: Policy) -> bool:
    """Does nobody know aggregates of numbers?"""
    return not any(isinstance(asked, KfAnonymity) for asked in policy.guarantees)


def group_table(table: Table, policy: Policy, key: Key, choice: Choice) -> AnonymizedTable:
    local = fit_local(table, policy)
    assert choice.method.group is not None  # noqa: S101 - it was chosen for that
    ranges = choice.method.group(
        GroupRequest(
            values=local.values,
            k=smallest_class(policy),
            key=key,
            costs=local.costs(policy),
            diversity=method_diversity(table, policy, local.input_rows),
            options=dict(policy.method.options),
            ids=local.input_rows,
        )
    )
    cells = [column.cells(ranges, at, local.values, policy) for at, column in enumerate(local.columns)]
    return replace(
        lay_out_classes(table, policy, key, local, ranges, cells, choice.method.name, choice.why),
        notes=(*local.notes, *local_notes(policy)),
        recoding=lambda: local_recoding(policy, choice.method.name, local, ranges),
    )


def lay_out_classes(
    table: Table,
    policy: Policy,
    key: Key,
    local: LocalColumns,
    ranges: Ranges,
    cells: list[LocalCells],
    method: str,
    why: str,
) -> AnonymizedTable:
    """The release in which the classes show these cells."""
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[local.input_rows[ranges.order]])
    input_rows = local.input_rows[ranges.order[positions]]
    gone = len(table) - len(local)
    class_of = dense_codes([cell.codes for cell in cells])  # classes that show the same are one
    lost = {column.name: cell.loss for column, cell in zip(local.columns, cells, strict=True)}
    sizes = np.bincount(class_of).astype(float)
    quasi = {column.name: cell.to_arrow(positions) for column, cell in zip(local.columns, cells, strict=True)}
    return AnonymizedTable(
        table=_published(table, policy, quasi, input_rows),
        input_rows=input_rows,
        class_of=class_of[positions],
        classes=len(sizes),
        suppressed=gone,
        method=method,
        why=why,
        loss=local_losses(local, policy, lost, len(table), gone, len(sizes), float((sizes**2).sum())),
        exact_cells=float((ranges.low == ranges.high).mean()),
        paid=loss_shares(lost),
        fallen=0.0,
        notes=local.notes,
    )


def loss_shares(lost: dict[str, float]) -> dict[str, float]:
    """The share of each column in the whole loss."""
    return {name: loss / (sum(lost.values()) or 1.0) for name, loss in lost.items()}


def local_notes(policy: Policy) -> list[str]:
    """What a recipient should know of the method."""
    if policy.method.objective in ("ncp", "ncp_range"):
        return []
    return [f"{policy.method.name} lowers ncp, whatever the objective says"]


def local_losses(
    local: LocalColumns,
    policy: Policy,
    lost: dict[str, float],
    rows: int,
    gone: int,
    classes: int,
    squares: float,
) -> dict[str, float]:
    """NCP over all cells of the input; with numbers alone, ``ncp`` counts by their common domain. ``squares``
    is the sum of the squares of the sizes of classes."""
    columns = len(lost)
    by_range = (sum(lost.values()) + gone * columns) / (rows * columns)
    common = by_range
    if numbers := local.numbers_alone():
        spans = {column.name: column.span(policy) for column in numbers}
        widths = sum(loss * spans[name] for name, loss in lost.items())
        common = (widths / local.common_span(policy) + gone * columns) / (rows * columns)
    return {
        "ncp": common,
        "ncp_range": by_range,
        "discernibility": squares + gone * rows,
        "average_class": (rows - gone) / classes,
    }


def _published(table: Table, policy: Policy, quasi: dict[str, pa.Array], rows: Ints) -> pa.Table:
    """Quasi columns as their classes show them, identifiers left out, the rest as it is."""
    taken = arrow_from_numpy(rows)
    columns = {
        name: quasi[name] if name in quasi else table.column(name).take(taken)
        for name in table.names
        if policy.publishes(name)
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))
