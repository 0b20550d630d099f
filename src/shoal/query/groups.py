"""The tables of a permuted release beside ``data``: ``groups`` with its lists, and two views.

``mapping`` tells the group of every row; ``help`` is the paper's help table: for each group and each number
of hits the bounds of what so many of its values can give.
"""

from collections.abc import Sequence

import duckdb
import numpy as np
from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.lists import Lists, Types, lists_of
from shoal.query.schema import GROUP, GROUPS, HELP, MAPPING, TABLE, Schema
from shoal.query.syntax import EPOCH, column, days, parsed, select

NUMERIC = ("INTEGER", "INT", "DECIMAL", "DOUBLE", "FLOAT")
GroupRange = tuple[int, int]  # the first and the last of some groups
WIDEST = {"INTEGER": 2**31 - 1, "BIGINT": 2**63 - 1}  # HUGEINT above


def build(
    connection: duckdb.DuckDBPyConnection, schema: Schema, ranges: Sequence[GroupRange | None] = (None,)
) -> None:
    """Write the table ``groups`` and the views ``mapping`` and ``help`` beside ``data``. The groups are made
    range by range, where lists of all at once would not fit into memory."""
    _refuse_missing_groups(connection)
    if not schema.listed:
        raise ShoalError(
            "no permuted column holds a number or a date in every cell", "leave records without one out."
        )
    kinds = kinds_of_lists(connection, schema)
    for name, kind, statement in (
        (GROUPS, "TABLE", lists_of_groups(schema, kinds, ranges[0])),
        (MAPPING, "VIEW", mapping(schema)),
        (HELP, "VIEW", help_rows(schema)),
    ):
        create = exp.Create(this=exp.to_table(name), kind=kind, expression=statement, replace=True)
        connection.execute(create.sql("duckdb"))
    for some in ranges[1:]:
        connection.execute(f"INSERT INTO {GROUPS} {lists_of_groups(schema, kinds, some).sql('duckdb')}")


def group_ranges(connection: duckdb.DuckDBPyConnection, rows: int) -> list[GroupRange | None]:
    """All groups in ranges of about so many rows of ``data``; a larger group is a range of its own."""
    counts = select(column(GROUP, TABLE), "COUNT(*) AS rows").from_(TABLE).group_by(column(GROUP, TABLE))
    counted = counts.order_by(column(GROUP, TABLE))
    groups, sizes = connection.execute(counted.sql("duckdb")).fetchnumpy().values()
    places = (np.cumsum(sizes) - sizes) // rows
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    ends = np.append(starts[1:], len(groups)) - 1
    return list(zip(groups[starts].tolist(), groups[ends].tolist(), strict=True))


def within(some: GroupRange, table: str) -> exp.Expression:
    return column(GROUP, table).between(*some)


def mapping(schema: Schema) -> exp.Select:
    """What is exact, and the group: the sensitive values of a row are some of its group's."""
    exact = [name for name in schema.columns if name not in (*schema.sensitive, GROUP)]
    return select(*(column(name, TABLE) for name in exact), column(GROUP, TABLE)).from_(TABLE)


def help_rows(schema: Schema) -> exp.Select:
    """One row for each group and number of hits. What so many hits take from above ends where they begin."""
    places = select(GROUP, "group_size", "UNNEST(GENERATE_SERIES(1, group_size)) AS hits").from_(GROUPS)
    for name in schema.listed:
        lists = Lists(GROUPS, name)
        figures = {
            "values": lists.between("1", lists.size),
            "sums": f"UNNEST({lists.figure('sums')})",
            "least": lists.at("1"),
            "most": lists.at(lists.size),
            "total": lists.smallest(lists.size),
        }
        places = places.select(*_named(name, figures))
    chosen = select(f"low.{GROUP}", "low.hits", "low.group_size").from_("places AS low")
    chosen = chosen.join(
        "places AS high", on=f"low.{GROUP} = high.{GROUP} AND high.hits = low.group_size - low.hits + 1"
    )
    for name in schema.listed:
        chosen = chosen.select(*_named(name, _help_figures(name, name in schema.dates)))
    return chosen.with_("places", as_=places)


