"""What an attacker may know about a record: an aggregate, written as an expression over columns.

``salary + 0.5 * "capital gains" - max(loan, mortgage)`` is parsed to a small syntax tree; nothing
is ever evaluated as code. Columns whose names are not plain words stand in double quotes or
backticks. Each column occurs once, so that the image of a box is exact, interval by interval.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from shoal.errors import ShoalError

FUNCTIONS = ("sum", "avg", "min", "max", "median", "product", "norm")
NOT_MONOTONE = ("var", "variance", "std", "stddev", "stdev", "abs", "range", "mode", "mod", "count")
LARGEST_POWER = 4


@dataclass(frozen=True)
class ColumnTerm:
    """The value of a column."""

    name: str


@dataclass(frozen=True)
class Constant:
    """A number that is written in the expression."""

    value: Fraction


@dataclass(frozen=True)
class Negate:
    """The negative of a part."""

    part: "Expression"


@dataclass(frozen=True)
class Divide:
    """The quotient of two parts."""

    top: "Expression"
    bottom: "Expression"


@dataclass(frozen=True)
class Power:
    """A part to a whole power."""

    part: "Expression"
    exponent: int


@dataclass(frozen=True)
class Combine:
    """One of ``FUNCTIONS`` over its parts; ``a + b`` is a sum, ``a * b`` a product."""

    function: str
    parts: tuple["Expression", ...]


Expression = ColumnTerm | Constant | Negate | Divide | Power | Combine


def parse_expression(text: str) -> Expression:
    """The syntax tree of an expression; what cannot be protected is refused with the reason.

    >>> parse_expression("a + 2 * b")
    Combine(function='sum', parts=(ColumnTerm(name='a'), \
Combine(function='product', parts=(Constant(value=Fraction(2, 1)), ColumnTerm(name='b')))))
    """
    try:
        tree = _Parser(text).whole()
        names = list(columns_of(tree))
    except RecursionError:
        raise ShoalError("an expression has brackets inside brackets without end") from None
    if not names:
        raise ShoalError(f"expression {text!r} names no column", "name the columns it adds up.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ShoalError(
            f"expression {text!r} uses {', '.join(map(repr, twice))} more than once, so its range "
            "over a published record is not exact",
            "let each column occur once, or ask for k-anonymity, which protects every function.",
        )
    return tree


def columns_of(tree: Expression) -> Iterator[str]:
    """The columns an expression reads, in order."""
    match tree:
        case ColumnTerm(name):
            yield name
        case Constant():
            return
        case Negate(part) | Power(part, _):
            yield from columns_of(part)
        case Divide(top, bottom):
            yield from columns_of(top)
            yield from columns_of(bottom)
        case Combine(_, parts):
            for part in parts:
                yield from columns_of(part)


@dataclass(frozen=True)
class Linear:
    """A weighted sum of columns plus a constant."""

    weights: dict[str, Fraction]
    constant: Fraction = Fraction(0)

    def scaled(self, factor: Fraction) -> "Linear":
        weights = {name: weight * factor for name, weight in self.weights.items()}
        return Linear(weights, self.constant * factor)

    def plus(self, other: "Linear") -> "Linear":
        return Linear(self.weights | other.weights, self.constant + other.constant)


def linear_form(tree: Expression) -> Linear | None:
    """The weights of a sum, weighted sum or average; None for anything else.

    >>> linear_form(parse_expression("avg(a, b - 3)")).weights
    {'a': Fraction(1, 2), 'b': Fraction(1, 2)}
    >>> linear_form(parse_expression("max(a, b)")) is None
    True
    """
    match tree:
        case ColumnTerm(name):
            return Linear({name: Fraction(1)})
        case Constant(value):
            return Linear({}, value)
        case Negate(part):
            return _times(linear_form(part), Fraction(-1))
        case Divide(top, Constant(value)):
            return _times(linear_form(top), 1 / value)
        case Power(part, 1) | Combine(_, (part,)) if not _is_norm(tree):
            return linear_form(part)
        case Combine("sum", parts):
            return _sum_of(parts)
        case Combine("avg", parts):
            return _times(_sum_of(parts), Fraction(1, len(parts)))
        case Combine("product", (Constant(value), part) | (part, Constant(value))):
            return _times(linear_form(part), value)
    return None


def _is_norm(tree: Expression) -> bool:
    return isinstance(tree, Combine) and tree.function == "norm"


def _times(form: Linear | None, factor: Fraction) -> Linear | None:
    return None if form is None else form.scaled(factor)


def _sum_of(parts: tuple[Expression, ...]) -> Linear | None:
    total = Linear({})
    for part in parts:
        form = linear_form(part)
        if form is None:
            return None
        total = total.plus(form)
    return total


def _folded(tree: Expression) -> Expression:
    """Arithmetic of constants alone, done once: ``2 * 3 * a`` is ``6 * a``."""
    match tree:
        case Negate(Constant(value)):
            return Constant(-value)
        case Divide(Constant(top), Constant(bottom)):
            return Constant(top / bottom)
        case Combine("sum", parts):
            constants = [part.value for part in parts if isinstance(part, Constant)]
            return Constant(sum(constants, Fraction(0))) if len(constants) == len(parts) else tree
        case Combine("product", (Constant(first), Constant(second))):
            return Constant(first * second)
    return tree


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?|\.\d+)
      | (?P<quoted>"(?:[^"]|"")+"|`(?:[^`]|``)+`)
      | (?P<word>[^\W\d]\w*)
      | (?P<mark>\*\*|[-+*/^(),])
    )""",
    re.VERBOSE,
)


