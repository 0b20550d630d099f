"""The value of an aggregate in every row, as floats: good enough to see whether something tells it."""

from collections.abc import Mapping
from functools import reduce
from math import prod

import numpy as np

from shoal.arrays import Floats
from shoal.policy.model import expression as ex

DIGITS = 6  # after the point; what differs less came from floats


def aggregate_values(tree: ex.Expression, columns: Mapping[str, Floats]) -> Floats:
    """
    >>> columns = {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 5.0])}
    >>> aggregate_values(ex.parse_expression("b - 0.5 * a"), columns).tolist()
    [2.5, 4.0]
    """
    return np.round(_value(tree, columns), DIGITS)


def _value(tree: ex.Expression, columns: Mapping[str, Floats]) -> Floats:
    match tree:
        case ex.ColumnTerm(name):
            return columns[name]
        case ex.Constant(value):
            return np.full(len(next(iter(columns.values()))), float(value))
        case ex.Negate(part):
            return -_value(part, columns)
        case ex.Power(part, exponent):
            return np.asarray(_value(part, columns) ** exponent)
        case ex.Divide(top, bottom):
            return np.asarray(_value(top, columns) / _value(bottom, columns))
        case ex.Combine(function, parts):
            return _combined(function, [_value(part, columns) for part in parts])


def _combined(function: str, parts: list[Floats]) -> Floats:
    match function:
        case "sum":
            return np.asarray(sum(parts))
        case "product":
            return np.asarray(prod(parts))
        case "min":
            return reduce(np.minimum, parts)
        case "max":
            return reduce(np.maximum, parts)
        case "median":
            return np.asarray(np.median(parts, axis=0))
        case "norm":
            return np.asarray(np.sqrt(sum(part**2 for part in parts)))
        case _:
            return np.asarray(sum(parts)) / len(parts)