def help_rows_of(schema: Schema, kinds: dict[str, Types], some: GroupRange | None) -> exp.Select:
    """Those of a range of groups, whose lists are made anew: the engine reads stored lists of some thousand
    groups together, however few it is asked for."""
    rows = select("*").from_(help_rows(schema).subquery("help_rows")).order_by(GROUP, "hits")
    return rows.with_(GROUPS, as_=lists_of_groups(schema, kinds, some))


def _named(name: str, figures: dict[str, str]) -> list[exp.Expression]:
    return [exp.alias_(parsed(text), f"{name}_{figure}", quoted=True) for figure, text in figures.items()]


def _help_figures(name: str, is_date: bool) -> dict[str, str]:
    def of(table: str, figure: str) -> str:
        return str(column(f"{name}_{figure}", table).sql("duckdb"))

    lower = of("low", "sums")
    upper = f"({of('low', 'total')} - {of('high', 'sums')} + {of('high', 'values')})"
    ends = {
        "min_lower": of("low", "least"),
        "min_upper": of("high", "values"),
        "max_lower": of("low", "values"),
        "max_upper": of("low", "most"),
    }
    if is_date:
        means = {"avg_lower": f"FLOOR({lower} / low.hits)", "avg_upper": f"CEIL({upper} / low.hits)"}
        return {figure: f"{EPOCH} + CAST({text} AS INT)" for figure, text in (means | ends).items()}
    means = {"avg_lower": f"{lower} / low.hits", "avg_upper": f"{upper} / low.hits"}
    return {"sum_lower": lower, "sum_upper": upper, **means, **ends}


def lists_of_groups(schema: Schema, kinds: dict[str, Types], some: GroupRange | None) -> exp.Select:
    """The lists of all sensitive columns side by side, in the order of the groups."""
    where = None if some is None else within(some, TABLE)
    lists = {name: lists_of(listed(name, schema), name, where, kinds[name]) for name in schema.listed}
    return side_by_side(lists).order_by(f"lists_0.{GROUP}")


def side_by_side(lists: dict[str, exp.Select]) -> exp.Select:
    """Tables with one row per group as one."""
    chosen = select("lists_0.*").from_("lists_0")
    for number, statement in enumerate(lists.values()):
        table = f"lists_{number}"
        if number:
            others = parsed(f"{table}.* EXCLUDE ({GROUP}, group_size)")
            chosen = chosen.select(others).join(table, on=f"lists_0.{GROUP} = {table}.{GROUP}")
        chosen = chosen.with_(table, as_=statement)
    return chosen


def kinds_of_lists(connection: duckdb.DuckDBPyConnection, schema: Schema) -> dict[str, Types]:
    return {name: _types(connection, schema, name) for name in schema.listed}


def listed(name: str, schema: Schema) -> exp.Expression:
    cells = column(name, TABLE)
    return days(cells) if name in schema.dates else cells


def _types(connection: duckdb.DuckDBPyConnection, schema: Schema, name: str) -> Types:
    """The narrowest types that hold every value and every running sum."""
    kind, _ = _kind(connection, name)
    if kind in ("DOUBLE", "FLOAT"):
        return Types("DOUBLE", "DOUBLE")
    value = listed(name, schema).sql("duckdb")
    totals = select(
        f"SUM(ABS(CAST({value} AS DECIMAL(38, {_scale(kind)})))) AS total", f"MAX(ABS({value})) AS most"
    )
    totals = totals.from_(TABLE).group_by(column(GROUP, TABLE))
    largest = select("MAX(most)", "MAX(total)").from_(totals.subquery("totals"))
    ((most, total),) = connection.execute(largest.sql("duckdb")).fetchall()
    if "DECIMAL" in kind:
        short = (total or 0) * 10 ** _scale(kind) < 10**18
        return Types(kind, f"DECIMAL({18 if short else 38}, {_scale(kind)})")
    return Types(_whole(most or 0), _whole(total or 0).replace("INTEGER", "BIGINT"))


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
    ((kind, missing),) = connection.execute(query.sql("duckdb")).fetchall()
    return str(kind or NUMERIC[0]), int(missing)
