"""What an expression is of every row: exact numbers, or whether a condition is true.

A calculation with a missing cell is missing; a comparison with one is neither true nor false, as in SQL.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import reduce
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.same_value import is_moment, value_of
from shoal.table.columns.spelling import one_spelling, same_values
from shoal.table.rules.exact_numbers import Fractions, decimals_of, units_of
from shoal.table.rules.row_expression import columns_of, is_word, plain
from shoal.table.rules.unreadable_cells import CellsAtFault, UnreadableCells
from shoal.table.rules.wall_clock import wall_clock

TESTS: dict[type, Callable[[Any, Any], Any]] = {
    exp.EQ: eq, exp.NEQ: ne, exp.LT: lt, exp.LTE: le, exp.GT: gt, exp.GTE: ge,
}  # fmt: skip
NO_DATES = "no dates as 2011-04-03"
DECLARE_DATES = (
    'say in [types] how the dates are spelled, for example { kind = "date", format = "%d.%m.%Y" }, or list '
    "codes of missing cells in [missing]."
)
NO_NUMBER = (
    "say in [types] how its numbers are spelled, list codes of missing cells in [missing], or compare it "
    "with words in single quotes."
)


def values_of(tree: Any, rows: pa.Table) -> Fractions:
    """The numbers of a calculation."""
    node = plain(tree)
    if isinstance(node, exp.Column):
        return _column(node.name, rows)
    if isinstance(node, exp.Literal):
        return _constant(Decimal(node.name), len(rows))
    if isinstance(node, exp.Neg):
        part = values_of(node.this, rows)
        return Fractions(-part.top, part.bottom, part.missing, part.odd)
    return _calculated(node, values_of(node.this, rows), values_of(node.expression, rows))


def _calculated(node: Any, one: Fractions, two: Fractions) -> Fractions:
    missing, odd = one.missing | two.missing, one.odd
    if isinstance(node, exp.Mul):
        return Fractions(one.top * two.top, one.bottom * two.bottom, missing, odd)
    if isinstance(node, exp.Div):
        _refuse_zeros(node, two, missing)
        sign = np.where(two.top < 0, -1, 1).astype(object)
        bottom = np.where(two.top == 0, 1, two.top * sign)
        return Fractions(one.top * two.bottom * sign, one.bottom * bottom, missing, odd)
    other = -two.top if isinstance(node, exp.Sub) else two.top
    return Fractions(one.top * two.bottom + other * one.bottom, one.bottom * two.bottom, missing, odd)


def _refuse_zeros(node: Any, divisor: Fractions, missing: Any) -> None:
    zero = np.flatnonzero((divisor.top == 0) & ~missing)
    if len(zero):
        name = (*columns_of(node.expression), *columns_of(node))[0]
        hint = f"list 0 as a code of missing cells: {name} = [0] in [missing], or correct these rows."
        raise UnreadableCells((CellsAtFault(name, zero, "part of a divisor of zero", hint),))


def _column(name: str, rows: pa.Table) -> Fractions:
    found = Fractions.of(rows.column(name))
    if found.odd.any():
        raise UnreadableCells((CellsAtFault(name, np.flatnonzero(found.odd), "no numbers", NO_NUMBER),))
    return found


def _constant(number: Decimal, count: int) -> Fractions:
    nowhere, scale = np.zeros(count, bool), decimals_of(number)
    return Fractions(np.full(count, units_of(number, scale), object), 10**scale, nowhere, nowhere)


def truth_of(tree: Any, rows: pa.Table) -> pa.Array:
    """Whether a condition is true of every row; missing where nobody can say."""
    node = plain(tree)
    if isinstance(node, exp.And | exp.Or):
        join = pc.and_kleene if isinstance(node, exp.And) else pc.or_kleene
        return join(truth_of(node.this, rows), truth_of(node.expression, rows))
    if isinstance(node, exp.Not):
        return pc.invert(truth_of(node.this, rows))
    if isinstance(node, exp.Is):
        return one_spelling(rows.column(node.this.name)).combine_chunks().is_null()
    if isinstance(node, exp.In):
        return reduce(pc.or_kleene, (_compared(eq, node.this, one, rows) for one in node.expressions))
    if isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        return pc.and_kleene(_compared(ge, node.this, low, rows), _compared(le, node.this, high, rows))
    return _compared(TESTS[type(node)], node.this, node.expression, rows)


def _compared(test: Callable[[Any, Any], Any], one: Any, two: Any, rows: pa.Table) -> pa.Array:
    if is_word(one) or is_word(two):
        read = _words if test in (eq, ne) else _dates
        words, others = read(one, rows), read(two, rows)
        missing = np.array([a is None or b is None for a, b in zip(words, others, strict=True)], bool)
        known = np.array(
            [not gone and test(a, b) for a, b, gone in zip(words, others, missing, strict=True)], bool
        )
        return pa.array(known, mask=missing)
    first, second = values_of(one, rows), values_of(two, rows)
    true = test(first.top * second.bottom, second.top * first.bottom)
    return pa.array(np.asarray(true, bool), mask=first.missing | second.missing)


def _words(node: Any, rows: pa.Table) -> list[str | None]:
    if is_word(node):
        return [value_of(node.name)] * len(rows)
    few = encode(one_spelling(rows.column(node.name)))
    words: list[str | None] = (
        same_values(wall_clock(few.cells)).take(arrow_from_numpy(few.numbers)).to_pylist()
    )
    return words


def _dates(node: Any, rows: pa.Table) -> list[str | None]:
    """The same of ISO dates and times, which alone have the order of their letters."""
    words = _words(node, rows)
    odd = [row for row, word in enumerate(words) if word is not None and not is_moment(word)]
    if odd:
        raise UnreadableCells((CellsAtFault(node.name, np.array(odd), NO_DATES, DECLARE_DATES),))
    return words
