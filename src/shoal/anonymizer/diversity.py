"""The sensitive values of a table as a method needs them, and whether any release can be diverse."""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from shoal.errors import Infeasible
from shoal.methods import diversity as rules
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ints
from shoal.policy.guarantee import AlphaKAnonymity, Guarantee, LDiversity, PSensitivity
from shoal.policy.policy import Policy
from shoal.table.categories import Categories
from shoal.table.table import Table

VARIANTS = {
    "distinct": rules.DISTINCT,
    "entropy": rules.ENTROPY,
    "recursive": rules.RECURSIVE,
    "pd-recursive": rules.PD_RECURSIVE,
    "npd-recursive": rules.NPD_RECURSIVE,
}


@dataclass(frozen=True)
class _Demand:
    """What one guarantee asks of one sensitive column."""

    asked: Guarantee
    column: str
    rule: float
    l: float = 0.0
    c: float = 0.0
    c2: float = 0.0
    allowed: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()

    def row(self, words: tuple[str | None, ...], width: int) -> list[float]:
        marks = [rules.ALLOWED * (word in self.allowed) + rules.PROTECTED * (word in self.protected)
                 for word in words]  # fmt: skip
        return [self.rule, self.l, self.c, self.c2, *marks, *[0] * (width - len(marks))]


def method_diversity(table: Table, policy: Policy, input_rows: Ints) -> Diversity | None:
    """What the policy asks of sensitive columns; infeasible if even the whole table falls short."""
    demands = [demand for asked in policy.guarantees for demand in _demands(asked, policy)]
    if not demands:
        return None
    columns = {demand.column: table.words(demand.column) for demand in demands}
    width = max(len(column.words) for column in columns.values())
    codes = np.column_stack([columns[demand.column].codes[input_rows] for demand in demands]).astype(np.int64)
    found = np.array([demand.row(columns[demand.column].words, width) for demand in demands])
    for at, demand in enumerate(demands):
        absent = set(demand.protected) - {
            columns[demand.column].words[code] for code in set(codes[:, at].tolist())
        }
        if absent or not Diversity(codes[:, [at]], found[[at]]).holds(slice(None)):
            raise Infeasible(
                f"the policy asks that {demand.asked.sentence()}; even the whole table as one class fails",
                _smallest_change(demand, columns[demand.column], codes[:, at]),
            )
    return Diversity(codes, found)


def _demands(asked: Guarantee, policy: Policy) -> list[_Demand]:
    match asked:
        case LDiversity():
            numbers = (asked.l, asked.c or 0.0, asked.c2 or 0.0)
            lists = (asked.allowed, asked.protected)
            return [_Demand(asked, asked.sensitive, VARIANTS[asked.variant], *numbers, *lists)]
        case PSensitivity():
            return [_Demand(asked, name, rules.DISTINCT, asked.p) for name in policy.having("sensitive")]
        case AlphaKAnonymity():
            share = float(asked.alpha)
            return [_Demand(asked, name, rules.ALPHA, c=share) for name in policy.having("sensitive")]
    return []


def _smallest_change(demand: _Demand, column: Categories, codes: Any) -> str:
    """The nearest demand that this column can satisfy."""
    counts = np.sort(np.unique(codes, return_counts=True)[1])[::-1]
    name, several = demand.column, f"{demand.column!r} has {len(counts):,} different values"
    tail = int(counts[max(int(demand.l) - 1, 0) :].sum())
    match demand.rule:
        case rules.DISTINCT:
            return f"{several}: ask for {len(counts)} of them at most."
        case rules.ENTROPY:
            shares = counts / counts.sum()
            most = exp(float(-(shares * np.log(shares)).sum()))
            return f"ask for l = {int(most * 100) / 100:g} at most, or for distinct l-diversity."
        case rules.ALPHA:
            return f"the most frequent value of {name!r} has a share of {counts[0] / counts.sum():.4g}: \
ask for no less."
        case rules.RECURSIVE if tail:
            return f"ask for a c above {counts[0] / tail:.4g}, or for a smaller l."
        case rules.RECURSIVE:
            return f"{several}: ask for l = {len(counts)} at most."
    known = {column.words[code] for code in set(codes.tolist())}
    if unknown := [word for word in demand.protected if word not in known]:
        return f"{len(unknown)} protected values do not occur in {name!r}: take them out of the list."
    return "ask for a larger c, or for a smaller l or c2."
