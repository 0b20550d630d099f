"""Linkage in a table beyond memory, as it is: how many people have the same quasi values."""

from functools import partial

import numpy as np
import pyarrow as pa

from shoal.adversary.attackers.linkage import names_in_words
from shoal.adversary.candidate_tally import CandidateTally, result_of_tally
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import largest_k, promised_k
from shoal.anonymizer.parts.table_facts import drop_leaving_rows, magnitude_faults
from shoal.engines.protocol import Rows
from shoal.engines.steps.cell_faults import odd_number_fault
from shoal.engines.steps.distinct import COUNT, distinct
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.number_summary import NumberSummary, summarize_numbers, units_on_scale
from shoal.table.columns.numbered_rows import ROW, ints_of


def linkage_attack(rows: Rows, policy: Policy) -> AttackResult:
    """Somebody who knows all quasi values of a person, in the table as it is."""
    quasi, promised = policy.having("quasi"), promised_k(policy)
    seen = _seen(rows, quasi)
    numbers = {name: one.settled() for name, one in seen.items() if one.mostly_numbers}
    faults = [odd_number_fault(rows, name, reason) for name, one in numbers.items() for reason in one.odd]
    faults = faults or [fault for name, one in numbers.items() for fault in magnitude_faults(name, one)]
    if faults:
        raise ShoalError(faults)
    scales = {name: one.scale for name, one in numbers.items()}
    kinds = [(name, pa.int64() if name in scales else pa.string()) for name in quasi]
    known = rows.map(partial(_known, quasi, scales, policy), pa.schema([*kinds, (ROW, pa.int64())]))
    tally = distinct(known, quasi).rows.fold(class_sizes, CandidateTally.joined)
    assert tally is not None  # noqa: S101 - there are rows
    return result_of_tally(
        tally,
        attack="linkage",
        knows=f"{names_in_words(quasi)} of a person",
        needed=promised or largest_k(policy),
        promised=promised is not None,
    )


def staying_rows(rows: Rows, policy: Policy) -> Rows:
    """The rows that no missing cell makes leave."""
    names = [name for name in policy.having("quasi") if policy.missing.get(name) == "suppress"]
    if not names:
        return rows
    leaving = {name: bool(one.settled().odd) for name, one in _seen(rows, names).items()}
    return rows.map(partial(drop_leaving_rows, leaving), rows.schema)


def _seen(rows: Rows, names: list[str]) -> dict[str, NumberSummary]:
    seen = rows.fold(partial(_look, names), _joined)
    if seen is None:
        raise ShoalError("the table has a header but no rows", "give a table with rows.")
    return seen


def _look(names: list[str], table: pa.Table) -> dict[str, NumberSummary]:
    return {name: summarize_numbers(table, name) for name in names}


def _joined(one: dict[str, NumberSummary], other: dict[str, NumberSummary]) -> dict[str, NumberSummary]:
    return {name: found.joined(other[name]) for name, found in one.items()}


def _known(names: list[str], scales: dict[str, int], policy: Policy, table: pa.Table) -> pa.Table:
    """Numbers in units of their column, words as they are."""
    columns = {}
    for name in names:
        column = table.column(name)
        if name not in scales:
            columns[name] = column.cast(pa.string())
            continue
        units, missing = units_on_scale(column, scales[name])
        zero = policy.missing.get(name) == "zero"
        columns[name] = pa.array(np.where(missing, 0, units), mask=None if zero else np.asarray(missing))
    return pa.table({**columns, ROW: table.column(ROW)})


def class_sizes(table: pa.Table) -> CandidateTally:
    """How many records are in a class of each size, of different rows that are counted."""
    sizes = ints_of(table, COUNT)
    return CandidateTally.of(sizes, sizes)
