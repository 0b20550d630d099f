"""A condition on a sensitive column: how many of a group's hits may and must fit it.

Of N values in a group s fit; of m hits at least m + s - N and at most min(m, s) hold one that fits.
Which rows are hit is known, which of them fit is not. The fitting values are a run of a sorted list: of the
list of all values when the condition compares the column with constants, otherwise, and where values are
counted, of one of their own.
"""

from dataclasses import dataclass

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.permuted.lists import Lists
from shoal.query.permuted.rules.comparison import Comparison, comparison
from shoal.query.permuted.scope import HITS, Pass, Scope
from shoal.query.schema import GROUP, GROUPS, TABLE
from shoal.query.syntax import column, select, trusted_sql

RUN = ("group_size", "below", "fits", "mean", "variance")  # the last two of the values that fit


@dataclass(frozen=True)
class FittingSpans:
    """The hit groups with values that fit, in the table ``spans``: ``forced`` to ``most`` of the hits do.

    The ``fitting_counts`` fitting values are at the places after ``below``, or ``alone`` in their lists.
    """

    lists: Lists
    spans: str
    scope: Scope
    alone: bool

    def of(self, name: str) -> str:
        return f"{self.spans}.{name}"

    @property
    def end(self) -> str:
        return f"{self.of('below')} + {self.of('fits')}"

    def smallest(self, count: str) -> str:
        """The sum of so many of the smallest fitting values."""
        if self.alone:
            return self.lists.up_to(count)
        below = self.of("below")
        return f"{self.lists.up_to(f'{below} + {count}')} - {self.lists.up_to(below)}"

    def largest(self, count: str) -> str:
        if self.alone:
            return self.lists.largest(count)
        return f"{self.lists.up_to(self.end)} - {self.lists.up_to(f'{self.end} - {count}')}"

    def look(self) -> Pass:
        return self.scope.look(f"fit_{self.spans}", self.scope.join_lists(self.lists, self.spans, keyed=True))


def fitting_spans(value: exp.Expression, scope: Scope) -> FittingSpans:
    """For every group, where in its sorted list the values stand that fit the condition."""
    condition = condition_of(scope)
    name = scope.sensitive_column(condition)
    if scope.sensitive_column(value) != name:
        raise ShoalError(
            "the condition is on another sensitive column than the aggregate",
            "use one sensitive column in a query.",
        )
    scope.listed_column(condition)
    stored = value == column(name, TABLE) and name not in scope.schema.counted
    compared = comparison(condition, name, scope.schema) if stored else None
    lists = scope.made_lists(value, condition) if compared is None else Lists(GROUPS, name)
    runs = _whole_lists(lists) if compared is None else _runs(lists, compared)
    return FittingSpans(lists, _spans(scope.source("runs", runs), scope), scope, alone=compared is None)


def fitting_counts(scope: Scope) -> Pass:
    """One row per key, for what needs no values: hits, and how many of them fit."""
    name = scope.sensitive_column(condition_of(scope))
    if name in scope.schema.words:
        spans = _spans(scope.source("runs", _word_counts(scope)), scope)
    else:
        spans = fitting_spans(column(name, TABLE), scope).spans
    return scope.look(f"count_{spans}", scope.keyed(spans))


def condition_of(scope: Scope) -> exp.Expression:
    """A copy of the condition on a sensitive column, which the query must have."""
    if scope.condition is None:
        raise ValueError("this rule is for queries with a condition on a sensitive column")
    return scope.condition.copy()


def _spans(runs: str, scope: Scope) -> str:
    statement = (
        select(*(f"hits.{name}" for name in scope.key_names), f"hits.{GROUP}", "hits.hits")
        .select(*(f"{runs}.{name}" for name in RUN))
        .select(f"GREATEST(hits.hits + {runs}.fits - {runs}.group_size, 0) AS forced", dialect="duckdb")
        .select(f"LEAST(hits.hits, {runs}.fits) AS most", dialect="duckdb")
        .from_(HITS)
        .join(runs, on=f"hits.{GROUP} = {runs}.{GROUP}")
        .where(f"{runs}.fits > 0")
    )
    return scope.source("spans", statement)


def _word_counts(scope: Scope) -> exp.Select:
    """How many words of each group fit."""
    fitting = exp.Case(ifs=[exp.If(this=condition_of(scope), true=exp.Literal.number(1))])
    return (
        select(column(GROUP, TABLE), "COUNT(*) AS group_size", "0 AS below")
        .select(exp.alias_(exp.Count(this=fitting), "fits"))
        .select("CAST(NULL AS DOUBLE) AS mean", "CAST(NULL AS DOUBLE) AS variance", dialect="duckdb")
        .from_(TABLE)
        .group_by(column(GROUP, TABLE))
    )


def _whole_lists(lists: Lists) -> exp.Select:
    """Lists that hold nothing but what fits."""
    return (
        select(f"{lists.table}.{GROUP}", f"{GROUPS}.group_size", "0 AS below", f"{lists.size} AS fits")
        .select(f"{lists.mean} AS mean", f"{lists.variance} AS variance", dialect="duckdb")
        .from_(lists.table)
        .join(GROUPS, on=f"{lists.table}.{GROUP} = {GROUPS}.{GROUP}")
    )


def _runs(lists: Lists, compared: Comparison) -> exp.Query:
    """Groups that fit as a whole, by their ends, and those that may fit in part, by their values."""
    first, last = lists.at("1"), lists.at(lists.size)
    whole = f"{compared.fits(first)} AND {compared.fits(last)}"
    fitting = f"CASE WHEN {compared.fits('value')} THEN value END"
    size = lists.size
    entire = (
        select(GROUP, "group_size", "0 AS below", "group_size AS fits")
        .select(f"{lists.mean} AS mean", f"{lists.variance} AS variance", dialect="duckdb")
        .from_(lists.table)
        .where(trusted_sql(whole))
    )
    partly = (
        select(GROUP, "group_size", f"{lists.between('1', size)} AS value")
        .from_(lists.table)
        .where(trusted_sql(f"NOT ({whole}) AND {compared.not_below(last)} AND {compared.not_above(first)}"))
    )
    counted = (
        select(
            GROUP, "group_size", f"COUNT(CASE WHEN NOT ({compared.not_below('value')}) THEN 1 END) AS below"
        )
        .select(f"COUNT({fitting}) AS fits", dialect="duckdb")
        .select(f"CAST(AVG({fitting}) AS DOUBLE) AS mean", dialect="duckdb")
        .select(f"CAST(VAR_POP({fitting}) AS DOUBLE) AS variance", dialect="duckdb")
        .from_(partly.subquery("partly"))
        .group_by(GROUP, "group_size")
    )
    return entire.union(counted, distinct=False)
