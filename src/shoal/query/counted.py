"""Lists of groups in which values repeat: every value once, with the place of its last repetition.

In a large table groups have many rows and far fewer values. Then the table ``counted`` stands beside
``groups`` and says the same: the m smallest values add up to the sum at the end of the run that holds the
m-th, less the value for every place after m.
"""

from dataclasses import dataclass

import duckdb
from sqlglot import exp

from shoal.query.groups import GroupRange, kinds_of_lists, listed, side_by_side, within
from shoal.query.lists import Lists, Types
from shoal.query.schema import COUNTED, GROUP, GROUPS, TABLE, Schema
from shoal.query.syntax import column, parsed, select

REPEATED = 4  # times or more, on average
MOMENTS = ("mean", "variance", "spread", "negatives", "positives")


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
        values, ends = self.figure("values"), self.figure("ends")
        runs = f"GENERATE_SERIES({self._run(first)}, LEAST({self._run(last)}, LENGTH({ends})))"
        since = f"GREATEST(COALESCE({ends}[run - 1], 0), {first} - 1)"
        times = f"GREATEST(LEAST({ends}[run], {last}) - {since}, 0)"
        repeated = f"LIST_RESIZE({values}[1:0], {times}, {values}[run])"
        return f"UNNEST(FLATTEN(LIST_TRANSFORM({runs}, LAMBDA run : {repeated})))"

    def up_to(self, place: str) -> str:
        run = self._run(place)
        after = f"({self.figure('ends')}[{run}] - ({place})) * {self.figure('values')}[{run}]"
        return f"COALESCE({self.figure('sums')}[{run}] - {after}, 0)"

    def smallest(self, count: str) -> str:
        return self.up_to(count)

    def largest(self, count: str) -> str:
        return f"{self.figure('sums')}[-1] - {self.up_to(f'{self.size} - {count}')}"

    @property
    def runs(self) -> tuple[str, ...]:
        """Every value, with the places before its first and of its last repetition."""
        values, ends = self.figure("values"), self.figure("ends")
        before = f"LIST_PREPEND(0, {ends}[1 : LENGTH({ends}) - 1])"
        return f"UNNEST({values}) AS value", f"UNNEST({before}) AS since", f"UNNEST({ends}) AS last"

    def _run(self, place: str) -> str:
        """The number of the run that holds a place."""
        return f"(1 + LENGTH(LIST_FILTER({self.figure('ends')}, LAMBDA last : last < {place})))"


def build_counted(
    connection: duckdb.DuckDBPyConnection, schema: Schema, ranges: list[GroupRange | None]
) -> tuple[str, ...]:
    """Write the table ``counted``, range by range, of the columns that repeat: which ones are these?"""
    kinds = kinds_of_lists(connection, schema)
    whole = [name for name in schema.whole if kinds[name].sums == "BIGINT"]
    names = [name for name in whole if _repeats(connection, schema, name, ranges)]
    for number, some in enumerate(ranges if names else []):
        runs = {name: _runs(schema, name, kinds[name], some) for name in names}
        moments = [column(f"{name}_{moment}", GROUPS) for name in names for moment in MOMENTS]
        made = select("counted.*", *moments).from_(side_by_side(runs).subquery("counted"))
        made = made.join(GROUPS, on=f"counted.{GROUP} = {GROUPS}.{GROUP}").order_by(f"counted.{GROUP}")
        begin = f"INSERT INTO {COUNTED}" if number else f"CREATE TABLE {COUNTED} AS"
        connection.execute(f"{begin} {made.sql('duckdb')}")
    return tuple(names)


def _repeats(
    connection: duckdb.DuckDBPyConnection, schema: Schema, name: str, ranges: list[GroupRange | None]
) -> bool:
    """Are there so few values in each group that they are worth counting?"""
    rows = values = 0
    for some in ranges:
        runs = _counts(listed(name, schema), some).subquery("runs")
        found = select("SUM(times)", "COUNT(*)").from_(runs).sql("duckdb")
        ((in_range, different),) = connection.execute(found).fetchall()
        rows, values = rows + in_range, values + different
    return bool(rows >= REPEATED * values)


def _runs(schema: Schema, name: str, kind: Types, some: GroupRange | None) -> exp.Select:
    """One row per group: its size, and of a column the values, where each ends, and what they add up to."""
    value = exp.cast(listed(name, schema), kind.values or "BIGINT", dialect="duckdb")
    over = f"OVER (PARTITION BY {GROUP} ORDER BY value ROWS UNBOUNDED PRECEDING)"
    ranked = select(GROUP, "value", "times", f"CAST(SUM(times) {over} AS BIGINT) AS last")
    ranked = ranked.select(f"CAST(SUM(value * times) {over} AS BIGINT) AS running", dialect="duckdb")
    figures = {"values": "value", "ends": "last", "sums": "running"}
    lists = (
        exp.alias_(parsed(f"ARRAY_AGG({text} ORDER BY value)"), f"{name}_{figure}", quoted=True)
        for figure, text in figures.items()
    )
    grouped = select(GROUP, "CAST(SUM(times) AS BIGINT) AS group_size", *lists)
    return grouped.from_(ranked.from_(_counts(value, some).subquery("runs")).subquery("ranked")).group_by(
        GROUP
    )


def _counts(value: exp.Expression, some: GroupRange | None) -> exp.Select:
    """How often a group holds each value."""
    group = column(GROUP, TABLE)
    counts = select(group, exp.alias_(value, "value"), "COUNT(*) AS times").from_(TABLE)
    counts = counts.where(within(some, TABLE)) if some is not None else counts
    return counts.group_by(group, value.copy())
