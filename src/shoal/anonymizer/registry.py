"""The methods that make a release: what each serves, its options, and how to call it."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from shoal.anonymizer.method_facts import FACTS, MethodFacts
from shoal.arrays import Floats, Ints
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates.aggranon import aggranon
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.aligned import aligned
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.aggregates.residual import residual
from shoal.methods.boxes.cluster import cluster
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.diversity import Diversity
from shoal.methods.levels.datafly import datafly
from shoal.methods.levels.incognito import incognito
from shoal.methods.levels.lattice import Lattice, LatticeNode
from shoal.methods.levels.optimal import TIME_LIMIT, Report, optimal
from shoal.methods.levels.samarati import samarati
from shoal.methods.means.kpqr_paper import kpqr_paper
from shoal.methods.means.mdav import mdav
from shoal.methods.means.rare_values import ConfidentialColumn
from shoal.methods.means.refined import TIME_LIMIT as REFINING
from shoal.methods.means.refined import refined
from shoal.methods.means.univariate import univariate
from shoal.methods.means.vmdav import GAMMA, vmdav
from shoal.methods.permutation.max_groups import max_groups, max_groups_points
from shoal.methods.permutation.min_max import min_max, min_max_points
from shoal.methods.permutation.min_max_exact import exact_groups
from shoal.methods.permutation.min_sum import min_sum, min_sum_points
from shoal.methods.permutation.partition import GroupDemand, Search
from shoal.methods.permutation.random_groups import random_groups
from shoal.methods.permutation.rank_swap import rank_swap
from shoal.methods.ranges import Ranges
from shoal.methods.stars.suppress_cells import suppress_cells


@dataclass(frozen=True)
class RangeRequest:
    """What every range-publishing method is given: numbers, never files or policies."""

    values: Ints
    k: int
    key: Key
    costs: Floats  # what one unit of width costs, per column
    known: Knowledge
    domain: tuple[Ints, Ints]
    within: Tolerance | None = None
    diversity: Diversity | None = None
    options: dict[str, Any] = field(default_factory=dict)
    ids: Ints | None = None  # the rows' numbers in the input


@dataclass(frozen=True)
class SearchResult:
    """The nodes of a full-domain search, the one to take first; ``gap`` says by which share its loss may lie
    above the least possible, where a method knows.

    ``complete``: if there are no nodes, there are none. ``undecided``: at some nodes not every choice of
    classes to leave out was tried, and one of them may belong here, or cost less.
    """

    nodes: list[LatticeNode]
    gap: float | None = None
    complete: bool = True
    undecided: bool = False


@dataclass(frozen=True)
class PartitionRequest:
    """What every method is given that groups records by one sensitive column."""

    values: Ints
    demand: GroupDemand
    key: Key
    ids: Ints  # the rows' numbers in the input, ascending
    notes: list[str] = field(default_factory=list)  # what the method has to say of its groups


@dataclass(frozen=True)
class AverageRequest:
    """What every method is given that forms groups of similar records, which show their means."""

    points: Floats  # standardized
    k: int
    key: Key
    diversity: Diversity
    confidential: list[ConfidentialColumn]
    options: dict[str, Any]
    on_progress: Callable[[float, str], None]

    def report_progress(self, share: float) -> None:
        self.on_progress(share, f"{share:.0%} of the records are in a group")


@dataclass(frozen=True)
class MethodRow(MethodFacts):
    """How a method is called, beside what is said of it; its family knows what to give it, and what it gets.

    ``points`` is a partition that needs no more than the different values, and how many rows have each.
    """

    run: Callable[..., Any]
    points: Search | None = field(default=None, kw_only=True)


def _aggranon(request: RangeRequest) -> Ranges:
    (f,) = request.known.aggregates
    return aggranon(request.values, f, request.k, request.key, request.within, request.diversity, request.ids)


def _aligned(request: RangeRequest) -> Ranges:
    (f,) = request.known.aggregates
    assert isinstance(f, WeightedSum)  # noqa: S101 - `sums_only` sees to it
    return aligned(
        request.values,
        f,
        request.k,
        request.key,
        request.costs,
        request.within,
        request.diversity,
        request.domain,
        **request.options,
    )


def _residual(request: RangeRequest) -> Ranges:
    return residual(
        request.values,
        request.known,
        request.k,
        request.key,
        request.costs,
        request.within,
        request.diversity,
        ids=request.ids,
        **request.options,
    )


def _mondrian(request: RangeRequest) -> Ranges:
    return mondrian(
        request.values,
        request.k,
        request.key,
        diversity=request.diversity,
        ids=request.ids,
        **_without_cells(request.options),
    )


def _without_cells(options: dict[str, Any]) -> dict[str, Any]:
    """How cells are written is not the method's own business."""
    return {name: value for name, value in options.items() if name != "cells"}


