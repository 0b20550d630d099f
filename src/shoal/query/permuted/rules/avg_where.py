"""AVG under a condition on a sensitive column, over all choices that hold at least one fitting value.

The lowest average takes the smallest fitting values that are forced in each group; each further one, in
rising order over all groups, is taken as long as it lowers the average. The best such prefix is the
exact bound; where nothing is forced, it is one value. The highest average is the same from above.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, bounds
from shoal.query.permuted.rules.where import FittingSpans, fitting_spans
from shoal.query.permuted.scope import Scope
from shoal.query.syntax import select, window


def avg_where(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds of AVG over the rows that may fit a condition; an expectation is not told."""
    found = fitting_spans(call.this, scope)
    return bounds(*(_end(found, scope, downwards) for downwards in (False, True)))


def _end(found: FittingSpans, scope: Scope, downwards: bool) -> str:
    """The average of what is forced, or the best one that takes further values."""
    look = found.look()
    forced, most = found.of("forced"), found.of("most")
    count = look.add("forced", f"SUM({forced})")
    name, best = ("largest", "MAX") if downwards else ("smallest", "MIN")
    total = look.add(f"{name}_forced", f"SUM({getattr(found, name)(forced)})")
    ends = (
        (f"{found.end} - {most} + 1", f"{found.end} - {forced}")
        if downwards
        else (f"{found.of('below')} + {forced} + 1", f"{found.of('below')} + {most}")
    )
    values, times = found.lists.counts_between(*ends)
    free = scope.join_lists(found.lists, found.spans).select(
        f"{values} AS value", f"{times} AS times", dialect="duckdb"
    )
    over = window(scope.key_names, "value DESC" if downwards else "value")
    running = select(
        *scope.key_names,
        "value",
        f"SUM(value * times) OVER {over} AS total",
        f"SUM(times) OVER {over} AS place",
    )
    table = scope.step("free", running.from_(free.subquery("free")))
    average = f"({total} + {table}.total) / ({count} + {table}.place)"
    averages = scope.joined(table, look.name).select(
        f"CASE WHEN {count} = 0 THEN {table}.value ELSE {average} END AS average", dialect="duckdb"
    )
    end = scope.end(
        "average", scope.keyed(scope.step("averages", averages)).select(f"{best}(average) AS average")
    )
    return f"{'GREATEST' if downwards else 'LEAST'}({total} / NULLIF({count}, 0), {end}.average)"
