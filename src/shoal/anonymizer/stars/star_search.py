"""Which cells become stars, what that loses, and what is said of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.fit import smallest_class
from shoal.kernels.keyed_hash import Key
from shoal.methods.diversity import Diversity
from shoal.methods.stars.suppress_cells import Stars
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy

STAR = "*"


def find_stars(
    method: Callable[..., Stars],
    codes: Any,
    names: list[str],
    policy: Policy,
    key: Key,
    diversity: Diversity | None,
    limit: int,
) -> tuple[Stars, Stars]:
    """The stars under the reading that the policy asks for, and if a star were a value of its own. At most
    ``limit`` records may leave."""
    k = smallest_class(policy)
    weights = np.array([policy.method.weights.get(name, 1.0) for name in names])
    own = method(codes, k, key, weights, diversity, min(limit, len(codes) - k), matching=False)
    return (method(codes, k, key, weights, matching=True) if stars_match(policy) else own), own


def stars_match(policy: Policy) -> bool:
    """May a star stand for anything?"""
    return any(isinstance(asked, KAnonymity) and asked.stars == "any" for asked in policy.guarantees)


def star_losses(starred: dict[str, int], rows: int, suppressed: int) -> dict[str, Any]:
    """Figures of so many stars per column among so many rows of the input."""
    stars, columns = sum(starred.values()), len(starred)
    ncp = (stars + suppressed * columns) / (rows * columns)
    return {
        "loss": {"ncp": ncp, "ncp_range": ncp},
        "exact_cells": 1 - stars / ((rows - suppressed) * columns),
        "paid": {name: count / max(stars, 1) for name, count in starred.items()},
    }


def star_notes(policy: Policy, starred: dict[str, int], own: int) -> tuple[str, ...]:
    """Stars per column, and what to say about the reading; ``own`` is how many the other one takes."""
    told = [f"{name} {count:,}" for name, count in starred.items() if count]
    per_column = f"stars: {', '.join(told) or 'none'}"
    if not stars_match(policy):
        return (per_column,)
    k = smallest_class(policy)
    return (
        per_column,
        f"{sum(starred.values()):,} stars, since a star matches anything; {own:,} if it is a value of its "
        "own",
        f"a star that matches anything protects little: {k - 1:,} records of nothing but stars, "
        f"{(k - 1) * len(starred):,} in all, would satisfy this reading",
    )


def column_with_stars(column: Any, starred: Any) -> Any:
    """A column as text, with stars where they belong."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.if_else(starred, STAR, column.cast(pa.string()))
