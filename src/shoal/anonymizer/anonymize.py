"""Anonymize a table under a policy: choose, compute, and lay the published table out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.anonymizer.aggregate import method_aggregate
from shoal.anonymizer.choose import choose
from shoal.anonymizer.fit import Fitted, fit
from shoal.anonymizer.leaks import leak_faults
from shoal.anonymizer.loss import range_losses, width_costs
from shoal.anonymizer.registry import Request
from shoal.errors import ShoalError
from shoal.methods.aggranon import Within
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.mondrian import MondrianRanges
from shoal.methods.ranges import Ints, Ranges, column_ends
from shoal.methods.residual import ResidualRanges
from shoal.policy.guarantee import KfAnonymity
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.numbers import units_to_arrow
from shoal.table.table import Table


@dataclass(frozen=True)
class Anonymized:
    """A published table that nobody has checked yet, and how it came about.

    ``input_rows`` and ``class_of`` belong to the published rows; they are the owner's secret.
    """

    table: pa.Table = field(repr=False)
    input_rows: Ints = field(repr=False)
    class_of: Ints = field(repr=False)
    classes: int
    suppressed: int
    method: str
    why: str
    loss: dict[str, float]
    exact_cells: float  # share of quasi cells published as they are
    notes: tuple[str, ...] = ()


def anonymize_table(table: Table, policy: Policy, key: Key) -> Anonymized:
    fitted = fit(table, policy)
    choice = choose(policy)
    request = _request(fitted, policy, key)
    if leaks := leak_faults(
        table, policy, fitted, list(zip(_known(policy), request.aggregates, strict=True))
    ):
        raise ShoalError(leaks)
    ranges = choice.method.run(request)
    suppressed = len(table) - len(fitted)
    widths, exact = ranges.summary()
    loss = range_losses(fitted, policy, widths, suppressed)
    if isinstance(ranges, MondrianRanges):
        split = range_losses(fitted, policy, ranges.split_widths, suppressed)
        loss |= {"ncp_split": split["ncp"], "ncp_range_split": split["ncp_range"]}
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[fitted.input_rows[ranges.order]])
    input_rows = fitted.input_rows[ranges.order[positions]]
    return Anonymized(
        table=_published(table, policy, fitted, ranges, positions, input_rows),
        input_rows=input_rows,
        class_of=ranges.class_of()[positions],
        classes=ranges.classes,
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=loss,
        exact_cells=exact / ranges.low.size,
        notes=(*fitted.notes, *_fallback_note(ranges)),
    )


def _fallback_note(ranges: Ranges) -> tuple[str, ...]:
    fell_back = isinstance(ranges, ResidualRanges) and ranges.fell_back
    return ("the classes of aggranon were cheaper here and were taken",) if fell_back else ()


def _known(policy: Policy) -> list[KfAnonymity]:
    return [guarantee for guarantee in policy.guarantees if isinstance(guarantee, KfAnonymity)]


def _request(fitted: Fitted, policy: Policy, key: Key) -> Request:
    known = _known(policy)
    ends = column_ends(fitted.values)
    within = None
    if len(policy.guarantees) == 1 and known and known[0].within:
        within = Within(float(known[0].within), anywhere=known[0].band == "any")
    return Request(
        values=fitted.values,
        k=max(guarantee.k for guarantee in policy.guarantees),
        key=key,
        costs=width_costs(fitted, policy),
        aggregates=tuple(
            method_aggregate(asked.knows[0], asked.tree, fitted.names, fitted.scales, ends) for asked in known
        ),
        within=within,
        options=dict(policy.method.options),
    )


def _published(
    table: Table, policy: Policy, fitted: Fitted, ranges: Ranges, positions: Ints, rows: Ints
) -> pa.Table:
    """Quasi columns as ranges, identifiers left out, the rest as it is; columns keep their order."""
    low, high = ranges.columns(positions)
    taken = arrow_from_numpy(rows)
    columns: dict[str, Any] = {}
    for name in table.names:
        role = policy.columns[name]
        if role == "quasi":
            at = fitted.names.index(name)
            ends = [units_to_arrow(side[at], fitted.scales[at]) for side in (low, high)]
            columns[name] = pa.StructArray.from_arrays(ends, names=["lo", "hi"])
        elif role != "identifier":
            columns[name] = table.column(name).take(taken)
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))
