"""Ranges of a table in memory."""

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import QuasiMatrix, fit, smallest_class
from shoal.anonymizer.ranges.class_sets import ClassSets, widths_with_sets
from shoal.anonymizer.ranges.expression_aggregate import method_aggregate
from shoal.anonymizer.ranges.range_loss import range_loss_shares, range_losses, width_costs
from shoal.anonymizer.recoding import Recoding, class_recoding
from shoal.anonymizer.registry import RangeRequest
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.aggregates.knowledge import Knowledge, Within
from shoal.methods.boxes.mondrian import MondrianRanges
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ranges, column_ends
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbers import units_to_arrow
from shoal.table.table import Table


def range_table(table: Table, policy: Policy, key: Key, choice: Choice) -> AnonymizedTable:
    fitted = fit(table, policy)
    request = request_of(fitted, policy, key, method_diversity(table, policy, fitted.input_rows))
    assert choice.method.run is not None  # noqa: S101 - it searches or runs
    ranges = choice.method.run(request)
    suppressed = len(table) - len(fitted)
    widths, exact, sets = widths_with_sets(ranges, fitted.categories, fitted.values)
    loss = range_losses(fitted, policy, widths, suppressed)
    if isinstance(ranges, MondrianRanges) and not sets:
        split = range_losses(fitted, policy, ranges.split_widths, suppressed)
        loss |= {"ncp_split": split["ncp"], "ncp_range_split": split["ncp_range"]}
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[fitted.input_rows[ranges.order]])
    input_rows = fitted.input_rows[ranges.order[positions]]
    return AnonymizedTable(
        table=published_ranges(table, policy, fitted, ranges, sets, positions, input_rows),
        input_rows=input_rows,
        class_of=ranges.class_of()[positions],
        classes=ranges.classes,
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=loss,
        exact_cells=exact / ranges.low.size,
        paid=range_loss_shares(fitted, policy, widths),
        fallen=ranges.fallen / len(fitted),
        notes=(*fitted.notes, *range_notes(choice.method.name, policy, ranges.fallen, len(fitted))),
        recoding=_recoding(policy, choice, fitted, ranges),
    )


def _recoding(
    policy: Policy, choice: Choice, fitted: QuasiMatrix, ranges: Ranges
) -> Callable[[], Recoding] | None:
    if not choice.method.recodes:
        return None
    return lambda: class_recoding(policy, choice.method.name, fitted, ranges)


SIMPLER = {"residual": "a simpler method that was cheaper here", "aligned": "residual, by common ranges"}


def range_notes(method: str, policy: Policy, fallen: int, records: int) -> list[str]:
    """What a recipient should know of a release in ranges, in which so many of the records had ``fallen`` to
    a simpler method."""
    notes = []
    if unused := [repr(name) for name in policy.having("quasi") if name in policy.hierarchies]:
        notes.append(f"the hierarchies of {', '.join(unused)} are not used: this method publishes ranges")
    if fallen:
        notes.append(f"{fallen:,} of {records:,} records were served by {SIMPLER[method]}")
    if method == "aligned":
        notes.append(
            "aligned is never chosen by itself: it opens one cell of a record, whose value somebody who "
            "knows the total can compute for every candidate, and where people round, one of them may be "
            "far likelier (posterior_heaped in the verdict)"
        )
        if policy.method.options.get("draw") == "eligible":
            notes.append(
                'with draw = "eligible" some candidates are likelier than others: see the posterior in the '
                "verdict"
            )
    bands = [asked for asked in policy.guarantees if isinstance(asked, KfAnonymity) and asked.within]
    if any(asked.joint for asked in bands) or (bands and len(policy.guarantees) > 1):
        notes.append("within is left aside beside other knowledge or guarantees, which is stricter")
    return notes


def request_of(fitted: QuasiMatrix, policy: Policy, key: Key, diversity: Diversity | None) -> RangeRequest:
    """What the policy asks of a method, in numbers."""
    known = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, KfAnonymity)]
    ends = column_ends(fitted.values)
    within = None
    if len(policy.guarantees) == 1 and known and known[0].within:
        within = Within(float(known[0].within), anywhere=known[0].band == "any")
    aggregates = {
        text: method_aggregate(text, tree, fitted.names, fitted.scales, ends)
        for asked in known
        for text, tree in zip(asked.knows, asked.trees, strict=True)
    }
    besides = sorted({fitted.names.index(name) for asked in known for name in asked.also})
    return RangeRequest(
        values=fitted.values,
        k=smallest_class(policy),
        key=key,
        costs=width_costs(fitted, policy),
        known=Knowledge(tuple(aggregates.values()), tuple(besides), tuple(aggregates)),
        domain=_domain(fitted, policy, ends),
        within=within,
        diversity=diversity,
        options=dict(policy.method.options),
        ids=fitted.input_rows,
    )


def _domain(fitted: QuasiMatrix, policy: Policy, ends: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The declared limits of every column in its own units, else the smallest and largest value."""
    low, high = ends[0].copy(), ends[1].copy()
    for at, name in enumerate(fitted.names):
        if name in policy.domains:
            first, last = (end * 10 ** fitted.scales[at] for end in policy.domains[name])
            low[at], high[at] = ceil(first), floor(last)
    return low, high


def published_ranges(
    table: Table,
    policy: Policy,
    fitted: QuasiMatrix,
    ranges: Ranges,
    sets: dict[int, ClassSets],
    positions: Ints,
    rows: Ints,
) -> pa.Table:
    """Quasi columns as ranges or sets, identifiers left out, the rest as it is; columns keep their order."""
    low, high = ranges.columns(positions)
    taken = arrow_from_numpy(rows)
    columns: dict[str, Any] = {}
    for name in table.names:
        role = policy.columns[name]
        if role == "quasi":
            at = fitted.names.index(name)
            if at in sets:
                columns[name] = sets[at].to_arrow(positions)
                continue
            ends = [units_to_arrow(side[at], fitted.scales[at]) for side in (low, high)]
            columns[name] = pa.StructArray.from_arrays(ends, names=["lo", "hi"])
        elif policy.publishes(name):
            columns[name] = table.column(name).take(taken)
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))
