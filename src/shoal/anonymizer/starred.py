"""Cells replaced by stars: every other cell is published as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized import Anonymized
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.diversity import method_diversity
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.labels import Labelled, fit_labels
from shoal.anonymizer.recode import as_it_was
from shoal.methods.codes import numbered
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.ranges import Ints
from shoal.methods.suppress_cells import Stars
from shoal.policy.guarantee import KAnonymity
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.table import Table

STAR = "*"


def star_table(table: Table, policy: Policy, key: Key, choice: Choice) -> Anonymized:
    labelled = fit_labels(table, policy)
    assert choice.method.stars is not None  # noqa: S101 - it is called for such methods only
    stars, notes = _stars(choice.method.stars, table, labelled, policy, key)
    rows = np.flatnonzero(stars.kept)
    order = rows[np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[labelled.input_rows[rows]])]
    shown = np.where(stars.starred, 0, labelled.codes + 1)[order]
    classes = numbered(list(shown.T))
    suppressed = len(table) - len(order)
    per_column = stars.starred[rows].sum(axis=0)
    ncp = (len(stars) + suppressed * len(labelled.names)) / (len(table) * len(labelled.names))
    return Anonymized(
        table=_published(table, policy, labelled, stars, order),
        input_rows=labelled.input_rows[order],
        class_of=classes,
        classes=int(classes.max()) + 1,
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        loss={"ncp": ncp, "ncp_range": ncp},
        exact_cells=1 - len(stars) / shown.size,
        paid={name: float(count / max(len(stars), 1))
              for name, count in zip(labelled.names, per_column, strict=True)},
        fallen=0.0,
        starred=len(stars),
        notes=(_per_column(labelled.names, per_column), *notes),
    )  # fmt: skip


def _stars(
    method: Callable[..., Stars], table: Table, labelled: Labelled, policy: Policy, key: Key
) -> tuple[Stars, list[str]]:
    """The stars under the reading that the policy asks for, and what to say about it."""
    k = smallest_class(policy)
    weights = np.array([policy.method.weights.get(name, 1.0) for name in labelled.names])
    limit = policy.method.most_suppressed(len(table)) - (len(table) - len(labelled))
    diversity = method_diversity(table, policy, labelled.input_rows)
    own = method(labelled.codes, k, key, weights, diversity, min(limit, len(labelled) - k), matching=False)
    if not any(isinstance(asked, KAnonymity) and asked.stars == "any" for asked in policy.guarantees):
        return own, []
    found = method(labelled.codes, k, key, weights, matching=True)
    everyone = (k - 1) * len(labelled.names)
    return found, [
        f"{len(found):,} stars, since a star matches anything; {len(own):,} if it is a value of its own",
        f"a star that matches anything protects little: {k - 1:,} records of nothing but stars, {everyone:,} "
        "in all, would satisfy this reading",
    ]


def _per_column(names: list[str], counts: Ints) -> str:
    told = [f"{name} {count:,}" for name, count in zip(names, counts.tolist(), strict=True) if count]
    return f"stars: {', '.join(told) or 'none'}"


def _published(table: Table, policy: Policy, labelled: Labelled, stars: Stars, order: Ints) -> pa.Table:
    """Columns with stars become text; the others stay as they are; identifiers are left out."""
    rows = labelled.input_rows[order]
    columns: dict[str, Any] = {}
    for name in table.names:
        if policy.columns[name] == "identifier":
            continue
        columns[name] = as_it_was(table, policy, name, rows)
        if policy.columns[name] == "quasi":
            starred = stars.starred[order, labelled.names.index(name)]
            if starred.any():
                column = columns[name]
                if pa.types.is_dictionary(column.type):
                    column = column.cast(column.type.value_type)
                columns[name] = pc.if_else(arrow_from_numpy(starred), STAR, column.cast(pa.string()))
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))
