"""A number of every record between two ends, by interval rules.

Ends are attained when no ranged column occurs twice. A function without a rule is told for records whose
cells are exact; elsewhere it may be anything.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.generalized.column import RangeCells
from shoal.query.generalized.database import GeneralizedDatabase
from shoal.query.syntax import trusted_sql

MOST_PRODUCTS = 4  # each of them multiplies the size of the statement
Ends = tuple[exp.Expression, exp.Expression]
RISING = (exp.Floor, exp.Ceil, exp.Round, exp.Year)


@dataclass(frozen=True)
class Value:
    """Expressions over ``data``: anything from ``low`` to ``high``, NULL where these are NULL; anything at
    all, even NULL, where ``unknown`` is true."""

    low: exp.Expression
    high: exp.Expression
    unknown: exp.Expression

    @property
    def ends(self) -> tuple[exp.Expression, ...]:
        """Both, or one where there is no difference."""
        return (self.low,) if self.low == self.high else (self.low, self.high)


def expression_value(tree: exp.Expression, opened: GeneralizedDatabase) -> Value:
    """The two ends of an expression for every record, refused where products would grow too many."""
    if sum(1 for _ in tree.find_all(exp.Mul, exp.Div)) > MOST_PRODUCTS and opened.generalized(tree):
        raise ShoalError(
            f"more than {MOST_PRODUCTS} products and quotients of generalized columns",
            "work out numbers beforehand.",
        )
    return _value(tree, opened)


def _value(tree: exp.Expression, opened: GeneralizedDatabase) -> Value:
    if not opened.generalized(tree):
        exact = opened.stored(tree)
        return Value(exact, exact, exp.false())
    if (combine := ARITHMETIC.get(type(tree))) is not None:
        return _combined(tree, combine, opened)
    match tree:
        case exp.Column() if isinstance(opened.columns[tree.name], RangeCells):
            return Value(opened.stored(tree), opened.stored(tree, "high"), opened.stored(tree, "unknown"))
        case exp.Paren():
            return _value(tree.this, opened)
        case exp.Neg():
            inner = _value(tree.this, opened)
            return Value(-inner.high, -inner.low, inner.unknown)
        case exp.Abs():
            return _size(_value(tree.this, opened))
    if isinstance(tree, RISING) and not any(map(opened.generalized, _other_parts(tree))):
        return _rising(tree, _value(tree.this, opened), opened)
    return _where_exact(tree, opened)


def _other_parts(tree: exp.Expression) -> list[exp.Expression]:
    parts = ((name, part) for name, part in tree.args.items() if name != "this")
    return [part for _, part in parts if isinstance(part, exp.Expression)]


def _combined(
    tree: exp.Expression, combine: Callable[[Value, Value], Ends], opened: GeneralizedDatabase
) -> Value:
    left, right = _value(tree.this, opened), _value(tree.expression, opened)
    low, high = combine(left, right)
    unknown = [left.unknown, right.unknown]
    if isinstance(tree, exp.Div):
        unknown.append(null_as_false(exp.and_(right.low <= 0, right.high >= 0)))
    return Value(low, high, exp.or_(*unknown))


def _product(left: Value, right: Value) -> Ends:
    return _corners([one * other for one in left.ends for other in right.ends])


def _quotient(left: Value, right: Value) -> Ends:
    """A quotient, where the divisor cannot be 0."""
    corners = _corners([one / other for one in left.ends for other in right.ends])
    never_zero = exp.or_(right.low > 0, right.high < 0)
    low, high = (exp.Case().when(never_zero.copy(), end) for end in corners)
    return low, high


def _corners(corners: list[exp.Expression]) -> Ends:
    least, most = (exp.func(name, *(one.copy() for one in corners)) for name in ("LEAST", "GREATEST"))
    return least, most


def _size(inner: Value) -> Value:
    low, high = inner.low, inner.high
    least = exp.func("GREATEST", low.copy(), -high, exp.Literal.number(0))
    none = exp.Is(this=low.copy(), expression=exp.null())
    return Value(
        exp.Case().when(none, exp.null()).else_(least), exp.func("GREATEST", -low, high.copy()), inner.unknown
    )


def _rising(tree: exp.Expression, inner: Value, opened: GeneralizedDatabase) -> Value:
    """A function that keeps the order keeps the ends."""
    ends = []
    for end in (inner.low, inner.high):
        part = tree.copy()
        for name, other in tree.args.items():
            if name != "this" and isinstance(other, exp.Expression):
                part.set(name, opened.stored(other))
        part.set("this", end.copy())
        ends.append(part)
    return Value(ends[0], ends[1], inner.unknown)


def _where_exact(tree: exp.Expression, opened: GeneralizedDatabase) -> Value:
    exact = all_exact(tree, opened)
    if exact is None:
        return Value(exp.null(), exp.null(), exp.true())
    value = exp.Case().when(exact, opened.stored(tree))
    return Value(value, value, exp.not_(exact))


def all_exact(tree: exp.Expression, opened: GeneralizedDatabase) -> exp.Expression | None:
    """The condition that all cells an expression reads are exact; None if it reads words, which have no
    ends."""
    names = opened.generalized(tree)
    if not all(isinstance(opened.columns[name], RangeCells) for name in names):
        return None
    places = [opened.place(name) for name in names]
    parts = (f"NOT unknown_{at} AND low_{at} IS NOT DISTINCT FROM high_{at}" for at in places)
    return exp.and_(*(trusted_sql(part) for part in parts))


def null_as_false(tree: exp.Expression) -> exp.Expression:
    """True where it is true, false elsewhere."""
    return exp.func("COALESCE", tree, exp.false())


ARITHMETIC: dict[type[exp.Expression], Callable[[Value, Value], Ends]] = {
    exp.Add: lambda left, right: (left.low + right.low, left.high + right.high),
    exp.Sub: lambda left, right: (left.low - right.high, left.high - right.low),
    exp.Mul: _product,
    exp.Div: _quotient,
}
