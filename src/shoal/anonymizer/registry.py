"""The methods that make a release: what each serves, its options, and how to call it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shoal.methods.aggranon import aggranon
from shoal.methods.aggregate import WeightedSum
from shoal.methods.aligned import aligned
from shoal.methods.candidates import Floats
from shoal.methods.cluster import cluster
from shoal.methods.common_cell import Costs
from shoal.methods.datafly import datafly
from shoal.methods.diversity import Diversity
from shoal.methods.incognito import incognito
from shoal.methods.keyed_hash import Key
from shoal.methods.knowledge import Known, Within
from shoal.methods.lattice import Lattice, Node
from shoal.methods.mondrian import mondrian
from shoal.methods.optimal import optimal
from shoal.methods.ranges import Ints, Ranges
from shoal.methods.residual import residual
from shoal.methods.samarati import samarati


@dataclass(frozen=True)
class Request:
    """What every range-publishing method is given: numbers, never files or policies."""

    values: Ints
    k: int
    key: Key
    costs: Floats  # what one unit of width costs, per column
    known: Known
    domain: tuple[Ints, Ints]
    within: Within | None = None
    diversity: Diversity | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupRequest:
    """What every method is given that groups records for labels, ranges and sets."""

    values: Ints  # numbers, or places of leaves in the order of their hierarchy
    k: int
    key: Key
    costs: Costs
    diversity: Diversity | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MethodRow:
    """``options`` maps names to a type or to the words that may be chosen; ``joint`` says that several
    attackers, each with several aggregates and columns, can be served at once; ``sums_only`` that the
    aggregate must be a sum."""

    name: str
    serves: tuple[str, ...]  # kinds of guarantee
    options: dict[str, type | tuple[str, ...]]
    run: Callable[[Request], Ranges] | None = None
    search: Callable[[Lattice, int], list[Node]] | None = None  # full-domain: the nodes found, best first
    group: Callable[[GroupRequest], Ranges] | None = None  # local: classes and their tight boxes
    joint: bool = False
    sums_only: bool = False


def _aggranon(request: Request) -> Ranges:
    (f,) = request.known.aggregates
    return aggranon(request.values, f, request.k, request.key, request.within, request.diversity)


def _aligned(request: Request) -> Ranges:
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


def _residual(request: Request) -> Ranges:
    return residual(
        request.values,
        request.known,
        request.k,
        request.key,
        request.costs,
        request.within,
        request.diversity,
        **request.options,
    )


def _mondrian(request: Request) -> Ranges:
    return mondrian(
        request.values, request.k, request.key, diversity=request.diversity, **_without_cells(request.options)
    )


def _mondrian_labels(request: GroupRequest) -> Ranges:
    return mondrian(
        request.values,
        request.k,
        request.key,
        diversity=request.diversity,
        costs=request.costs,
        **_without_cells(request.options),
    )


def _cluster(request: GroupRequest) -> Ranges:
    return cluster(request.values, request.k, request.key, request.costs, request.diversity)


def _without_cells(options: dict[str, Any]) -> dict[str, Any]:
    """How cells are written is not the method's own business."""
    return {name: value for name, value in options.items() if name != "cells"}


AGGREGATE = ("kf-anonymity", "l-diversity", "p-sensitivity")  # on classes of one F
CLASSIC = ("k-anonymity", "l-diversity", "p-sensitivity", "alpha-k-anonymity")  # on identical quasi cells
CELLS = ("labels", "sets")  # how a class shows the columns that have a hierarchy


def _one(search: Callable[[Lattice, int], Node | None]) -> Callable[[Lattice, int], list[Node]]:
    """A search for one node, as a list."""
    return lambda lattice, limit: [node for node in [search(lattice, limit)] if node is not None]


METHODS = (
    MethodRow("residual", AGGREGATE, {"subsets": int}, _residual, joint=True),
    MethodRow("aggranon", AGGREGATE, {}, _aggranon),
    MethodRow(
        "aligned",
        AGGREGATE,
        {"draw": ("blind", "eligible")},
        _aligned,
        sums_only=True,
    ),
    MethodRow(
        "mondrian",
        ("k-anonymity", "kf-anonymity", "l-diversity", "p-sensitivity", "alpha-k-anonymity"),
        {"relaxed": bool, "textbook": bool, "cells": CELLS},
        _mondrian,
        group=_mondrian_labels,
        joint=True,
    ),
    MethodRow("cluster", CLASSIC, {"cells": CELLS}, group=_cluster, joint=True),
    MethodRow("optimal", CLASSIC, {}, search=_one(optimal), joint=True),
    MethodRow("incognito", CLASSIC, {}, search=incognito, joint=True),
    MethodRow("samarati", CLASSIC, {}, search=_one(samarati), joint=True),
    MethodRow("datafly", CLASSIC, {}, search=_one(datafly), joint=True),
)
