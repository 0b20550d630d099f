"""Which records match a condition: surely, possibly or never.

SQL knows three outcomes; of a generalized record several may be possible. Conditions are combined as if their
parts did not depend on each other, which is safe, and exact unless a ranged column occurs in several of them.
A condition on one column of words is decided as a whole, for each word that a cell may stand for.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from shoal.arrays import Bools
from shoal.query.generalized.column import WordCells
from shoal.query.generalized.database import GeneralizedDatabase
from shoal.query.generalized.label_ends import LAST
from shoal.query.generalized.value import Value, all_exact, expression_value, null_as_false
from shoal.query.sql_text import sql_text
from shoal.query.syntax import trusted_sql
from shoal.table.columns.arrow_numpy import numpy_from_arrow

Outcomes = tuple[exp.Expression, exp.Expression, exp.Expression]


@dataclass(frozen=True)
class ConditionTruth:
    """For each record, which of SQL's three outcomes are possible."""

    true: Bools
    false: Bools
    null: Bools

    @property
    def sure(self) -> Bools:
        return np.asarray(self.true & ~self.false & ~self.null)

    def __and__(self, other: "ConditionTruth") -> "ConditionTruth":
        null = (self.null & (other.null | other.true)) | (self.true & other.null)
        return ConditionTruth(self.true & other.true, self.false | other.false, null)

    def __invert__(self) -> "ConditionTruth":
        return ConditionTruth(self.false, self.true, self.null)

    def __or__(self, other: "ConditionTruth") -> "ConditionTruth":
        return ~(~self & ~other)


def condition_truth(tree: exp.Expression, opened: GeneralizedDatabase) -> ConditionTruth:
    """For every record, whether a condition may be true, false or null there."""
    if name := opened.words(tree):
        return _of_words(tree, name, opened)
    if not opened.generalized(tree):
        return _truth_of(opened.ask(_as_truth(opened.stored(tree)))[0])
    match tree:
        case exp.Paren():
            return condition_truth(tree.this, opened)
        case exp.Not():
            return ~condition_truth(tree.this, opened)
        case exp.And():
            return condition_truth(tree.this, opened) & condition_truth(tree.expression, opened)
        case exp.Or():
            return condition_truth(tree.this, opened) | condition_truth(tree.expression, opened)
        case exp.Between() if not tree.args.get("symmetric"):
            low, high = (tree.args[end].copy() for end in ("low", "high"))
            return condition_truth(exp.GTE(this=tree.this.copy(), expression=low), opened) & condition_truth(
                exp.LTE(this=tree.this.copy(), expression=high), opened
            )
    true, false, null = (null_as_false(outcome) for outcome in _outcomes(tree, opened))
    return ConditionTruth(*(numpy_from_arrow(found) for found in opened.ask(true, false, null)))


def _as_truth(tree: exp.Expression) -> exp.Expression:
    return exp.cast(tree.copy(), "boolean")


def _truth_of(true: pa.Array) -> ConditionTruth:
    return ConditionTruth(
        numpy_from_arrow(true.fill_null(False)),
        numpy_from_arrow(pc.invert(true).fill_null(False)),
        numpy_from_arrow(true.is_null()),
    )


def _of_words(tree: exp.Expression, name: str, opened: GeneralizedDatabase) -> ConditionTruth:
    """Each word is asked once; a cell has every outcome that one of its words has."""
    column = opened.columns[name]
    assert isinstance(column, WordCells)  # noqa: S101 - `Opened.words` says so
    owners, found = opened.ask_leaves(_as_truth(tree), name)
    leaves = _truth_of(found)
    by_code = []
    for outcome in (leaves.true, leaves.false, leaves.null):
        possible = column.anything.copy()
        possible[owners[outcome]] = True
        by_code.append(possible[column.codes])
    return ConditionTruth(*by_code)


def _outcomes(tree: exp.Expression, opened: GeneralizedDatabase) -> Outcomes:
    """Where each outcome of a comparison is possible."""
    if (compare := COMPARISONS.get(type(tree))) is not None:
        return _compared(
            compare, expression_value(tree.this, opened), expression_value(tree.expression, opened)
        )
    match tree:
        case exp.In() if all(map(_is_number, tree.expressions)):
            return _among_numbers(expression_value(tree.this, opened), tree.expressions)
        case exp.In():
            return _among(
                expression_value(tree.this, opened),
                [expression_value(one, opened) for one in tree.expressions],
            )
        case exp.Is() if isinstance(tree.expression, exp.Null):
            found = expression_value(tree.this, opened)
            missing = exp.Is(this=found.low.copy(), expression=exp.null())
            return exp.or_(found.unknown, missing), exp.or_(found.unknown, exp.not_(missing)), exp.false()
        case exp.Like() if (beginning := _beginning(tree.expression)) is not None:
            ends = [exp.Literal.string(end) for end in (beginning, beginning + LAST)]
            return _in_range(expression_value(tree.this, opened), ends[0], ends[1])
    return _undecided(tree, opened)


