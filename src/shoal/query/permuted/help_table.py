"""The paper's help table: for each group and number of hits the bounds of what so many of its values give.

The m smallest values of a group end at place m, the m largest begin at place N - m + 1. So every row needs
two places of its group, found in its lists or, where lists of large groups would not fit into memory, in the
rows themselves, which the engine sorts and joins on disk.
"""

from sqlglot import exp

from shoal.query.permuted.lists import Lists
from shoal.query.schema import GROUP, GROUPS, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, date_of, select, trusted_sql


def help_rows(schema: Schema, places: exp.Select) -> exp.Select:
    """One row for each group and number of hits. What so many hits take from above ends where they begin."""
    chosen = select(f"low.{GROUP}", "low.hits", "low.group_size").from_("places AS low")
    chosen = chosen.join(
        "places AS high", on=f"low.{GROUP} = high.{GROUP} AND high.hits = low.group_size - low.hits + 1"
    )
    for name in schema.listed:
        chosen = chosen.select(*_named(name, _bounds(name, name in schema.dates)))
    return chosen.with_("places", as_=places)


def places_in_lists(schema: Schema) -> exp.Select:
    """Every place of every group, with the value there, the sum up to there, and the group's ends."""
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
    return places


def places_in_rows(ordered: dict[str, exp.Select]) -> exp.Select:
    """The same of rows that are `in_order`, by column."""
    places = select(f"order_0.{GROUP}", "ends_0.group_size", "CAST(order_0.place AS BIGINT) AS hits")
    places = places.from_("order_0")
    for number, (name, rows) in enumerate(ordered.items()):
        order, ends = f"order_{number}", f"ends_{number}"
        if number:
            places = places.join(
                order, on=f"order_0.{GROUP} = {order}.{GROUP} AND order_0.place = {order}.place"
            )
        places = places.join(ends, on=f"order_0.{GROUP} = {ends}.{GROUP}")
        figures = {"values": f"{order}.value", "sums": f"{order}.running"}
        figures |= {end: f"{ends}.{end}" for end in ("least", "most", "total")}
        places = places.select(*_named(name, figures)).with_(order, as_=rows).with_(ends, as_=_ends(order))
    return places


def _ends(order: str) -> exp.Select:
    total = "ARG_MAX(running, place) AS total"
    ends = select(GROUP, "COUNT(*) AS group_size", "MIN(value) AS least", "MAX(value) AS most", total)
    return ends.from_(order).group_by(GROUP)


def _named(name: str, figures: dict[str, str]) -> list[exp.Expression]:
    return [
        exp.alias_(trusted_sql(text), f"{name}_{figure}", quoted=True) for figure, text in figures.items()
    ]


def _bounds(name: str, is_date: bool) -> dict[str, str]:
    def of(table: str, figure: str) -> str:
        return sql_text(column(f"{name}_{figure}", table))

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
        return {figure: date_of(text) for figure, text in (means | ends).items()}
    means = {"avg_lower": f"{lower} / low.hits", "avg_upper": f"{upper} / low.hits"}
    return {"sum_lower": lower, "sum_upper": upper, **means, **ends}
