"""What the plan of every method that publishes ranges is given."""

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.anonymizer.parts.table_facts import TableFacts
from shoal.anonymizer.ranges.range_request import range_request
from shoal.anonymizer.registry import RangeRequest
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates.aggregate import Aggregate, WeightedSum
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.numbered_rows import ids_of, matrix_of


@dataclass(frozen=True)
class RangesPlanInput:
    """A policy and the facts of its table, with the request that a method of ranges gets."""

    policy: Policy
    facts: TableFacts
    key: Key
    choice: Choice
    sensitive: SensitiveCodes

    @property
    def names(self) -> list[str]:
        return self.facts.ends.names

    @property
    def k(self) -> int:
        return self.request.k

    @cached_property
    def request(self) -> RangeRequest:
        return range_request(self.facts.ends, self.policy, self.key)

    @property
    def f(self) -> Aggregate | WeightedSum:
        found = self.request.known.one_aggregate
        assert found is not None  # noqa: S101 - the plan is for one
        return found

    def classes(self, table: pa.Table) -> Ranges:
        """What the method makes of staged rows, as if they were the whole table."""
        values, diversity = matrix_of(table, self.names), self.sensitive.diversity(table)
        request = replace(self.request, values=values, diversity=diversity, ids=ids_of(table))
        ranges: Ranges = self.choice.method.run(request)
        return ranges
