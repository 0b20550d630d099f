"""The tables of a permuted release beside ``data``: ``groups`` with its lists, and two views.

``mapping_view`` tells the group of every row; ``help`` is the paper's help table.
"""

from collections.abc import Sequence

import duckdb
from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.permuted.help_table import help_rows, places_in_lists
from shoal.query.permuted.lists import Types, lists_of
from shoal.query.schema import GROUP, GROUPS, HELP, MAPPING, TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, days, select, trusted_sql

NUMERIC = ("INTEGER", "INT", "DECIMAL", "DOUBLE", "FLOAT")
GroupRange = tuple[int, int]  # the first and the last of some groups
WIDEST = {"INTEGER": 2**31 - 1, "BIGINT": 2**63 - 1}  # HUGEINT above


def build_group_tables(
    connection: duckdb.DuckDBPyConnection, schema: Schema, ranges: Sequence[GroupRange | None] = (None,)
) -> dict[str, Types]:
    """Write the table ``groups`` and the views ``mapping_view`` and ``help`` beside ``data``. The groups are
    made range by range, where lists of all at once would not fit into memory. Gives the types of the
    lists."""
    _refuse_missing_groups(connection)
    if not schema.listed:
        raise ShoalError(
            "no permuted column holds a number or a date in every cell", "leave records without one out."
        )
    types = {name: _types(connection, schema, name) for name in schema.listed}
    for name, kind, statement in (
        (GROUPS, "TABLE", lists_of_groups(schema, types, ranges[0])),
        *((name, "VIEW", statement) for name, statement in _views(schema).items()),
    ):
        create = exp.Create(this=exp.to_table(name), kind=kind, expression=statement, replace=True)
        connection.execute(sql_text(create))
    for some in ranges[1:]:
        connection.execute(f"INSERT INTO {GROUPS} {sql_text(lists_of_groups(schema, types, some))}")
    return types


def views_over(schema: Schema) -> dict[str, str]:
    """The statements of the views beside ``data`` and ``groups``, by their names."""
    return {name: sql_text(statement) for name, statement in _views(schema).items()}


def _views(schema: Schema) -> dict[str, exp.Select]:
    return {MAPPING: mapping_view(schema), HELP: help_rows(schema, places_in_lists(schema))}


def group_ranges(connection: duckdb.DuckDBPyConnection, rows: int) -> list[GroupRange]:
    """All groups in ranges of about so many rows of ``data``; a larger group is a range of its own."""
    sizes = select(column(GROUP, TABLE), "COUNT(*) AS size").from_(TABLE).group_by(column(GROUP, TABLE))
    before = f"SUM(size) OVER (ORDER BY {GROUP} ROWS UNBOUNDED PRECEDING) - size"
    placed = select(GROUP, f"({before}) // {rows} AS place").from_(sizes.subquery("sizes"))
    ends = select(f"MIN({GROUP}) AS first", f"MAX({GROUP}) AS last").from_(placed.subquery("placed"))
    return connection.execute(sql_text(ends.group_by("place").order_by("first"))).fetchall()


def group_range_condition(some: GroupRange, table: str) -> exp.Expression:
    """The condition that a row belongs to one of the groups from the first to the last named."""
    return column(GROUP, table).between(*some)


def mapping_view(schema: Schema) -> exp.Select:
    """What is exact, and the group: the sensitive values of a row are some of its group's."""
    exact = [name for name in schema.columns if name not in (*schema.sensitive, GROUP)]
    return select(*(column(name, TABLE) for name in exact), column(GROUP, TABLE)).from_(TABLE)


def lists_of_groups(schema: Schema, types: dict[str, Types], some: GroupRange | None) -> exp.Select:
    """The lists of all sensitive columns side by side, in the order of the groups."""
    where = None if some is None else group_range_condition(some, TABLE)
    lists = {
        name: lists_of(list_expression(name, schema), name, where, types[name]) for name in schema.listed
    }
    return join_lists(lists).order_by(f"lists_0.{GROUP}")


def join_lists(lists: dict[str, exp.Select]) -> exp.Select:
    """Tables with one row per group as one."""
    chosen = select("lists_0.*").from_("lists_0")
    for number, statement in enumerate(lists.values()):
        table = f"lists_{number}"
        if number:
            others = trusted_sql(f"{table}.* EXCLUDE ({GROUP}, group_size)")
            chosen = chosen.select(others).join(table, on=f"lists_0.{GROUP} = {table}.{GROUP}")
        chosen = chosen.with_(table, as_=statement)
    return chosen


def list_expression(name: str, schema: Schema) -> exp.Expression:
    """A sensitive column as lists hold it, in which a date is its number of days."""
    cells = column(name, TABLE)
    return days(cells) if name in schema.dates else cells


def _types(connection: duckdb.DuckDBPyConnection, schema: Schema, name: str) -> Types:
    """The narrowest types that hold every value and every running sum."""
    kind, _ = _kind(connection, name)
    if kind in ("DOUBLE", "FLOAT"):
        return Types("DOUBLE", "DOUBLE")
    value = sql_text(list_expression(name, schema))
    size = f"ABS(CAST({value} AS DECIMAL(38, {_scale(kind)})))"
    totals = select(f"SUM({size}) AS total", f"MAX({size}) AS most")
    totals = totals.from_(TABLE).group_by(column(GROUP, TABLE))
    largest = select("MAX(most)", "MAX(total)").from_(totals.subquery("totals"))
    ((most, total),) = connection.execute(sql_text(largest)).fetchall()
    if "DECIMAL" in kind:
        short = (total or 0) * 10 ** _scale(kind) < 10**18
        return Types(kind, f"DECIMAL({18 if short else 38}, {_scale(kind)})")
    return Types(_whole(int(most or 0)), _whole(int(total or 0)).replace("INTEGER", "BIGINT"))


def _whole(largest: int) -> str:
    return next((kind for kind, widest in WIDEST.items() if largest <= widest), "HUGEINT")


def _scale(kind: str) -> int:
    return int(kind.rstrip(")").split(",")[1]) if "DECIMAL" in kind else 0


def _refuse_missing_groups(connection: duckdb.DuckDBPyConnection) -> None:
    _, missing = _kind(connection, GROUP)
    if missing:
        raise ShoalError(f"column {GROUP!r} has {missing} missing values", "give every record its group.")


def _kind(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[str, int]:
    """The type of a column and how many of its cells are missing."""
    cells = column(name, TABLE)
    query = select(
        exp.func("ANY_VALUE", exp.func("TYPEOF", cells)),
        exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=cells.copy())),
    ).from_(TABLE)
    ((kind, missing),) = connection.execute(sql_text(query)).fetchall()
    return str(kind or NUMERIC[0]), int(missing)
