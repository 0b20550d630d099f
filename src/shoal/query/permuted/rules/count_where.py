"""COUNT under a condition on a sensitive column: a hypergeometric count in each group."""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, cell
from shoal.query.permuted.rules.where import fitting_counts
from shoal.query.permuted.scope import Scope

SHARE = "CAST(fits AS DOUBLE) / group_size"
VARIANCE = f"hits * ({SHARE}) * (1 - {SHARE}) * (group_size - hits) / GREATEST(group_size - 1, 1)"


def count_where(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds, expectation and deviation of how many selected rows fit a condition."""
    if not isinstance(call.this, exp.Star):
        scope.listed_column(call.this)
    look = fitting_counts(scope)
    figures = (
        look.add("count_lower", "SUM(forced)"),
        look.add("count_expected", f"SUM(hits * {SHARE})"),
        look.add("count_upper", "SUM(most)"),
        look.add("count_sd", f"SQRT(SUM({VARIANCE}))"),
    )
    lower, expected, upper, sd = (f"COALESCE({figure}, 0)" for figure in figures)
    return cell(lower, expected, upper, sd)
