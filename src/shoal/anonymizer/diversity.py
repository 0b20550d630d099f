"""The sensitive values of a table as a method needs them, and whether any release can be diverse."""

from math import exp

import numpy as np

from shoal.errors import Infeasible
from shoal.methods.diversity import DISTINCT, ENTROPY, RECURSIVE, Diversity
from shoal.methods.ranges import Ints
from shoal.policy.guarantee import LDiversity
from shoal.policy.policy import Policy
from shoal.table.categories import categories_from_arrow
from shoal.table.table import Table

RULES = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


def method_diversity(table: Table, policy: Policy, input_rows: Ints) -> Diversity | None:
    """What the policy asks of sensitive columns; infeasible if even the whole table falls short."""
    asked = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, LDiversity)]
    if not asked:
        return None
    codes = [categories_from_arrow(table.column(one.sensitive)).codes[input_rows] for one in asked]
    rules = [(RULES[one.variant], one.l, one.c or 0.0) for one in asked]
    whole = slice(None)
    for one, column, rule in zip(asked, codes, rules, strict=True):
        if not Diversity(column[:, np.newaxis], np.array([rule])).holds(whole):
            raise Infeasible(
                f"the policy asks that {one.sentence()}; even the whole table as one class is not so",
                _smallest_change(one, np.sort(np.unique(column, return_counts=True)[1])[::-1]),
            )
    return Diversity(np.column_stack(codes), np.array(rules, np.float64))


def _smallest_change(asked: LDiversity, counts: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> str:
    """The nearest demand that this column can satisfy; ``counts`` descend."""
    column = asked.sensitive
    if asked.variant == "distinct":
        return f"{column!r} has {len(counts):,} different values: ask for l = {len(counts)} at most."
    if asked.variant == "entropy":
        shares = counts / counts.sum()
        most = exp(float(-(shares * np.log(shares)).sum()))
        return f"ask for l = {int(most * 100) / 100:g} at most, or for distinct l-diversity."
    tail = int(counts[int(asked.l) - 1 :].sum())
    if not tail:
        return f"{column!r} has {len(counts):,} different values: ask for l = {len(counts)} at most."
    return f"ask for a c above {counts[0] / tail:.4g}, or for a smaller l."