def _by_values(
    method: Callable[[Ints, int, int, Key, int, Ints], Ints | None],
) -> Callable[[PartitionRequest], Ints | None]:
    def run(request: PartitionRequest) -> Ints | None:
        asked = request.demand
        return method(request.values, asked.k, asked.e, request.key, asked.gap, request.ids)

    return run


def _random(request: PartitionRequest) -> Ints | None:
    asked = request.demand
    return random_groups(request.values, asked.k, asked.e, request.key, asked.gap)


def _min_max_exact(request: PartitionRequest) -> Ints | None:
    found = exact_groups(request.values, request.demand, request.key)
    if found is None:
        return None
    if not found.proved:
        request.notes.append(NOT_PROVED)
    return found.groups


def _rank_swap(values: Ints, key: Key, options: dict[str, Any]) -> Ints:
    return rank_swap(values, float(options.get("p", SWAPPED_PERCENT)), key)


def _mdav(request: AverageRequest) -> Ints:
    rule = request.options.get("rule", "two-groups")
    return mdav(request.points, request.k, rule, request.report_progress)


def _vmdav(request: AverageRequest) -> Ints:
    return vmdav(
        request.points, request.k, float(request.options.get("gamma", GAMMA)), request.report_progress
    )


def _refined(request: AverageRequest) -> Ints:
    """Refined groups; on one axis there is a best partition, and it is found."""
    if request.points.shape[1] == 1:
        return univariate(request.points[:, 0], request.k)

    def report_loss(share: float, loss: float) -> None:
        request.on_progress(share, f"100 SSE / SST is {loss:.4g}")

    seconds = float(request.options.get("time_limit", REFINING))
    return refined(request.points, _mdav(request), request.k, request.key, seconds, report_loss)


def _kpqr_paper(request: AverageRequest) -> Ints:
    return kpqr_paper(request.points, request.k, request.confidential, request.key)


NOT_PROVED = (
    "the widest group is not proved to be as narrow as any partition allows: with a gap and so many values "
    "not all of them were tried"
)
SWAPPED_PERCENT = 5.0  # of the ranks, how far a value may move


def _optimal(lattice: Lattice, limit: int, options: dict[str, Any], on_progress: Report) -> SearchResult:
    seconds = float(options.get("time_limit", TIME_LIMIT))
    best = optimal(lattice, limit, seconds, on_progress)
    nodes = [] if best.node is None else [best.node]
    return SearchResult(nodes, best.gap, best.proved or bool(nodes), best.undecided)


def _listing(
    search: Callable[[Lattice, int], tuple[list[LatticeNode], int]],
) -> Callable[[Lattice, int, dict[str, Any], Report], SearchResult]:
    """A search that looks at every node."""

    def run(lattice: Lattice, limit: int, _options: dict[str, Any], _on_progress: Report) -> SearchResult:
        nodes, doubtful = search(lattice, limit)
        return SearchResult(nodes, complete=doubtful == 0, undecided=doubtful > 0)

    return run


def _datafly(lattice: Lattice, limit: int, _options: dict[str, Any], _on_progress: Report) -> SearchResult:
    """The node at which datafly ends. If that is the top, it speaks for all nodes only where what lies above
    an allowed one is allowed."""
    node = datafly(lattice, limit)
    return SearchResult([] if node is None else [node], complete=lattice.prunes(limit))


def _row(name: str, run: Callable[..., Any], points: Search | None = None) -> MethodRow:
    facts = next(facts for facts in FACTS if facts.name == name)
    return MethodRow(**{one.name: getattr(facts, one.name) for one in fields(facts)}, run=run, points=points)


METHODS = (
    _row("residual", _residual),
    _row("aggranon", _aggranon),
    _row("aligned", _aligned),
    _row("mondrian", _mondrian),
    _row("cluster", cluster),
    _row("optimal", _optimal),
    _row("incognito", _listing(incognito)),
    _row("samarati", _listing(samarati)),
    _row("datafly", _datafly),
    _row("suppress-cells", suppress_cells),
    _row("min-sum", _by_values(min_sum), points=min_sum_points),
    _row("min-max", _by_values(min_max), points=min_max_points),
    _row("min-max-exact", _min_max_exact),
    _row("max-groups", _by_values(max_groups), points=max_groups_points),
    _row("random", _random),
    _row("mdav", _mdav),
    _row("vmdav", _vmdav),
    _row("refined", _refined),
    _row("kpqr", _mdav),
    _row("kpqr-paper", _kpqr_paper),
    _row("rank-swap", _rank_swap),
)
