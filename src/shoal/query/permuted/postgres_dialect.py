"""What PostgreSQL spells otherwise, beyond what the translation of dialects knows.

Ranges are rows there, not lists; only exact numbers are rounded to digits, and their means are decimals.
"""

from sqlglot import exp

MEANS = (exp.Avg, exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevSamp, exp.StddevPop)


def for_postgres(tree: exp.Expression) -> exp.Expression:
    """
    >>> from shoal.query.sql_text import sql_text
    >>> from shoal.query.syntax import trusted_sql
    >>> sql_text(for_postgres(trusted_sql("ROUND(x, 1)")), "postgres")
    'ROUND(CAST(x AS DECIMAL), 1)'
    """
    return tree.transform(_spelt)


def _spelt(node: exp.Expression) -> exp.Expression:
    if isinstance(node, MEANS) and not isinstance(node.parent, exp.Cast):
        return exp.cast(node, "DOUBLE")
    if isinstance(node, exp.Round) and node.args.get("decimals"):
        return exp.Round(this=exp.cast(node.this, "DECIMAL"), decimals=node.args["decimals"])
    if isinstance(node, exp.Explode | exp.Unnest):
        series = node.expressions[0] if isinstance(node, exp.Unnest) else node.this
        return series if isinstance(series, exp.GenerateSeries) else node
    return node
