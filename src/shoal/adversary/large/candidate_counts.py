"""People and published ranges on one line, counted by parts of it.

At every value of the line stands how many people have it, how many ranges begin and how many end there. A
person fits the ranges that have begun at or before their value, without those that ended before it: inside a
part what stands there is enough, once it is known how many ranges began and ended in the parts before.
Ranges that may be anything span the line; people without a total stand behind its end, where nothing fits.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.adversary.candidate_tally import CandidateTally
from shoal.adversary.large.totals import Totals, totals_of
from shoal.arrays import AnyArray, Bools, Ints
from shoal.engines.protocol import PART, Rows
from shoal.policy.model import expression as ex
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ints_of
from shoal.verify.aggregate.image import TOLERANCE

VALUE = "shoal:value"
COUNTS = PEOPLE, BEGIN, END = "shoal:people", "shoal:begin", "shoal:end"
PER_PART = 256  # values that are looked at for borders, on average
LAST, BEHIND = 2**63 - 2, 2**63 - 1  # on the line, and behind it
LAST_FLOAT, BEHIND_FLOAT = 1e300, 1e304


def count_on_line(
    original: Rows, published: Rows, policy: Policy, tree: ex.Expression | None
) -> CandidateTally:
    """Everybody beside the ranges that the aggregate has in the published records, which are the original
    itself where the table is attacked as it is."""
    if published is original:
        [totals] = totals_of(tree, policy, original)
        return candidate_counts(lay_on_line(original, totals, people=True, records=True))
    own, shown = totals_of(tree, policy, original, published)
    people = lay_on_line(original, own, people=True, records=False)
    return candidate_counts(people.union(lay_on_line(published, shown, people=False, records=True)))


def lay_on_line(rows: Rows, totals: Totals, people: bool, records: bool) -> Rows:
    """Totals of people, ranges of records, or both; each value of a batch once."""
    kind = pa.float64() if totals.unit is None else pa.int64()
    schema = pa.schema([(VALUE, kind), *((name, pa.int64()) for name in COUNTS)])
    return rows.map(partial(_counts_by_value, totals, people, records, kind), schema).kept()


def _counts_by_value(
    totals: Totals, people: bool, records: bool, kind: pa.DataType, table: pa.Table
) -> pa.Table:
    found = totals.of(table)
    last, behind = (LAST_FLOAT, BEHIND_FLOAT) if totals.unit is None else (LAST, BEHIND)
    known, shown = np.full(len(table), people), ~found.unknown & records
    places = [
        np.where(found.unknown, behind, found.image.low)[known],
        np.where(found.starred, -last, found.image.low)[shown],
        np.where(found.starred, last, found.image.high)[shown],
    ]
    values, at = np.unique(np.concatenate(places), return_inverse=True)
    ends = np.cumsum([len(one) for one in places])[:-1]
    counts = [np.bincount(one, minlength=len(values)) for one in np.split(at, ends)]
    return pa.table([pa.array(values, kind), *counts], names=[VALUE, *COUNTS])


@dataclass(frozen=True)
class _Survey:
    """How many rows there are, and values from all over the line."""

    rows: int
    sample: AnyArray

    def joined(self, other: "_Survey") -> "_Survey":
        return _Survey(self.rows + other.rows, np.concatenate([self.sample, other.sample]))


def candidate_counts(line: Rows) -> CandidateTally:
    """The candidates of everybody. Floats that differ by less than a billionth count as equal."""
    survey = line.fold(partial(_surveyed, max(line.part_rows // PER_PART, 1)), _Survey.joined)
    assert survey is not None  # noqa: S101 - there are people
    tolerant = survey.sample.dtype == np.float64
    borders = _borders(survey.sample, -(-survey.rows // line.part_rows), tolerant)
    sums = line.fold(partial(_summed, borders), _Sums.joined)
    assert sums is not None  # noqa: S101
    if tolerant:
        borders, sums = _between_clusters(borders, sums)
    schema = line.schema.append(pa.field(PART, pa.int64()))
    parts = line.map(partial(_numbered, borders), schema).parts(PART)
    found = parts.fold(partial(_candidates, sums.before, tolerant), CandidateTally.joined)
    assert found is not None  # noqa: S101
    return found


def _surveyed(step: int, table: pa.Table) -> _Survey:
    return _Survey(len(table), np.sort(ints_of(table, VALUE))[step // 2 :: step])


def _borders(sample: AnyArray, parts: int, tolerant: bool) -> AnyArray:
    """Where each part but the first begins."""
    if not len(sample):
        return sample
    at = np.linspace(0, len(sample), parts + 1).astype(int)[1:-1]
    borders = np.unique(np.sort(sample)[np.minimum(at, len(sample) - 1)])
    return borders - 2 * TOLERANCE * np.abs(borders) if tolerant else borders


@dataclass(frozen=True)
class _Sums:
    """For every part: how many ranges begin and end there, and its first and last value."""

    begin: Ints
    end: Ints
    first: AnyArray
    last: AnyArray

    def joined(self, other: "_Sums") -> "_Sums":
        return _Sums(
            self.begin + other.begin,
            self.end + other.end,
            np.minimum(self.first, other.first),
            np.maximum(self.last, other.last),
        )

    @property
    def before(self) -> tuple[Ints, Ints]:
        """How many began and ended in the parts before each."""
        return np.cumsum(self.begin) - self.begin, np.cumsum(self.end) - self.end


def _summed(borders: AnyArray, table: pa.Table) -> _Sums:
    parts, values = len(borders) + 1, ints_of(table, VALUE)
    at = np.searchsorted(borders, values, "right")
    begin, end = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
    np.add.at(begin, at, ints_of(table, BEGIN))
    np.add.at(end, at, ints_of(table, END))
    first, last = np.full(parts, np.inf), np.full(parts, -np.inf)
    np.minimum.at(first, at, values)
    np.maximum.at(last, at, values)
    return _Sums(begin, end, first, last)


def _between_clusters(borders: AnyArray, sums: _Sums) -> tuple[AnyArray, _Sums]:
    """Borders and sums without the borders between two floats that count as equal."""
    below = np.maximum.accumulate(sums.last)[:-1]
    above = np.minimum.accumulate(sums.first[::-1])[::-1][1:]
    apart = np.flatnonzero(_apart(below, above, tolerant=True))
    starts = np.append(0, apart + 1)
    begin, end = (np.add.reduceat(one, starts) for one in (sums.begin, sums.end))
    first, last = np.minimum.reduceat(sums.first, starts), np.maximum.reduceat(sums.last, starts)
    return borders[apart], _Sums(begin, end, first, last)


def _numbered(borders: AnyArray, table: pa.Table) -> pa.Table:
    at = np.searchsorted(borders, ints_of(table, VALUE), "right")
    return table.append_column(PART, arrow_from_numpy(at))


def _candidates(before: tuple[Ints, Ints], tolerant: bool, number: int, table: pa.Table) -> CandidateTally:
    values = ints_of(table, VALUE)
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = np.append(0, np.flatnonzero(_apart(values[:-1], values[1:], tolerant)) + 1)
    people, begin, end = (np.add.reduceat(ints_of(table, name)[order], starts) for name in COUNTS)
    begun, ended = before[0][number] + np.cumsum(begin), before[1][number] + np.cumsum(end) - end
    there = people > 0
    return CandidateTally.of((begun - ended)[there], people[there])


def _apart(lower: AnyArray, upper: AnyArray, tolerant: bool) -> Bools:
    """Do these count as different?"""
    if not tolerant:
        return np.asarray(lower != upper)
    return np.asarray(upper - lower > TOLERANCE * np.maximum(np.abs(upper), np.abs(lower)))
