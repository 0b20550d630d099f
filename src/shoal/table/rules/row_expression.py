"""Arithmetic and conditions over the columns of a row, as text: parsed, checked, and never run as code.

``weight / (height * height)`` and ``age < 15 or status = 'test'``: columns whose names are not plain words
stand in double quotes, words in single ones. What is not on the list below is refused.
"""

import re
from functools import cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from shoal.errors import ShoalError
from shoal.table.columns.same_value import is_moment
from shoal.table.rules.wall_clock import has_zone

LONGEST = 2_000
NUMBER = re.compile(r"\d{0,30}(\.\d{0,30})?([eE][+-]?\d{1,2})?")  # of a size that a computer holds
CALCULATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Div)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
ORDERED = COMPARISONS[2:]
SIDES, INSIDE = frozenset({"this", "expression"}), frozenset({"this"})
# What is read of each part; a part that says more, such as ``between symmetric``, is refused.
READ: dict[type, frozenset[str]] = {
    **dict.fromkeys((exp.And, exp.Or, exp.Is, *CALCULATIONS, *COMPARISONS), SIDES),
    **dict.fromkeys((exp.Paren, exp.Not, exp.Neg, exp.Column), INSIDE),
    exp.Div: SIDES | {"typed", "safe"},  # which tell dialects apart
    exp.In: INSIDE | {"expressions"},
    exp.Between: INSIDE | {"low", "high"},
    exp.Literal: INSIDE | {"is_string"},
    exp.Identifier: INSIDE | {"quoted"},
}
ARITHMETIC_HINT = (
    'use + - * /, numbers and columns; names that are no plain words stand in quotes: "net pay".'
)
CONDITION_HINT = (
    "use = != < <= > >= between, in (...), is null, and, or, not; words stand in single quotes: "
    "status = 'test'; names that are not plain words in double ones: \"net pay\"."
)


@cache
def parse_arithmetic(text: str) -> Any:
    """The tree of a calculation over at least one column.

    >>> columns_of(parse_arithmetic('weight / (height * height)'))
    ('weight', 'height')
    """
    tree = _parsed(text, ARITHMETIC_HINT)
    _check_arithmetic(tree, text)
    if not columns_of(tree):
        raise ShoalError(f"expression {text!r} names no column", ARITHMETIC_HINT)
    return tree


@cache
def parse_condition(text: str) -> Any:
    """The tree of a condition.

    >>> columns_of(parse_condition("age < 15 or status = 'test'"))
    ('age', 'status')
    """
    tree = _parsed(text, CONDITION_HINT)
    _check_condition(tree, text)
    return tree


def columns_of(tree: Any) -> tuple[str, ...]:
    """The columns that it reads, each once, in the order in which they stand there."""
    found = sorted(tree.find_all(exp.Column), key=lambda node: node.this.meta.get("start", 0))
    return tuple(dict.fromkeys(node.name for node in found))


def divides(tree: Any) -> bool:
    """Does a calculation divide?"""
    return tree.find(exp.Div) is not None


def is_word(node: Any) -> bool:
    """Is it a word in single quotes?"""
    return isinstance(node, exp.Literal) and bool(node.is_string)


def plain(node: Any) -> Any:
    """What stands inside of brackets."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _parsed(text: str, hint: str) -> Any:
    if len(text) > LONGEST:
        raise ShoalError(f"an expression has more than {LONGEST:,} characters", "write a shorter one.")
    try:
        (tree,) = sqlglot.parse(text, dialect="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        tree = None
    if tree is None:
        raise ShoalError(f"expression {text!r} cannot be read", hint)
    for node in tree.walk():
        said = {name for name, value in node.args.items() if value}
        if said - READ.get(type(node), frozenset()):
            raise _refuse(node, text, hint)
        if isinstance(node, exp.Literal) and not node.is_string and not NUMBER.fullmatch(node.name):
            raise ShoalError(f"expression {text!r} has a number beyond all measure", "write a smaller one.")
    return tree


def _refuse(node: Any, text: str, hint: str) -> ShoalError:
    kind = type(node).__name__.lower()
    return ShoalError(f"expression {text!r} has a part that is not allowed here ({kind})", hint)


def _check_arithmetic(node: Any, text: str, hint: str = ARITHMETIC_HINT) -> None:
    if isinstance(node, exp.Paren | exp.Neg):
        _check_arithmetic(node.this, text, hint)
    elif isinstance(node, CALCULATIONS):
        for side in (node.this, node.expression):
            _check_arithmetic(side, text, hint)
    elif not _is_column(node) and not (isinstance(node, exp.Literal) and not node.is_string):
        raise _refuse(node, text, hint)


def _check_condition(node: Any, text: str) -> None:
    if isinstance(node, exp.And | exp.Or):
        _check_condition(node.this, text)
        _check_condition(node.expression, text)
    elif isinstance(node, exp.Paren | exp.Not):
        _check_condition(node.this, text)
    elif isinstance(node, exp.Is):
        _check(_is_column(node.this) and isinstance(node.expression, exp.Null), node, text)
    elif isinstance(node, exp.In):
        _check(_is_column(node.this) and bool(node.expressions), node, text)
        _check_alike(node, [node.this, *node.expressions], text)
    elif isinstance(node, exp.Between):
        _check_alike(node, [node.this, node.args["low"], node.args["high"]], text, in_order=True)
    elif isinstance(node, COMPARISONS):
        _check_alike(node, [node.this, node.expression], text, in_order=isinstance(node, ORDERED))
    else:
        raise _refuse(node, text, CONDITION_HINT)


def _check_alike(node: Any, sides: list[Any], text: str, in_order: bool = False) -> None:
    """Numbers are compared with numbers; a column with words, of which only dates have an order."""
    words = [side for side in sides if is_word(side)]
    if not words:
        for side in sides:
            _check_arithmetic(side, text, CONDITION_HINT)
        return
    _check(all(is_word(side) or _is_column(side) for side in sides), node, text)
    if any(has_zone(word.name) for word in words):
        what = f"expression {text!r} has a time with a zone"
        raise ShoalError(what, "write it without one: times count as the clock in their own zone shows them.")
    if in_order and not all(is_moment(word.name) for word in words):
        what = f"expression {text!r} asks whether a word is smaller than another"
        raise ShoalError(what, "compare words with = != and in; dates are written as '2011-04-03'.")


def _check(allowed: bool, node: Any, text: str) -> None:
    if not allowed:
        raise _refuse(node, text, CONDITION_HINT)


def _is_column(node: Any) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier)
