"""COUNT: exact, for the conditions are on columns that are published as they are.

Sensitive columns have no missing values, so counting them counts rows.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, exactly
from shoal.query.permuted.scope import Scope
from shoal.query.syntax import trusted_sql


def count_rows(call: exp.Expression, scope: Scope) -> Cell:
    """The exact number of rows that the query selects."""
    if not isinstance(call.this, exp.Star):
        scope.listed_column(call.this)
    return exactly(trusted_sql(scope.total))
