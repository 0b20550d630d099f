"""MEDIAN and quantiles: the quantile of the all-lowest and of the all-highest choice.

Every choice lies between these two, value by value in order, and a quantile rises with each of its values.
The expectation over permutations has no short formula and is not told.
"""

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.scope import Scope
from shoal.query.syntax import in_group, parsed

CONTINUOUS = (exp.Median, exp.PercentileCont)


def quantile_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    function = "QUANTILE_CONT" if isinstance(call, CONTINUOUS) else "QUANTILE_DISC"
    share = "0.5" if isinstance(call, exp.Median) else _share(call)
    lowest = exp.and_(in_group("ranks"), parsed("ranks.hits <= hits.hits"))
    return (
        scope.keyed()
        .join(f"{scope.help(call.this)} AS ranks", on=lowest)
        .select(f"{function}(CAST(ranks.max_lower AS DOUBLE), {share}) AS lower", dialect="duckdb")
        .select("CAST(NULL AS DOUBLE) AS expected", dialect="duckdb")
        .select(f"{function}(CAST(ranks.min_upper AS DOUBLE), {share}) AS upper", dialect="duckdb")
        .select("CAST(NULL AS DOUBLE) AS sd", dialect="duckdb")
    )


def _share(call: exp.Expression) -> str:
    share = call.args.get("quantile") or call.args.get("expression")
    if isinstance(share, exp.Literal) and not share.is_string and 0 <= float(share.this) <= 1:
        return str(share.this)
    raise ShoalError(
        "the share of a quantile is a number from 0 to 1", "ask like this: quantile_cont(salary, 0.25)."
    )
