"""Small pieces of syntax trees. Names that a table brings along are always quoted."""

from sqlglot import exp

from shoal.query.schema import GROUP


def select(*expressions: exp.Expression | str) -> exp.Select:
    return exp.select(*expressions, dialect="duckdb")


def column(name: str, table: str | None = None) -> exp.Column:
    """A column of a table, whatever it is called.

    >>> column("net pay", "data").sql("duckdb")
    'data."net pay"'
    """
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def parsed(text: str) -> exp.Expression:
    """An expression of our own, never one of the user's."""
    return exp.maybe_parse(text, dialect="duckdb")


def same(left: str, right: str, names: tuple[str, ...]) -> exp.Expression | None:
    """Two tables agree in these columns, where missing equals missing."""
    return (
        exp.and_(*(parsed(f"{left}.{name} IS NOT DISTINCT FROM {right}.{name}") for name in names))
        if names
        else None
    )


def in_group(ranks: str) -> exp.Expression:
    """The rows of a help table, called ``ranks``, that belong to a group which the query hits."""
    return parsed(f"{ranks}.{GROUP} = hits.{GROUP}")
