"""MEDIAN and quantiles: the quantile of the all-lowest and of the all-highest choice.

Every choice lies between these two, value by value in order, and a quantile rises with each of its values.
The value of a rank is looked for in the groups that can hold it: the r-th value is not below the first
start of a group where the groups begun so far have r hits, and not above the first end of one where the
groups ended so far have r. The expectation over permutations has no short formula and is not told.
"""

from dataclasses import dataclass

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.cell import Cell, bounds
from shoal.query.lists import Lists
from shoal.query.schema import GROUP
from shoal.query.scope import HITS, Scope
from shoal.query.syntax import select, window

CONTINUOUS = (exp.Median, exp.PercentileCont)


@dataclass(frozen=True)
class Ranks:
    """The places of a quantile in the ordered hits; between two places it is in proportion."""

    first: str
    last: str
    part: str


def quantile_bounds(call: exp.Expression, scope: Scope) -> Cell:
    share = "0.5" if isinstance(call, exp.Median) else _share(call)
    lists = scope.lists(call.this)
    ranks = _ranks(share, scope.total, isinstance(call, CONTINUOUS))
    hits, size = "hits.hits", lists.size
    lowest, highest = ("1", hits), (f"{size} - {hits} + 1", size)
    return bounds(*(_quantile(lists, ends, ranks, scope) for ends in (lowest, highest)))


def _ranks(share: str, total: str, continuous: bool) -> Ranks:
    if not continuous:
        rank = f"GREATEST(CEIL({total} * {share}), 1)"
        return Ranks(rank, rank, "0")
    place = f"({total} - 1) * {share}"
    return Ranks(f"FLOOR({place}) + 1", f"CEIL({place}) + 1", f"{place} - FLOOR({place})")


def _quantile(lists: Lists, ends: tuple[str, str], ranks: Ranks, scope: Scope) -> str:
    """The column of the quantile of one choice, which takes the values between two places of each group."""
    first, last = ends
    chosen = scope.beside(lists, HITS).select(
        f"hits.{GROUP}", "hits.hits", f"{lists.at(first)} AS first", f"{lists.at(last)} AS last",
        dialect="duckdb",
    )  # fmt: skip
    counted = scope.step("chosen", _counted(chosen, scope))
    brackets = scope.step("brackets", _brackets(counted, ranks, scope))
    near = scope.joined(counted, brackets).select(f"{counted}.{GROUP}", f"{counted}.hits", dialect="duckdb")
    near = near.select("since", "low_rank", "high_rank", dialect="duckdb").where("last >= since AND first <= until")
    table = scope.step("near", near)
    below = _below(counted, brackets, scope)
    values = lists.between(*(end.replace("hits.hits", f"{table}.hits") for end in ends))
    found = scope.beside(lists, table).select("low_rank", "high_rank", f"{values} AS value", dialect="duckdb")
    place = f"ROW_NUMBER() OVER {window(scope.key_names, 'value')} AS place"
    placed = scope.step("placed", select("*", place).from_(found.subquery("found")))
    return _between(placed, below, ranks, scope)


def _counted(chosen: exp.Select, scope: Scope) -> exp.Select:
    sums = (
        f"SUM(hits) OVER {window(scope.key_names, end, rows=False)} AS {name}"
        for end, name in (("first", "begun"), ("last", "ended"))
    )
    return select("*", *sums).from_(chosen.subquery("chosen"))


def _brackets(counted: str, ranks: Ranks, scope: Scope) -> exp.Select:
    """Between which values the ranks lie."""
    ranked = scope.joined(counted, "met").select("first", "last", "begun", "ended", dialect="duckdb")
    ranked = ranked.select(f"{ranks.first} AS low_rank", f"{ranks.last} AS high_rank", dialect="duckdb")
    table = scope.step("ranked", ranked)
    return scope.keyed(table).select(
        "MIN(CASE WHEN begun >= low_rank THEN first END) AS since",
        "MIN(CASE WHEN ended >= high_rank THEN last END) AS until",
        "MIN(low_rank) AS low_rank",
        "MIN(high_rank) AS high_rank",
        dialect="duckdb",
    )


def _below(counted: str, brackets: str, scope: Scope) -> str:
    """How many hits are surely before the bracket."""
    names = [f"{counted}.{name}" for name in scope.key_names]
    count = f"SUM(CASE WHEN {counted}.last < since THEN {counted}.hits ELSE 0 END) AS below"
    found = scope.joined(counted, brackets).select(count, dialect="duckdb")
    return scope.step("below", found.group_by(*names) if names else found)


def _between(placed: str, below: str, ranks: Ranks, scope: Scope) -> str:
    names = [f"{placed}.{name}" for name in scope.key_names]
    low, high = (
        f"CAST(MIN(CASE WHEN place + below = {rank} THEN value END) AS DOUBLE)"
        for rank in ("low_rank", "high_rank")
    )
    found = scope.joined(placed, below).select(f"{low} AS low", f"{high} AS high", dialect="duckdb")
    table = scope.end("quantile", found.group_by(*names) if names else found)
    return f"{table}.low + ({table}.high - {table}.low) * ({ranks.part})"


def _share(call: exp.Expression) -> str:
    share = call.args.get("quantile") or call.args.get("expression")
    if isinstance(share, exp.Literal) and not share.is_string and 0 <= float(share.this) <= 1:
        return str(share.this)
    raise ShoalError(
        "the share of a quantile is a number from 0 to 1", "ask like this: quantile_cont(salary, 0.25)."
    )
