"""The sensitive values of a table as a method needs them, and whether any release can be diverse."""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from shoal.anonymizer.sensitive.value_order import value_order
from shoal.arrays import Floats, Ints
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.codes import dense_codes
from shoal.methods import diversity as rules
from shoal.methods.diversity import Diversity
from shoal.policy.model.guarantee import AlphaKAnonymity, Guarantee, LDiversity, PSensitivity, TCloseness
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.same_value import value_of
from shoal.table.columns.word_set import STAR, words_in
from shoal.table.table import Table

VARIANTS = {
    "distinct": rules.DISTINCT,
    "entropy": rules.ENTROPY,
    "recursive": rules.RECURSIVE,
    "pd-recursive": rules.PD_RECURSIVE,
    "npd-recursive": rules.NPD_RECURSIVE,
}
MOST_VALUES = 100_000


@dataclass(frozen=True)
class SensitiveDemand:
    """What one guarantee asks of one sensitive column, while others may be known."""

    asked: Guarantee
    column: str
    rule: float
    l: float = 0.0
    c: float = 0.0
    c2: float = 0.0
    allowed: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.column, *self.known


@dataclass(frozen=True)
class CodedDemand:
    """A demand in numbers: the code of every record, and the rule with its marks, as long as they are."""

    demand: SensitiveDemand
    codes: Ints
    rule: list[float]
    marks: list[float]
    borders: list[float]

    def row(self, width: int) -> list[float]:
        room = [0.0] * (width - len(self.marks))
        return [*self.rule, *self.marks, *room, *self.borders, *room]

    @property
    def values(self) -> int:
        return len(self.marks)


def method_diversity(
    table: Table, policy: Policy, input_rows: Ints, may_leave: bool = False
) -> Diversity | None:
    """What the policy asks of sensitive columns; infeasible if even the whole table falls short and no
    record may leave it."""
    demands = sensitive_demands(policy)
    if not demands:
        return None
    columns = {name: table.words(name) for name in columns_in_demands(policy)}
    weights = None if table.counts is None else table.counts[input_rows]
    coded = [coded_demand(demand, columns, policy, input_rows, weights, may_leave) for demand in demands]
    return Diversity(np.column_stack([one.codes for one in coded]), demand_rules(coded))


def coded_demand(
    demand: SensitiveDemand,
    columns: dict[str, Categories],
    policy: Policy,
    input_rows: Ints,
    weights: Ints | None,
    may_leave: bool = False,
) -> CodedDemand:
    """One demand in numbers, infeasible as above; ``weights`` says for how many records each row stands."""
    _refuse_signs(demand, columns, input_rows, weights)
    coded = _coded(demand, columns, policy, input_rows, weights)
    column = columns[demand.column]
    own = column.codes[input_rows]
    absent = set(demand.protected) - {column.words[code] for code in set(own.tolist())}
    alone = Diversity(coded.codes[:, np.newaxis], demand_rules([coded]))
    if absent or not (may_leave or alone.holds(slice(None), weights)):
        raise Infeasible(
            f"the policy asks that {policy.sentence_of(demand.asked)}; even the whole table as one class "
            "fails",
            _smallest_change(demand, column, own, weights),
        )
    return coded


def _refuse_signs(
    demand: SensitiveDemand, columns: dict[str, Categories], input_rows: Ints, weights: Ints | None
) -> None:
    """A sensitive word is published as it is; one that a recipient reads as a suppressed cell, or as a set of
    another word, would count as a value here and as none, or as the other, there."""
    for name in demand.columns:
        column = columns[name]
        signs = [code for code, word in enumerate(column.words) if word is not None and _is_sign(word)]
        if not signs:
            continue
        found = np.isin(column.codes[input_rows], signs)
        if rows := int((found if weights is None else weights[found]).sum()):
            raise ShoalError(
                f"the sensitive {name!r} holds cells ({rows:,} or more) that are a star or a word in braces: "
                "in a release a star is a suppressed cell, and braces are a set",
                "write another word for them (unknown, say), or leave them empty.",
            )


def _is_sign(word: str) -> bool:
    """
    >>> [_is_sign(word) for word in ("*", "{flu}", "{flu, gout}", "*x")]
    [True, True, False, False]
    """
    return word == STAR or len(words_in(word) or ()) == 1


def demand_rules(coded: list[CodedDemand]) -> Floats:
    """A row per demand, with room for the marks of all values."""
    width = max(one.values for one in coded)
    return np.array([one.row(width) for one in coded])


