"""Aggregates of columns that are published as they are: computed as they stand."""

from sqlglot import exp

from shoal.query.parse import check_exact
from shoal.query.permuted.cell import Cell, exactly
from shoal.query.permuted.scope import Scope
from shoal.query.syntax import trusted_sql


def exact_aggregate(call: exp.Expression, scope: Scope) -> Cell:
    """An aggregate of exact columns, computed by the database on the rows themselves."""
    for part in _parts(call):
        check_exact(part, scope.schema)
    rows = scope.look("exact", scope.by_key(scope.of_data(scope.keyed_data())))
    return exactly(trusted_sql(rows.add("figure", call.copy())))


def _parts(call: exp.Expression) -> list[exp.Expression]:
    parts = [part for part in call.args.values() if isinstance(part, exp.Expression)]
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Distinct) and not call.this.args.get("on"):
        return list(call.this.expressions)
    return parts
