"""What is asked of a plan: a policy, in numbers that hold for the whole table."""

from dataclasses import dataclass, field
from functools import cached_property

from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.anonymizer.parts.table_facts import TableFacts
from shoal.anonymizer.ranges.whole_plan import request_of
from shoal.anonymizer.registry import RangeRequest
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates.aggregate import Aggregate, WeightedSum
from shoal.policy.model.policy import Policy


@dataclass(frozen=True)
class RangesPlanInput:
    policy: Policy
    facts: TableFacts
    key: Key
    sensitive: SensitiveCodes = field(default_factory=SensitiveCodes.nothing)

    @property
    def names(self) -> list[str]:
        return self.facts.ends.names

    @property
    def k(self) -> int:
        return self.request.k

    @cached_property
    def request(self) -> RangeRequest:
        return request_of(self.facts.ends, self.policy, self.key, None)

    @property
    def f(self) -> Aggregate | WeightedSum:
        found = self.request.known.one_aggregate
        assert found is not None  # noqa: S101 - the plan is for one
        return found
