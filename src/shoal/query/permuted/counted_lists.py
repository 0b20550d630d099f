"""Lists of groups in which values repeat: every value once, with the place of its last repetition.

In a large table groups have many rows and far fewer values. Then the table ``counted`` stands beside
``groups`` and says the same: the m smallest values add up to the sum of the runs before the one that holds
the m-th, and that value for every place since.
"""

from dataclasses import dataclass

from sqlglot import exp

from shoal.query.permuted.lists import Lists
from shoal.query.schema import COUNTED, GROUP, TABLE, Schema
from shoal.query.syntax import column, date_of, select, trusted_sql, window

TIMES = '"shoal:times"'  # beside a column of any name


@dataclass(frozen=True)
class CountedLists(Lists):
    """The same questions as to lists of all values, answered by runs of equal ones.

    >>> CountedLists(COUNTED, "pay").at("counted.group_size")
    'counted."pay_values"[-1]'
    """

    table: str = COUNTED

    def at(self, place: str) -> str:
        if place in ("1", self.size):
            return f"{self.figure('values')}[{1 if place == '1' else -1}]"
        return f"{self.figure('values')}[CASE WHEN {place} >= 1 THEN {self._run(place)} END]"

    def between(self, first: str, last: str) -> str:
        values, (start, stop) = self.figure("values"), self._runs_between(first, last)
        repeated = f"LIST_RESIZE({values}[1:0], {self._times(first, last)}, {values}[run])"
        runs = f"LIST_TRANSFORM(GENERATE_SERIES({start}, {stop}), LAMBDA run : {repeated})"
        return f"UNNEST(FLATTEN({runs}))"

    def counts_between(self, first: str, last: str) -> tuple[str, str]:
        start, stop = self._runs_between(first, last)
        counts = f"LIST_TRANSFORM(GENERATE_SERIES({start}, {stop}), LAMBDA run : {self._times(first, last)})"
        return f"UNNEST({self.figure('values')}[{start} : {stop}])", f"UNNEST({counts})"

    def up_to(self, place: str) -> str:
        """Counted from the run before: where values are real numbers, as little as can be is rounded."""
        run, ends = self._run(place), self.figure("ends")
        since = f"(({place}) - COALESCE({ends}[{run} - 1], 0)) * {self.figure('values')}[{run}]"
        return f"COALESCE(COALESCE({self.figure('sums')}[{run} - 1], 0) + {since}, 0)"

    def smallest(self, count: str) -> str:
        return self.up_to(count)

    def largest(self, count: str) -> str:
        """Counted from the run after, likewise."""
        place, sums = f"{self.size} - ({count})", self.figure("sums")
        run = self._run(place)
        until = f"({self.figure('ends')}[{run}] - ({place})) * {self.figure('values')}[{run}]"
        return f"({sums}[-1] - {sums}[{run}] + {until})"

    @property
    def runs(self) -> tuple[str, ...]:
        """Every value, with the places before its first and of its last repetition."""
        values, ends = self.figure("values"), self.figure("ends")
        before = f"LIST_PREPEND(0, {ends}[1 : LENGTH({ends}) - 1])"
        return f"UNNEST({values}) AS value", f"UNNEST({before}) AS since", f"UNNEST({ends}) AS last"

    def _run(self, place: str) -> str:
        """The number of the run that holds a place."""
        return f"(1 + LENGTH(LIST_FILTER({self.figure('ends')}, LAMBDA last : last < {place})))"

    def _runs_between(self, first: str, last: str) -> tuple[str, str]:
        return self._run(first), f"LEAST({self._run(last)}, LENGTH({self.figure('ends')}))"

    def _times(self, first: str, last: str) -> str:
        """How many of these places a ``run`` holds."""
        ends = self.figure("ends")
        since = f"GREATEST(COALESCE({ends}[run - 1], 0), {first} - 1)"
        return f"GREATEST(LEAST({ends}[run], {last}) - {since}, 0)"


def counted_lists_of(
    value: exp.Expression, name: str, schema: Schema, where: exp.Expression | None = None
) -> exp.Select:
    """`lists_of` an expression of a counted column, worked out once for every value of a group.

    Places and sums are left as wide as the engine adds them up: nobody knows how large an expression gets.
    """
    runs = select(GROUP, *CountedLists(name=name).runs).from_(COUNTED).subquery("runs")
    cell = date_of("value") if name in schema.dates else "CAST(value AS BIGINT)"
    cells = select(GROUP, exp.alias_(trusted_sql(cell), name, quoted=True), f"last - since AS {TIMES}").from_(
        runs
    )
    counts = select(column(GROUP, TABLE), exp.alias_(value.copy(), "value"), f"SUM({TIMES}) AS times")
    counts = counts.from_(cells.subquery(TABLE)).group_by(column(GROUP, TABLE), value.copy())
    counts = counts.where(where.copy()) if where is not None else counts
    by_group = f"OVER (PARTITION BY {GROUP})"
    mean = f"CAST(SUM(value * times) {by_group} AS DOUBLE) / SUM(times) {by_group} AS mean"
    lists = lists_of_runs(ranked_runs(counts).select(mean, dialect="duckdb"), "value")
    variance = "SUM(times * POWER(CAST(value AS DOUBLE) - mean, 2)) / SUM(times)"
    moments = {
        "mean": "ANY_VALUE(mean)",
        "variance": variance,
        "spread": f"{variance} / GREATEST(SUM(times) - 1, 1)",
        "negatives": "CAST(COALESCE(SUM(CASE WHEN value < 0 THEN times END), 0) AS BIGINT)",
        "positives": "CAST(COALESCE(SUM(CASE WHEN value > 0 THEN times END), 0) AS BIGINT)",
    }
    return lists.select(*(f"{text} AS value_{moment}" for moment, text in moments.items()), dialect="duckdb")


def ranked_runs(counts: exp.Select, kind: str | None = None) -> exp.Select:
    """Every value of a group, with the place of its last repetition and the sum up to there."""
    over = f"OVER {window((GROUP,), 'value')}"
    figures = {"last": f"SUM(times) {over}", "running": f"SUM(value * times) {over}"}
    typed = {name: f"CAST({text} AS {kind})" if kind else text for name, text in figures.items()}
    ranked = select(GROUP, "value", "times", *(f"{text} AS {name}" for name, text in typed.items()))
    return ranked.from_(counts.subquery("runs"))


def lists_of_runs(ranked: exp.Select, name: str) -> exp.Select:
    """One row per group: its size, and of a column the values, where each ends, and what they add up to."""
    figures = {"values": "value", "ends": "last", "sums": "running"}
    lists = (
        exp.alias_(trusted_sql(f"ARRAY_AGG({text} ORDER BY value)"), f"{name}_{figure}", quoted=True)
        for figure, text in figures.items()
    )
    grouped = select(GROUP, "CAST(SUM(times) AS BIGINT) AS group_size", *lists)
    return grouped.from_(ranked.subquery("ranked")).group_by(GROUP)
