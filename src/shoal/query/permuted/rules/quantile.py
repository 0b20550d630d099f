"""MEDIAN and quantiles: the quantile of the all-lowest and of the all-highest choice.

Every choice lies between these two, value by value in order, and a quantile rises with each of its values.
The expectation over permutations has no short formula and is not told. What lies between two decimals the
engine cuts to their digits: the bounds hold both, the number between them and what the engine makes of it.
"""

import re
from dataclasses import replace

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.permuted.cell import Cell, bounds
from shoal.query.permuted.counted_lists import CountedLists
from shoal.query.permuted.lists import Lists
from shoal.query.permuted.scope import HITS, Pass, Scope
from shoal.query.schema import COUNTED, GROUPS
from shoal.query.syntax import select, trusted_sql, window

CONTINUOUS = (exp.Median, exp.PercentileCont)
HALF = 0.5
SHORT = re.compile(r"[0-9.]{1,18}")  # a share that is counted without rounding
CHOICES = ("lowest", "highest")
FINE, NEAR = 2**10, 2**42  # a share of one, so fine, of a whole number so near to 0 is a float
ROUNDING = 1e-15


def quantile_bounds(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds of MEDIAN and of the quantile at a given share."""
    lists = scope.lists(call.this)
    share = str(HALF) if isinstance(call, exp.Median) else _share(call)
    continuous = isinstance(call, CONTINUOUS)  # between values; otherwise one of them, digit by digit
    whole = lists.table in (GROUPS, COUNTED) and lists.name in scope.schema.whole
    if isinstance(lists, CountedLists):
        if continuous and whole:
            return _counted_quantile(lists, share, scope)
        if not continuous and SHORT.fullmatch(share):
            return bounds(*(_counted_value(lists, share, choice, scope) for choice in CHOICES))
    function = "QUANTILE_CONT" if continuous else "QUANTILE_DISC"
    ends = _ends(lists, scope, f"{function}({{}}, {share})")
    if whole or not continuous:
        return bounds(*ends)
    between = _ends(lists, scope, f"{function}(CAST({{}} AS DOUBLE), {share})")
    return replace(bounds(*between), cut=tuple(map(trusted_sql, ends)))


def _ends(lists: Lists, scope: Scope, figure: str) -> tuple[str, ...]:
    """A figure of the two choices."""
    look = _choices(lists, scope)
    ends = (("lower", "lowest"), ("upper", "highest"))
    return tuple(look.add(f"quantile_{end}", figure.format(choice)) for end, choice in ends)


def _choices(lists: Lists, scope: Scope) -> Pass:
    """The two choices, value by value, for all quantiles of these lists."""
    size = lists.size
    values = scope.join_lists(lists, HITS).select(
        f"{lists.between('1', 'hits.hits')} AS lowest",
        f"{lists.between(f'{size} - hits.hits + 1', size)} AS highest",
        dialect="duckdb",
    )
    table = scope.source("choices", values)
    return scope.look(f"quantiles_{table}", scope.keyed(table), row_per_hit=True)


def _counted_quantile(lists: CountedLists, share: str, scope: Scope) -> Cell:
    """The engine rounds what lies between two values in a way of its own: the bounds leave room for that,
    unless both choices are the same or nothing is rounded. Between equal values it is that value. Dates are
    told as they come."""
    (lower, low_room), (upper, high_room) = (
        _between_values(lists, share, choice, scope) for choice in CHOICES
    )
    if lists.name in scope.schema.dates:
        return bounds(lower, upper)
    differ = f"CASE WHEN {lower} < {upper} THEN"
    return bounds(f"{lower} - {differ} {low_room} ELSE 0 END", f"{upper} + {differ} {high_room} ELSE 0 END")


def _between_values(lists: CountedLists, share: str, choice: str, scope: Scope) -> tuple[str, str]:
    """The quantile of a choice in which values repeat: between the two values around its place, and how far
    that may be rounded."""
    look = _places(lists, choice, scope, f"CAST({{count}} - 1 AS DOUBLE) * CAST({share} AS DOUBLE)")
    below, above = (
        look.add(name, f"CAST(MIN(CASE WHEN last > {end}(place) THEN value END) AS DOUBLE)")
        for name, end in (("below", "FLOOR"), ("above", "CEIL"))
    )
    part = look.add("part", "MIN(place - FLOOR(place))")
    size = f"(ABS({below}) + ABS({above}))"
    exact = f"{below} = {above} OR {part} * {FINE} = FLOOR({part} * {FINE}) AND {size} < {NEAR}"
    room = f"CASE WHEN {exact} THEN 0 ELSE {ROUNDING} * {size} END"
    between = f"{below} * (1 - {part}) + {above} * {part}"
    return f"CASE WHEN {below} = {above} THEN {below} ELSE {between} END", room


def _counted_value(lists: CountedLists, share: str, choice: str, scope: Scope) -> str:
    """The value at the place of a share."""
    look = _places(lists, choice, scope, f"GREATEST(CEIL(CAST({{count}} AS DECIMAL(18, 0)) * {share}), 1)")
    return look.add("value", "MIN(CASE WHEN last >= place THEN value END)")


def _places(lists: CountedLists, choice: str, scope: Scope, place: str) -> Pass:
    """Every value of a choice, with its last place there, and the place that is asked for, by the count."""
    taken = select(*scope.key_names, "value", f"SUM({choice}) AS times").from_(_choice_counts(lists, scope))
    taken = taken.group_by(*scope.key_names, "value").having(f"SUM({choice}) > 0")
    by_key = f"PARTITION BY {', '.join(scope.key_names)}" if scope.keys else ""
    asked = place.format(count=f"SUM(times) OVER ({by_key})")
    running = select(*scope.key_names, "value", f"{asked} AS place")
    running = running.select(f"SUM(times) OVER {window(scope.key_names, 'value')} AS last", dialect="duckdb")
    table = scope.source(f"{choice}_places", running.from_(taken.subquery("taken")))
    return scope.look(f"quantiles_{table}", scope.keyed(table))


def _choice_counts(lists: CountedLists, scope: Scope) -> str:
    """How often each value is taken in the two choices."""
    runs = scope.join_lists(lists, HITS).select(*lists.runs, "hits.hits", lists.size, dialect="duckdb")
    times = {
        "lowest": "LEAST(last, hits) - LEAST(since, hits)",
        "highest": "LEAST(group_size - since, hits) - LEAST(group_size - last, hits)",
    }
    figures = (f"{text} AS {choice}" for choice, text in times.items())
    return scope.source("runs", select(*scope.key_names, "value", *figures).from_(runs.subquery("met_runs")))


def _share(call: exp.Expression) -> str:
    share = call.args.get("quantile") or call.args.get("expression")
    if isinstance(share, exp.Literal) and not share.is_string and 0 <= float(share.this) <= 1:
        return str(share.this)
    raise ShoalError(
        "the share of a quantile is a number from 0 to 1", "ask like this: quantile_cont(salary, 0.25)."
    )
