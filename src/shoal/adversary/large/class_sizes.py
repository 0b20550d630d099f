"""How many records of a table beyond memory are alike: in their quasi values, or in an aggregate."""

from functools import partial

import numpy as np
import pyarrow as pa

from shoal.adversary.candidate_reading import OWN_CLASS, CandidateReading
from shoal.adversary.candidate_tally import CandidateTally
from shoal.adversary.large.totals import Totals, totals_of
from shoal.anonymizer.parts.table_facts import magnitude_faults, summarize_rows
from shoal.engines.protocol import Rows
from shoal.engines.steps.cell_faults import odd_number_fault
from shoal.engines.steps.distinct import COUNT, distinct
from shoal.errors import ShoalError
from shoal.policy.model import expression as ex
from shoal.policy.model.policy import Policy
from shoal.table.columns.number_summary import units_on_scale
from shoal.table.columns.numbered_rows import ROW, ints_of
from shoal.table.files.header import no_rows

LOW, HIGH = "shoal:low", "shoal:high"


def quasi_classes(rows: Rows, policy: Policy) -> CandidateTally:
    """Everybody among the rows with the same quasi values, in the table as it is."""
    quasi = policy.having("quasi")
    seen = summarize_rows(rows, quasi)
    if seen is None:
        raise no_rows("the table")
    numbers = {name: one.scaled_numbers() for name, one in seen.items()
               if one.mostly_numbers and not policy.of_words(name)}  # fmt: skip
    faults = [odd_number_fault(rows, name, reason) for name, one in numbers.items() for reason in one.odd]
    faults = faults or [fault for name, one in numbers.items() for fault in magnitude_faults(name, one)]
    if faults:
        raise ShoalError(faults)
    scales = {name: one.scale for name, one in numbers.items()}
    kinds = [(name, pa.int64() if name in scales else pa.string()) for name in quasi]
    known = rows.map(partial(_known, quasi, scales, policy), pa.schema([*kinds, (ROW, pa.int64())]))
    return _sizes(known, quasi)


def own_classes(published: Rows, policy: Policy, tree: ex.Expression | None, people: int) -> CandidateReading:
    """Everybody among the records of the same F, as the attacks in memory have it."""
    [totals] = totals_of(tree, policy, published)
    kind = pa.float64() if totals.unit is None else pa.int64()
    schema = pa.schema([(LOW, kind), (HIGH, kind), (ROW, pa.int64())])
    sizes = _sizes(published.map(partial(_ends, totals, kind), schema), [LOW, HIGH])
    return CandidateReading.with_absent(OWN_CLASS, sizes.candidates, sizes.success, sizes.times, people)


def _ends(totals: Totals, kind: pa.DataType, table: pa.Table) -> pa.Table:
    """Both ends of F; none of records that show a star, and one of those of which F is unknown."""
    found = totals.of(table)
    low = pa.array(found.image.low, kind, mask=found.starred | found.unknown)
    high = pa.array(np.where(found.unknown, 0, found.image.high), kind, mask=found.starred)
    return pa.table([low, high, table.column(ROW)], names=[LOW, HIGH, ROW])


def _known(names: list[str], scales: dict[str, int], policy: Policy, table: pa.Table) -> pa.Table:
    """Numbers in units of their column, words as they are."""
    columns = {}
    for name in names:
        column = table.column(name)
        if name not in scales:
            columns[name] = column.cast(pa.string())
            continue
        units, missing = units_on_scale(column, scales[name])
        zero = policy.missing_counts.get(name) == "zero"
        columns[name] = pa.array(np.where(missing, 0, units), mask=None if zero else np.asarray(missing))
    return pa.table({**columns, ROW: table.column(ROW)})


def _sizes(rows: Rows, names: list[str]) -> CandidateTally:
    """How many records are in a class of each size, of those that are alike in these columns."""
    found = distinct(rows, names).rows.fold(_tally, CandidateTally.joined)
    assert found is not None  # noqa: S101 - there are rows
    return found


def _tally(table: pa.Table) -> CandidateTally:
    sizes = ints_of(table, COUNT)
    return CandidateTally.of(sizes, sizes)
