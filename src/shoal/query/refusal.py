"""What is said of an item of SELECT that has no bounds: what it is, and what is answered instead."""

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.sql_text import sql_text

ANSWERED = (
    "count, sum, avg, min, max, median, quantile_cont, quantile_disc, percentile_cont, percentile_disc, "
    "variance, var_samp, var_pop, stddev, stddev_samp and stddev_pop"
)


def unanswerable(tree: exp.Expression) -> ShoalError:
    """
    >>> print(unanswerable(exp.maybe_parse("corr(age, pay)")).faults[0].what)
    'corr(age, pay)' cannot be answered with bounds
    """
    if isinstance(tree, exp.Column):
        return ShoalError(
            f"column {tree.name!r} is neither aggregated nor in GROUP BY", f"add: group by {tree.name}."
        )
    return ShoalError(
        f"{sql_text(tree, small_letters=True)!r} cannot be answered with bounds",
        f"{ANSWERED} are answered, and + - * / and round of these.",
    )
