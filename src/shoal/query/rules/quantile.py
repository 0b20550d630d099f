"""MEDIAN and quantiles: the quantile of the all-lowest and of the all-highest choice.

Every choice lies between these two, value by value in order, and a quantile rises with each of its values.
The expectation over permutations has no short formula and is not told.
"""

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.cell import Cell, bounds
from shoal.query.lists import Lists
from shoal.query.schema import GROUPS
from shoal.query.scope import HITS, Pass, Scope

CONTINUOUS = (exp.Median, exp.PercentileCont)


def quantile_bounds(call: exp.Expression, scope: Scope) -> Cell:
    lists = scope.lists(call.this)
    look = _choices(lists, scope)
    share = "0.5" if isinstance(call, exp.Median) else _share(call)
    continuous = isinstance(call, CONTINUOUS)  # between values; otherwise one of them, digit by digit
    whole = lists.table == GROUPS and lists.name in scope.schema.whole
    number = "CAST({} AS DOUBLE)" if continuous and not whole else "{}"
    function = "QUANTILE_CONT" if continuous else "QUANTILE_DISC"
    lower, upper = (
        look.add(f"quantile_{end}", f"{function}({number.format(choice)}, {share})")
        for end, choice in (("lower", "lowest"), ("upper", "highest"))
    )
    return bounds(lower, upper)


def _choices(lists: Lists, scope: Scope) -> Pass:
    """The two choices, value by value, for all quantiles of these lists."""
    size = lists.size
    values = scope.beside(lists, HITS).select(
        f"{lists.between('1', 'hits.hits')} AS lowest",
        f"{lists.between(f'{size} - hits.hits + 1', size)} AS highest",
        dialect="duckdb",
    )
    table = scope.source("choices", values)
    return scope.look(f"quantiles_{table}", scope.keyed(table), row_per_hit=True)


def _share(call: exp.Expression) -> str:
    share = call.args.get("quantile") or call.args.get("expression")
    if isinstance(share, exp.Literal) and not share.is_string and 0 <= float(share.this) <= 1:
        return str(share.this)
    raise ShoalError(
        "the share of a quantile is a number from 0 to 1", "ask like this: quantile_cont(salary, 0.25)."
    )
