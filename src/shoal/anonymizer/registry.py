"""The methods that make a release: what each serves, its options, and how to call it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shoal.methods.aggranon import Within, aggranon
from shoal.methods.aggregate import Aggregate, WeightedSum
from shoal.methods.candidates import Floats
from shoal.methods.keyed_hash import Key
from shoal.methods.mondrian import mondrian
from shoal.methods.ranges import Ints, Ranges
from shoal.methods.residual import residual, residual_of_any


@dataclass(frozen=True)
class Request:
    """What every range-publishing method is given: numbers, never files or policies."""

    values: Ints
    k: int
    key: Key
    costs: Floats  # what one unit of width costs, per column
    aggregates: tuple[Aggregate | WeightedSum, ...] = ()
    within: Within | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MethodRow:
    name: str
    serves: tuple[str, ...]  # kinds of guarantee
    at_most: int  # how many of them at once
    options: dict[str, type]
    run: Callable[[Request], Ranges]


def _aggranon(request: Request) -> Ranges:
    (aggregate,) = request.aggregates
    return aggranon(request.values, aggregate, request.k, request.key, request.within)


def _residual(request: Request) -> Ranges:
    (aggregate,) = request.aggregates
    common = (request.k, request.key, request.costs, request.within)
    if isinstance(aggregate, WeightedSum):
        return residual(request.values, aggregate, *common, **request.options)
    return residual_of_any(request.values, aggregate, *common)


def _mondrian(request: Request) -> Ranges:
    return mondrian(request.values, request.k, request.key, **request.options)


METHODS = (
    MethodRow("residual", ("kf-anonymity",), 1, {"subsets": int}, _residual),
    MethodRow("aggranon", ("kf-anonymity",), 1, {}, _aggranon),
    MethodRow(
        "mondrian",
        ("k-anonymity", "kf-anonymity"),
        99,
        {"relaxed": bool, "textbook": bool},
        _mondrian,
    ),
)
