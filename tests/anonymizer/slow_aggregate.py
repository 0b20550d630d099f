"""An expression of one record, read straight off the syntax tree with exact fractions."""

from fractions import Fraction
from math import prod, sqrt
from statistics import median

from shoal.policy.model.expression import ColumnTerm, Combine, Constant, Divide, Expression, Negate, Power

Record = dict[str, Fraction]
FUNCTIONS = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
    "median": median,
    "product": prod,
    "norm": lambda values: sqrt(sum(value**2 for value in values)),
}


def slow_value(tree: Expression, record: Record):
    """f of the columns that the record has, as if the others were not in the expression.

    None when no column is left. A constant stays only beside a column that stays.
    """
    match tree:
        case ColumnTerm(name):
            return record.get(name)
        case Constant(value):
            return value
        case Negate(part):
            return _applied(lambda value: -value, slow_value(part, record))
        case Power(part, exponent):
            return _applied(lambda value: value**exponent, slow_value(part, record))
        case Divide(top, bottom):
            return _quotient(tree, slow_value(top, record), slow_value(bottom, record))
        case Combine(function, parts):
            values = [(part, slow_value(part, record)) for part in parts]
            left = [value for _, value in values if value is not None]
            if all(isinstance(part, Constant) for part, value in values if value is not None):
                return None
            return FUNCTIONS[function](left)


def _applied(function, value):
    return None if value is None else function(value)


def _quotient(tree: Divide, top, bottom):
    """A side that is gone counts as 1."""
    if bottom is None and (top is None or isinstance(tree.top, Constant)):
        return None
    return (1 if top is None else top) / (1 if bottom is None else bottom)
