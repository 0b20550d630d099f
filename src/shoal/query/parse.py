"""The user's SQL as a checked syntax tree: one SELECT over the table ``data``, and nothing else.

Everything is refused that is not on a list of what may stand in a query, so that what nobody thought of
is refused too. Only the tree goes on from here; comments and the text itself stay behind.
"""

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from shoal.errors import ShoalError
from shoal.query.literals import join_numbers, spell_as_published
from shoal.query.schema import TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column

LONGEST = 10_000
DEEPEST = 100
SHAPE = "ask like this: select gender, avg(salary) from data where age > 50 group by gender."
CLAUSES = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset")
REFUSED = {
    "distinct": "SELECT DISTINCT",
    "joins": "a join",
    "laterals": "a lateral join",
    "with_": "WITH",
    "windows": "a window",
    "qualify": "QUALIFY",
    "sample": "a sample",
    "into": "INTO",
    "hint": "a hint",
}
EXACT = frozenset(
    {
        exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren,
        exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE,
        exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.StartsWith, exp.Case, exp.If, exp.Coalesce,
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg,
        exp.Abs, exp.Round, exp.Floor, exp.Ceil,
        exp.Lower, exp.Upper, exp.Length, exp.Substring, exp.Trim, exp.Left, exp.Right, exp.DPipe,
        exp.Year, exp.Month, exp.Day, exp.Cast, exp.DataType, exp.DataTypeParam,
    }
)  # fmt: skip
SENSITIVE = frozenset(
    {
        exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Paren,
        exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In,
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg,
        exp.Cast, exp.DataType,
    }
)  # fmt: skip
OF_EXACT = (
    "use comparisons, + - * / // %, case, coalesce, cast, abs, round, floor, ceil, lower, upper, length, "
    "substring, trim, left, right, starts_with, like, year, month and day."
)
OF_SENSITIVE = "of a sensitive column use comparisons with numbers, words or dates, and + - * / with numbers."
TYPES = frozenset(
    exp.DataType.Type[name]
    for name in ("INT", "BIGINT", "SMALLINT", "DOUBLE", "DECIMAL", "VARCHAR", "TEXT", "DATE", "BOOLEAN")
)


def parse(text: str) -> exp.Select:
    """The tree of a query whose clauses, table and columns are all known."""
    tree = _tree(text)
    for clause, value in tree.args.items():
        if value and clause not in CLAUSES:
            raise ShoalError(
                f"{REFUSED.get(clause, clause.strip('_').upper())} cannot be answered with bounds", SHAPE
            )
    names = _table_names(tree)
    for found in list(tree.find_all(exp.Column)):
        _check_column(found, names)
    spell_as_published(tree)
    join_numbers(tree)
    return tree


def _tree(text: str) -> exp.Select:
    if len(text) > LONGEST:
        raise ShoalError(f"the query is longer than {LONGEST} characters", "ask a shorter question.")
    try:
        text.encode()
        _check_tokens(text)
        tree = sqlglot.parse_one(text, read="duckdb")
    except SqlglotError as error:
        raise ShoalError(f"the query cannot be read{_where(error)}", SHAPE) from None
    except UnicodeEncodeError:
        raise ShoalError("the query holds bytes that are no text", "write it in UTF-8.") from None
    except RecursionError:
        raise ShoalError("the query is nested too deeply", SHAPE) from None
    if not isinstance(tree, exp.Select):
        raise ShoalError("only a single SELECT can be answered", SHAPE)
    if _depth(tree) > DEEPEST:
        raise ShoalError("the query is nested too deeply", SHAPE)
    return tree


def _depth(tree: exp.Expression) -> int:
    """Levels of the tree; counted without recursion, which what comes later relies on."""
    level, depth = [tree], 0
    while level:
        level = [part for node in level for part in node.iter_expressions()]
        depth += 1
    return depth


def _check_tokens(text: str) -> None:
    """One statement that starts with SELECT: the parser never sees anything else."""
    tokens = [token.token_type for token in sqlglot.tokenize(text, read="duckdb")]
    while tokens and tokens[-1] == TokenType.SEMICOLON:
        tokens.pop()
    if tokens and tokens[0] == TokenType.WITH:
        raise ShoalError("WITH cannot be answered with bounds", SHAPE)
    if not tokens or tokens[0] != TokenType.SELECT:
        raise ShoalError("only a SELECT can be answered", SHAPE)
    if TokenType.SEMICOLON in tokens:
        raise ShoalError("several statements cannot be answered", "ask one question at a time.")


