"""A condition on a sensitive column: how many of a group's hits may and must fit it.

Of N values in a group s fit; of m hits at least m + s - N and at most min(m, s) hold one that fits.
Which rows are hit is known, which of them fit is not.
"""

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.help_table import help_of
from shoal.query.schema import GROUP, TABLE
from shoal.query.scope import Scope
from shoal.query.syntax import column, parsed, select


def spans(scope: Scope) -> str:
    """For each key and group: ``forced`` to ``most`` hits fit."""
    count = exp.alias_(exp.Sum(this=masked(parsed("1"), scope)), "fits")
    sizes = (
        select(column(GROUP, TABLE), "COUNT(*) AS group_size", count)
        .from_(TABLE)
        .group_by(column(GROUP, TABLE))
    )
    statement = (
        select(*scope.key_names, GROUP, "hits", "fits", "group_size")
        .select(
            "GREATEST(hits + fits - group_size, 0) AS forced", "LEAST(hits, fits) AS most", dialect="duckdb"
        )
        .from_("hits")
        .join(scope.add("sizes", sizes), using=[GROUP])
    )
    return scope.add("spans", statement)


def fitting_values(value: exp.Expression, scope: Scope, downwards: bool = False) -> exp.Select:
    """One row per key, from the values that fit, numbered in order (``place``) inside their group."""
    check_same_column(value, scope)
    order = "value DESC" if downwards else "value"
    chosen = (
        select(column(GROUP, TABLE), exp.alias_(value.copy(), "value")).from_(TABLE).where(condition(scope))
    )
    place = f"ROW_NUMBER() OVER (PARTITION BY {GROUP} ORDER BY {order}) AS place"
    ranked = scope.add("fitting", select(GROUP, "value", place).from_(chosen.subquery("chosen")))
    return scope.keyed(spans(scope)).join(ranked, using=[GROUP])


def masked(value: exp.Expression, scope: Scope) -> exp.Expression:
    """The value where the condition holds, 0 elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition(scope), true=value.copy())], default=exp.Literal.number(0))


def masked_help(value: exp.Expression, scope: Scope) -> str:
    check_same_column(value, scope)
    return scope.add("help", help_of(masked(value, scope)))


def condition(scope: Scope) -> exp.Expression:
    if scope.condition is None:
        raise ValueError("this rule is for queries with a condition on a sensitive column")
    return scope.condition.copy()


def check_same_column(value: exp.Expression, scope: Scope) -> None:
    """Columns may have been permuted apart, so a condition on one says nothing about another."""
    if scope.sensitive_column(value) != scope.sensitive_column(condition(scope)):
        raise ShoalError(
            "the condition is on another sensitive column than the aggregate",
            "use one sensitive column in a query.",
        )
