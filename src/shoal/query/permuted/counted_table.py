"""The table ``counted`` of a large database, written range by range: the columns whose values repeat."""

import duckdb
from sqlglot import exp

from shoal.query.permuted.counted_lists import lists_of_runs, ranked_runs
from shoal.query.permuted.group_tables import GroupRange, group_range_condition, join_lists, list_expression
from shoal.query.permuted.lists import Types
from shoal.query.schema import COUNTED, GROUP, GROUPS, TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, select

REPEATED = 4  # times or more, on average
MOMENTS = ("mean", "variance", "spread", "negatives", "positives")


def build_counted_table(
    connection: duckdb.DuckDBPyConnection, schema: Schema, types: dict[str, Types], ranges: list[GroupRange]
) -> tuple[str, ...]:
    """Make the table of counted values. Which columns repeat is found here; if none does, there is no such
    table."""
    whole = [name for name in schema.whole if types[name].sums == "BIGINT"]
    names = [name for name in whole if _repeats(connection, schema, name, ranges)]
    for number, some in enumerate(ranges if names else []):
        runs = {name: _lists(schema, name, types[name], some) for name in names}
        moments = [column(f"{name}_{moment}", GROUPS) for name in names for moment in MOMENTS]
        made = select("counted.*", *moments).from_(join_lists(runs).subquery("counted"))
        made = made.join(GROUPS, on=f"counted.{GROUP} = {GROUPS}.{GROUP}").where(
            group_range_condition(some, GROUPS)
        )
        begin = f"INSERT INTO {COUNTED}" if number else f"CREATE TABLE {COUNTED} AS"
        connection.execute(f"{begin} {sql_text(made.order_by(f'counted.{GROUP}'))}")
    return tuple(names)


def _repeats(
    connection: duckdb.DuckDBPyConnection, schema: Schema, name: str, ranges: list[GroupRange]
) -> bool:
    """Are there so few values in each group that they are worth counting?"""
    rows = values = 0
    for some in ranges:
        runs = _counts(list_expression(name, schema), some).subquery("runs")
        found = select("SUM(times)", "COUNT(*)").from_(runs)
        ((in_range, different),) = connection.execute(sql_text(found)).fetchall()
        rows, values = rows + in_range, values + different
    return bool(rows >= REPEATED * values)


def _lists(schema: Schema, name: str, kind: Types, some: GroupRange) -> exp.Select:
    value = exp.cast(list_expression(name, schema), kind.values or "BIGINT", dialect="duckdb")
    return lists_of_runs(ranked_runs(_counts(value, some), "BIGINT"), name)


def _counts(value: exp.Expression, some: GroupRange) -> exp.Select:
    """How often a group holds each value."""
    group = column(GROUP, TABLE)
    counts = select(group, exp.alias_(value, "value"), "COUNT(*) AS times").from_(TABLE)
    return counts.where(group_range_condition(some, TABLE)).group_by(group, value.copy())