def _where(error: SqlglotError) -> str:
    places = getattr(error, "errors", None) or [{}]
    line, place = places[0].get("line"), places[0].get("col")
    return f" at line {line}, character {place}" if line else ""


def _table_names(tree: exp.Select) -> tuple[str, ...]:
    """How columns may name the table: ``data``, or its alias."""
    source = tree.args.get("from_")
    if source is None:
        raise ShoalError("the query names no table", f"add: from {TABLE}.")
    table = source.this if source else None
    if (
        not isinstance(table, exp.Table)
        or not isinstance(table.this, exp.Identifier)
        or table.name.lower() != TABLE
    ):
        raise ShoalError(f"a query reads the table {TABLE!r} and no other", SHAPE)
    alias = table.args.get("alias")
    if any(value for name, value in table.args.items() if name not in ("this", "alias")) or (
        alias and alias.args.get("columns")
    ):
        raise ShoalError(f"the table {TABLE!r} is read as it is", f"write: from {TABLE}.")
    return (alias.name.lower(),) if alias else (TABLE,)


def _check_column(found: exp.Column, names: tuple[str, ...]) -> None:
    extra = found.args.get("db") or found.args.get("catalog") or not isinstance(found.this, exp.Identifier)
    if extra or (found.table and found.table.lower() not in names):
        raise ShoalError(f"{sql_text(found)!r} is no column of the table {TABLE!r}", SHAPE)


def with_full_names(tree: exp.Expression, schema: Schema) -> exp.Expression:
    """The tree with every column under its full name."""
    return tree.transform(
        lambda node: column(schema.resolve(node.name), TABLE) if isinstance(node, exp.Column) else node
    )


def check_exact(tree: exp.Expression, schema: Schema) -> exp.Expression:
    """An expression over columns that are published as they are."""
    if used := sensitive_columns(tree, schema):
        raise ShoalError(
            f"{_spelt(tree)} needs the {used[0]!r} of single records, which the release does not tell",
            f"ask for an aggregate: avg({used[0]})."
            if used[0] in schema.listed
            else f"count: select count(*) from data where {used[0]} = '...'.",
        )
    check_nodes(tree, EXACT)
    return tree


def check_nodes(tree: exp.Expression, allowed: frozenset[type[exp.Expression]]) -> None:
    """Refuse a syntax tree that holds anything beyond the allowed nodes and types."""
    for node in tree.walk():
        if isinstance(node, exp.Query | exp.Exists) or _reads_a_query(node):
            raise ShoalError("sub-queries cannot be answered with bounds", "ask one question at a time.")
        if isinstance(node, exp.Window):
            raise ShoalError("window functions cannot be answered with bounds", "use GROUP BY.")
        if (
            type(node) not in allowed
            or _may_be_missing(node, allowed)
            or (allowed is SENSITIVE and isinstance(node, exp.Cast) and not _is_date(node))
        ):
            raise ShoalError(
                f"{_spelt(node)} cannot stand here",
                OF_SENSITIVE if allowed is SENSITIVE else OF_EXACT,
            )
        if isinstance(node, exp.DataType) and node.this not in TYPES:
            raise ShoalError(f"type {_spelt(node)} cannot stand here", "cast to numbers, text or dates.")


def _reads_a_query(node: exp.Expression) -> bool:
    return isinstance(node, exp.In) and any(node.args.get(name) for name in ("query", "unnest", "field"))


def _may_be_missing(node: exp.Expression, allowed: frozenset[type[exp.Expression]]) -> bool:
    """A sensitive value over anything but a number could be NULL, which no help table knows."""
    divisor = node.args.get("expression")
    number = isinstance(divisor, exp.Literal) and not divisor.is_string and float(divisor.this) != 0
    return allowed is SENSITIVE and isinstance(node, exp.Div) and not number


def _is_date(node: exp.Cast) -> bool:
    return isinstance(node.this, exp.Literal) and node.this.is_string and node.to.is_type("date")


def _spelt(node: exp.Expression) -> str:
    return repr(sql_text(node))


def sensitive_columns(tree: exp.Expression, schema: Schema) -> list[str]:
    """The permuted columns that a resolved expression reads."""
    return sorted({name for name in column_names(tree) if name in schema.sensitive})


def column_names(tree: exp.Expression) -> Iterator[str]:
    """The name of every column that occurs in an expression, as often as it occurs."""
    for found in tree.find_all(exp.Column):
        yield found.name
