"""What was tried and what was made, at any time, beside the policy as it is written now.

A row keeps its figures, but what it is worth depends on the policy: does it promise no less, and does it
promise the same kind of thing at all? Only rows that do are weighed against each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from shoal.comparison.compare import ComparisonFigures, ComparisonResult, k_of, promise_of, with_method_name
from shoal.comparison.strictness import differ_in_degree, promises_no_less
from shoal.comparison.vary import policy_with_parameters
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy

WRITTEN = "policy"  # the name of the policy as it is written now


@dataclass(frozen=True)
class EarlierRelease:
    """A release that was made, by its name."""

    name: str
    policy: Policy
    method: str
    figures: ComparisonFigures


@dataclass(frozen=True)
class EarlierTrial:
    """A row of a comparison, and the policy that was written then."""

    row: ComparisonResult
    policy: Policy
    varied: Policy | None = field(init=False)  # none: the parameters make no sound one

    def __post_init__(self) -> None:
        object.__setattr__(self, "varied", _varied(self.policy, self.row))


def rows_of_earlier_results(
    written: Policy, seen: Iterable[EarlierRelease | EarlierTrial]
) -> list[ComparisonResult]:
    """One row for each, in their order, for `frontier` and `recommend`.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> figures = ComparisonFigures(0.1, 0.1, 0.5, 9, 0, 5, True, 0.1)
    >>> earlier = EarlierRelease("run 3", policy, "mondrian", figures)
    >>> [row.label for row in rows_of_earlier_results(policy, [earlier])]
    ['run 3: mondrian, k = 5']
    """
    return [
        _of_made(written, one) if isinstance(one, EarlierRelease) else _of_tried(written, one) for one in seen
    ]


def _of_made(written: Policy, made: EarlierRelease) -> ComparisonResult:
    left_out = made.policy.method.suppression
    row = ComparisonResult(
        WRITTEN,
        made.method,
        k_of(made.policy),
        made.figures,
        parameters={"suppression": left_out} if left_out else {},
        name=made.name,
    )
    return _with_promise(row, made.policy, written)


def _of_tried(written: Policy, tried: EarlierTrial) -> ComparisonResult:
    if tried.varied is None:
        return replace(tried.row, policy=WRITTEN, as_written=False, promise=promise_of(written))
    return _with_promise(replace(tried.row, policy=WRITTEN), tried.varied, written)


def _with_promise(row: ComparisonResult, policy: Policy, written: Policy) -> ComparisonResult:
    if differ_in_degree(policy, written):
        return replace(row, promise=promise_of(written), as_written=promises_no_less(policy, written))
    return replace(row, policy="another policy", promise=promise_of(policy), as_written=False)


def _varied(policy: Policy, row: ComparisonResult) -> Policy | None:
    try:
        return policy_with_parameters(with_method_name(policy, row.method), row.parameters)
    except ShoalError:
        return None
