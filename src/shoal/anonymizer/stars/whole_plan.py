"""Cells replaced by stars: every other cell is published as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.leaf_matrix import LeafMatrix, fit_leaves
from shoal.anonymizer.levels.whole_plan import column_in_one_spelling
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.diversity import Diversity
from shoal.methods.stars.suppress_cells import Stars
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.table import Table

STAR = "*"


def star_table(table: Table, policy: Policy, key: Key, choice: Choice) -> AnonymizedTable:
    labelled = fit_leaves(table, policy)
    assert choice.method.stars is not None  # noqa: S101 - it is called for such methods only
    limit = policy.method.most_suppressed(len(table)) - (len(table) - len(labelled))
    diversity = method_diversity(table, policy, labelled.input_rows)
    stars, own = find_stars(
        choice.method.stars, labelled.codes, labelled.names, policy, key, diversity, limit
    )
    rows = np.flatnonzero(stars.kept)
    order = rows[np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[labelled.input_rows[rows]])]
    shown = np.where(stars.starred, 0, labelled.codes + 1)[order]
    classes = dense_codes(list(shown.T))
    suppressed = len(table) - len(order)
    per_column = stars.starred[rows].sum(axis=0)
    starred = dict(zip(labelled.names, per_column.tolist(), strict=True))
    return AnonymizedTable(
        table=_published(table, policy, labelled, stars, order),
        input_rows=labelled.input_rows[order],
        class_of=classes,
        classes=int(classes.max()) + 1,
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        fallen=0.0,
        starred=len(stars),
        notes=star_notes(policy, starred, len(own)),
        **star_losses(starred, len(table), suppressed),
    )


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


def _published(table: Table, policy: Policy, labelled: LeafMatrix, stars: Stars, order: Ints) -> pa.Table:
    """Columns with stars become text; the others stay as they are; identifiers are left out."""
    rows = labelled.input_rows[order]
    columns: dict[str, Any] = {}
    for name in table.names:
        if not policy.publishes(name):
            continue
        columns[name] = column_in_one_spelling(table, policy, name, rows)
        if policy.columns[name] == "quasi":
            starred = stars.starred[order, labelled.names.index(name)]
            if starred.any():
                columns[name] = column_with_stars(columns[name], arrow_from_numpy(starred))
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def column_with_stars(column: Any, starred: Any) -> Any:
    """A column as text, with stars where they belong."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.if_else(starred, STAR, column.cast(pa.string()))
