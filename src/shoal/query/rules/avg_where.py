"""AVG under a condition on a sensitive column, over all choices that hold at least one fitting value.

The lowest average takes the smallest fitting values that are forced in each group; each further one, in
rising order over all groups, is taken as long as it lowers the average. The best such prefix is the
exact bound. The highest average is the same from above.
"""

from sqlglot import exp

from shoal.query.rules.where import fitting_values
from shoal.query.scope import Scope
from shoal.query.syntax import same, select


def avg_where(call: exp.Expression, scope: Scope) -> exp.Select:
    low, high = (_end(call.this, scope, downwards) for downwards in (False, True))
    return (
        select(*(f"{low}.{name}" for name in scope.key_names), f"{low}.average AS lower")
        .select(
            "CAST(NULL AS DOUBLE) AS expected",
            f"{high}.average AS upper",
            "CAST(NULL AS DOUBLE) AS sd",
            dialect="duckdb",
        )
        .from_(low)
        .join(high, on=same(low, high, scope.key_names) or exp.true())
    )


def _end(value: exp.Expression, scope: Scope, downwards: bool) -> str:
    first, order, best = ("infinity", "step DESC", "MAX") if downwards else ("-infinity", "step", "MIN")
    rows = fitting_values(value, scope, downwards).where("place <= most").select("value")
    rows.set("group", None)
    step = f"CASE WHEN place <= forced THEN CAST('{first}' AS DOUBLE) ELSE value END AS step"
    steps = scope.add("steps", rows.select(step, dialect="duckdb"))
    keys = ", ".join(scope.key_names)
    window = f"({'PARTITION BY ' + keys if keys else ''} ORDER BY {order})"
    averages = select(
        *scope.key_names, f"SUM(value) OVER {window} / COUNT(*) OVER {window} AS average"
    ).from_(steps)
    return scope.add(
        "ends", scope.keyed(scope.add("averages", averages)).select(f"{best}(average) AS average")
    )