def _compared(compare: "Compare", left: Value, right: Value) -> Outcomes:
    unknown = exp.or_(left.unknown, right.unknown)
    true, false = compare(left, right)
    null = exp.or_(*(exp.Is(this=one.low.copy(), expression=exp.null()) for one in (left, right)))
    true, false, null = (exp.or_(unknown.copy(), null_as_false(one)) for one in (true, false, null))
    return true, false, null


def _among(value: Value, listed: list[Value]) -> Outcomes:
    """The value may equal one of them, and may differ from each of them."""
    each = [_compared(_equal, value, one) for one in listed]
    true, false, null = zip(*each, strict=True)
    return exp.or_(*true), exp.and_(*false), exp.or_(*null)


def _is_number(tree: exp.Expression) -> bool:
    number = tree.this if isinstance(tree, exp.Neg) else tree
    return isinstance(number, exp.Literal) and not number.is_string


def _among_numbers(value: Value, listed: list[exp.Expression]) -> Outcomes:
    """The same for constants, however many: the engine looks whether one of them lies between the ends."""
    low, high = (f"({sql_text(end)})" for end in (value.low, value.high))
    numbers = ", ".join(map(sql_text, listed))
    inside = f"LAMBDA number : number >= {low} AND number <= {high}"
    true, false, null = (
        exp.or_(value.unknown.copy(), null_as_false(trusted_sql(outcome)))
        for outcome in (
            f"LEN(LIST_FILTER([{numbers}], {inside})) > 0",
            f"{low} < {high} OR NOT {low} IN ({numbers})",
            f"{low} IS NULL",
        )
    )
    return true, false, null


def _in_range(value: Value, low: exp.Expression, high: exp.Expression) -> Outcomes:
    first, last = Value(low, low, exp.false()), Value(high, high, exp.false())
    above, below = _compared(_at_least, value, first), _compared(_at_most, value, last)
    return exp.and_(above[0], below[0]), exp.or_(above[1], below[1]), above[2]


def _beginning(pattern: exp.Expression) -> str | None:
    """``271`` of the pattern ``'271%'``; None if it says more than how a word begins."""
    text = str(pattern.this) if isinstance(pattern, exp.Literal) and pattern.is_string else ""
    plain = text.endswith("%") and not set(text[:-1]) & set("%_\\")
    return text[:-1] if plain else None


def _undecided(tree: exp.Expression, opened: GeneralizedDatabase) -> Outcomes:
    """Told where all cells are exact; anything elsewhere."""
    exact = all_exact(tree, opened)
    if exact is None:
        return exp.true(), exp.true(), exp.true()
    told = exp.Case().when(exact, opened.stored(tree))
    open_ = exp.not_(exact)
    return (
        exp.or_(open_, told.copy()),
        exp.or_(open_.copy(), exp.not_(told.copy())),
        exp.or_(open_.copy(), exp.Is(this=told.copy(), expression=exp.null())),
    )


Compare = Callable[[Value, Value], tuple[exp.Expression, exp.Expression]]  # can be true, can be false


def _below(left: Value, right: Value) -> tuple[exp.Expression, exp.Expression]:
    return left.low < right.high, left.high >= right.low


def _at_most(left: Value, right: Value) -> tuple[exp.Expression, exp.Expression]:
    return left.low <= right.high, left.high > right.low


def _at_least(left: Value, right: Value) -> tuple[exp.Expression, exp.Expression]:
    return _at_most(right, left)


def _equal(left: Value, right: Value) -> tuple[exp.Expression, exp.Expression]:
    meet = exp.and_(left.low <= right.high, right.low <= left.high)
    one_point = exp.and_(left.low.eq(right.high), right.low.eq(left.high))
    return meet, exp.not_(one_point)


COMPARISONS: dict[type[exp.Expression], Compare] = {
    exp.LT: _below,
    exp.LTE: _at_most,
    exp.GT: lambda left, right: _below(right, left),
    exp.GTE: _at_least,
    exp.EQ: _equal,
    exp.NEQ: lambda left, right: _equal(left, right)[::-1],
}