class _Parser:
    """Recursive descent: sum of products of powers of atoms."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.at = 0

    def _tokens(self) -> Iterator[tuple[str, str]]:
        at, end = 0, len(self.text.rstrip())
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None or found.lastgroup is None:
                odd = self.text[at:].lstrip()
                self._refuse(f"character {odd[0]!r} at position {len(self.text) - len(odd) + 1}")
            yield found.lastgroup, found[found.lastgroup]
            at = found.end()

    def _refuse(self, where: str) -> NoReturn:
        raise ShoalError(
            f"expression {self.text!r} cannot be read: unexpected {where}",
            "use + - * / ^, numbers, columns and "
            f'{" ".join(FUNCTIONS)}; quote column names that are not plain words: "net pay".',
        )

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "end of expression")

    def _accept(self, *marks: str) -> str | None:
        kind, word = self._next()
        if kind == "mark" and word in marks:
            self.at += 1
            return word
        return None

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            self._refuse(f"{self._next()[1]!r}, {mark!r} is missing")

    def whole(self) -> Expression:
        tree = self._sum()
        if self._next()[0] != "end":
            self._refuse(repr(self._next()[1]))
        return tree

    def _sum(self) -> Expression:
        terms = [self._product()]
        while mark := self._accept("+", "-"):
            term = self._product()
            terms.append(_folded(Negate(term)) if mark == "-" else term)
        return terms[0] if len(terms) == 1 else _folded(Combine("sum", tuple(terms)))

    def _product(self) -> Expression:
        tree = self._signed()
        while mark := self._accept("*", "/"):
            factor = self._signed()
            if mark == "/" and factor == Constant(Fraction(0)):
                self._refuse("division by zero")
            tree = Divide(tree, factor) if mark == "/" else Combine("product", (tree, factor))
            tree = _folded(tree)
        return tree

    def _signed(self) -> Expression:
        if self._accept("-"):
            return _folded(Negate(self._signed()))
        if self._accept("+"):
            return self._signed()
        return self._power()

    def _power(self) -> Expression:
        base = self._atom()
        if not self._accept("^", "**"):
            return base
        kind, word = self._next()
        if kind != "number" or not word.isdigit() or not 1 <= int(word) <= LARGEST_POWER:
            self._refuse(f"exponent {word!r}; it must be a whole number from 1 to {LARGEST_POWER}")
        self.at += 1
        return Power(base, int(word))

    def _atom(self) -> Expression:
        kind, word = self._next()
        self.at += 1
        if kind == "number":
            return Constant(Fraction(word))
        if kind == "quoted":
            return ColumnTerm(word[1:-1].replace(word[0] * 2, word[0]))
        if kind == "word":
            return self._call(word) if self._accept("(") else ColumnTerm(word)
        if (kind, word) != ("mark", "("):
            self._refuse(repr(word))
        tree = self._sum()
        self._expect(")")
        return tree

    def _call(self, word: str) -> Expression:
        function = {"mean": "avg", "average": "avg"}.get(word.lower(), word.lower())
        if function in NOT_MONOTONE:
            raise ShoalError(
                f"expression {self.text!r}: {word!r} is not monotone in its columns, so no range "
                "of it can be guaranteed",
                "ask for k-anonymity over these columns; it protects every function of them.",
            )
        if function not in FUNCTIONS:
            self._refuse(f"function {word!r}")
        parts = [self._sum()]
        while self._accept(","):
            parts.append(self._sum())
        self._expect(")")
        return Combine(function, tuple(parts))
