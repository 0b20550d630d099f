"""What a policy asks of a method that publishes ranges, in numbers that hold for the whole table."""

from math import ceil, floor

from shoal.anonymizer.fit import QuasiMatrix, smallest_class
from shoal.anonymizer.ranges.expression_aggregate import method_aggregate
from shoal.anonymizer.ranges.range_loss import width_costs
from shoal.anonymizer.registry import RangeRequest
from shoal.arrays import Ints
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.ranges import column_ends
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy


def range_request(fitted: QuasiMatrix, policy: Policy, key: Key) -> RangeRequest:
    """The request for the rows of ``fitted``; their smallest and largest values are those of the table."""
    known = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, KfAnonymity)]
    ends = column_ends(fitted.values)
    within = None
    if len(policy.guarantees) == 1 and known and known[0].within:
        within = Tolerance(float(known[0].within), anywhere=known[0].band == "any")
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
        options=dict(policy.method.options),
    )


def _domain(fitted: QuasiMatrix, policy: Policy, ends: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The declared limits of every column in its own units, else the smallest and largest value."""
    low, high = ends[0].copy(), ends[1].copy()
    for at, name in enumerate(fitted.names):
        if name in policy.domains:
            first, last = (end * 10 ** fitted.scales[at] for end in policy.domains[name])
            low[at], high[at] = ceil(first), floor(last)
    return low, high