def sensitive_demands(policy: Policy) -> list[SensitiveDemand]:
    """What each guarantee asks of each sensitive column."""
    return [demand for asked in policy.guarantees for demand in _demands(asked, policy)]


def columns_in_demands(policy: Policy) -> list[str]:
    """The sensitive columns of which the policy asks something, or which are known beside them."""
    return list(dict.fromkeys(name for demand in sensitive_demands(policy) for name in demand.columns))


def _values(words: tuple[str, ...]) -> tuple[str, ...]:
    """A value is listed however it is spelt."""
    return tuple(value for word in words if (value := value_of(word)) is not None)


def _demands(asked: Guarantee, policy: Policy) -> list[SensitiveDemand]:
    match asked:
        case LDiversity():
            numbers = (asked.l, asked.c or 0.0, asked.c2 or 0.0)
            lists = (_values(asked.allowed), _values(asked.protected))
            return [
                SensitiveDemand(asked, name, VARIANTS[asked.variant], *numbers, *lists,
                        known=policy.known_beside(asked, name))
                for name in asked.columns
            ]  # fmt: skip
        case PSensitivity():
            return [
                SensitiveDemand(asked, name, rules.DISTINCT, asked.p) for name in policy.having("sensitive")
            ]
        case AlphaKAnonymity():
            share = float(asked.alpha)
            return [SensitiveDemand(asked, name, rules.ALPHA, c=share) for name in policy.having("sensitive")]
        case TCloseness():
            rule = rules.T_ORDERED if asked.distance == "ordered" else rules.T_NESTED
            return [SensitiveDemand(asked, asked.sensitive, rule, c=float(asked.t))]
    return []


def _coded(
    demand: SensitiveDemand,
    columns: dict[str, Categories],
    policy: Policy,
    input_rows: Ints,
    weights: Ints | None,
) -> CodedDemand:
    column = columns[demand.column]
    if isinstance(demand.asked, TCloseness):
        return _coded_close(demand, demand.asked, column, policy, input_rows, weights)
    codes, values, block = column.codes[input_rows].astype(np.int64), len(column.words), 0
    if demand.known:
        known = dense_codes([columns[name].codes[input_rows] for name in demand.known])
        codes, block = known * values + codes, values
        values *= int(known.max(initial=0)) + 1
        _bounded(demand, values)
    marks = [
        float(rules.ALLOWED * (word in demand.allowed) + rules.PROTECTED * (word in demand.protected))
        for word in column.words
    ]
    marks += [0.0] * (values - len(marks))  # every block has the marks of the first
    return CodedDemand(
        demand, codes, [demand.rule, demand.l, demand.c, demand.c2, block], marks, [0.0] * values
    )


def _bounded(demand: SensitiveDemand, values: int) -> None:
    if values > MOST_VALUES:
        raise Infeasible(
            f"{demand.column!r} and the sensitive columns known beside it have {values:,} combinations of "
            f"values, more than {MOST_VALUES:,}",
            "ask for each column alone, or group their values first.",
        )


def _coded_close(
    demand: SensitiveDemand,
    asked: TCloseness,
    column: Categories,
    policy: Policy,
    input_rows: Ints,
    weights: Ints | None,
) -> CodedDemand:
    placed = value_order(asked, column, policy)
    codes = placed.of_word[column.codes[input_rows]]
    whole = np.bincount(codes, weights, len(placed.borders)).astype(float).tolist()
    return CodedDemand(demand, codes, [demand.rule, placed.levels, demand.c, 0.0, 0], whole, placed.borders)


def _smallest_change(demand: SensitiveDemand, column: Categories, codes: Any, weights: Ints | None) -> str:
    """The nearest demand that this column can satisfy."""
    counts = np.sort(np.bincount(codes, weights).astype(np.int64))[::-1]
    counts = counts[counts > 0]
    name, several = demand.column, f"{demand.column!r} has {len(counts):,} different values"
    if demand.known:
        return "ask for each of the columns alone, or for a smaller l."
    if len(counts) == 1:
        return f"{name!r} has the same value in every record, which nothing can hide: give it another role."
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
        case _ if not tail:
            return f"{several}: ask for l = {len(counts)} at most."
        case rules.RECURSIVE:
            return f"ask for a c above {counts[0] / tail:.4g}, or for a smaller l."
    known = {column.words[code] for code in set(codes.tolist())}
    if unknown := [word for word in demand.protected if word not in known]:
        return f"{len(unknown)} protected values do not occur in {name!r}: take them out of the list."
    return "ask for a larger c, or for a smaller l or c2."
