"""Aggregates of columns that are published as they are: computed as they stand."""

from sqlglot import exp

from shoal.query.parse import check_exact
from shoal.query.scope import Scope


def exact_aggregate(call: exp.Expression, scope: Scope) -> exp.Select:
    for part in _parts(call):
        check_exact(part, scope.schema)
    figures = (exp.alias_(call.copy(), figure) for figure in ("lower", "expected", "upper"))
    return scope.by_key(scope.of_data(scope.keyed_data().select(*figures, "0 AS sd")))


def _parts(call: exp.Expression) -> list[exp.Expression]:
    parts = [part for part in call.args.values() if isinstance(part, exp.Expression)]
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Distinct) and not call.this.args.get("on"):
        return list(call.this.expressions)
    return parts
