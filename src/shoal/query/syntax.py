"""Small pieces of syntax trees. Names that a table brings along are always quoted."""

from sqlglot import exp

EPOCH = "CAST('1970-01-01' AS DATE)"
UNKNOWN = "CAST(NULL AS DOUBLE)"


def select(*expressions: exp.Expression | str) -> exp.Select:
    """A SELECT of these expressions, read in DuckDB's dialect."""
    return exp.select(*expressions, dialect="duckdb")


def column(name: str, table: str | None = None) -> exp.Column:
    """A column of a table, whatever it is called.

    >>> str(column("net pay", "data"))
    'data."net pay"'
    """
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def trusted_sql(text: str) -> exp.Expression:
    """An expression of our own, never one of the user's."""
    return exp.maybe_parse(text, dialect="duckdb")


def equal_columns(left: str, right: str, names: tuple[str, ...]) -> exp.Expression:
    """Two tables agree in these columns, where missing equals missing."""
    pairs = (trusted_sql(f"{left}.{name} IS NOT DISTINCT FROM {right}.{name}") for name in names)
    return exp.and_(*pairs) if names else exp.true()


def days(date: exp.Expression) -> exp.Expression:
    """A date as a whole number, which sums and means can be taken of."""
    return exp.paren(exp.Sub(this=date, expression=trusted_sql(EPOCH)))


def date_of(number: str) -> str:
    """The date that `days` gave the number of."""
    return f"{EPOCH} + CAST({number} AS INT)"


def window(partition: tuple[str, ...], order: str, rows: bool = True) -> str:
    """A window over all rows up to the current one; without ``rows`` those of equal rank are in it too."""
    by = f"PARTITION BY {', '.join(partition)} " if partition else ""
    return f"({by}ORDER BY {order}{' ROWS UNBOUNDED PRECEDING' if rows else ''})"
