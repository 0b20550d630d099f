"""The user's query as one statement over the released table and the lists of its groups.

``hits`` counts the rows that fit for each group; a pass over the groups that are hit gives all that needs no
more, one row per key; the last step puts passes side by side, and filters, orders and cuts.
"""

from dataclasses import dataclass, field

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.clauses import Clauses, read_clauses
from shoal.query.parse import EXACT, SHAPE, check_nodes, parse
from shoal.query.permuted.aggregates import aggregate_cell, aggregate_cells, is_aggregate, is_date
from shoal.query.permuted.cell import FIGURES, Cell
from shoal.query.permuted.postgres_dialect import for_postgres
from shoal.query.permuted.rules.count_where import count_where
from shoal.query.permuted.scope import MET, Pass, Scope
from shoal.query.schema import Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import equal_columns, select, trusted_sql

ROWS = exp.Count(this=exp.Star())
ORDERED = (
    "Rows are ordered by expected values, and LIMIT keeps the first by this order: the true order may differ."
)
PER_ROW = "The bounds of each row hold one by one; together they may be narrower."
MAY_BE_NONE = "A row may not exist at all where the condition on {name!r} fits no record of it."
MAY_BE_NULL = (
    "Where the condition on {name!r} fits no record, the true answer may be NULL; a sum counts that as 0."
)


@dataclass(frozen=True)
class FigurePlace:
    """Where the figures of a key or an aggregate stand in a row: one of a key, four or six of a cell."""

    start: int
    cell: Cell | None


@dataclass(frozen=True)
class OrderTerm:
    """What rows are ordered by: an expression of aggregates, or a key, whose rank stands in a column."""

    tree: exp.Expression
    rank: int | None
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Rewritten:
    """A statement that gives all keys and aggregates, and the items that are made of these.

    ``order`` and what follows it are left to who has the answers, if the order is one of aggregates.
    """

    statement: exp.Select
    items: tuple[tuple[str, exp.Expression], ...]
    places: dict[exp.Expression, FigurePlace]
    dates: frozenset[str]  # the names of items that are dates, counted in days since 1970
    notes: tuple[str, ...]
    order: tuple[OrderTerm, ...] = ()
    limit: int | None = None
    offset: int | None = None

    def sql(self, dialect: str = "duckdb", pretty: bool = False) -> str:
        """The statement in the words of ``duckdb`` or ``postgres``."""
        statement = for_postgres(self.statement) if dialect == "postgres" else self.statement
        return sql_text(statement, dialect, pretty)


@dataclass
class _Columns:
    """The columns of the statement, each key and aggregate once."""

    scope: Scope
    columns: list[exp.Expression]
    places: dict[exp.Expression, FigurePlace] = field(default_factory=dict)

    def add(self, tree: exp.Expression) -> dict[exp.Expression, Cell]:
        """A key, or all aggregates of an expression; gives the cells of these."""
        if tree in self.scope.keys:
            self._place(tree, None, {"": _key(tree, self.scope)})
            return {}
        known = {call: place.cell for call, place in self.places.items() if place.cell is not None}
        cells = aggregate_cells(tree, self.scope, known)
        for call, cell in cells.items():
            self._place(call, cell, dict(zip(FIGURES, cell.figures(), strict=False)))
        return cells

    def add_rank(self, key: exp.Expression) -> int:
        """Add the place of a key among all keys; a missing one stands nowhere."""
        value = sql_text(_key(key, self.scope))
        rank = f"CASE WHEN {value} IS NOT NULL THEN DENSE_RANK() OVER (ORDER BY {value}) END"
        self.columns.append(exp.alias_(trusted_sql(rank), f"rank_{len(self.columns)}"))
        return len(self.columns) - 1

    def _place(self, tree: exp.Expression, cell: Cell | None, figures: dict[str, exp.Expression]) -> None:
        if tree in self.places:
            return
        number = len(self.places)
        self.places[tree] = FigurePlace(len(self.columns), cell)
        for name, figure in figures.items():
            named = f"item_{number}_{name}" if name else f"item_{number}"
            self.columns.append(exp.alias_(figure.copy(), named))


def rewrite(text: str, schema: Schema) -> Rewritten:
    """Refuses whatever cannot be answered with bounds, with the reason."""
    clauses = read_clauses(parse(text), schema)
    scope = Scope(schema, clauses.keys, clauses.where, clauses.condition)
    columns = _Columns(scope, [trusted_sql(f"{scope.total} AS hits")])
    cells = {name: columns.add(tree) for name, tree in clauses.items}
    if not scope.keys and not any(cells.values()):
        raise ShoalError("the query asks for no aggregate", SHAPE)
    dates = frozenset(name for name, tree in clauses.items if is_date(tree, cells[name]))
    ranked = [cell for term in clauses.order for cell in columns.add(term.this).values()]
    order = _terms(clauses, columns) if ranked else ()
    statement = _with_having(select(*columns.columns), clauses, scope)
    if not order:
        statement = _in_order_of_keys(statement, clauses, scope)
    for name in scope.key_names:
        statement = statement.order_by(f"{MET}.{name}", dialect="duckdb")
    uncertain = any(not cell.exact for found in cells.values() for cell in found.values())
    notes = _notes(scope, columns.places, uncertain, any(not cell.exact for cell in ranked))
    limits = (clauses.limit, clauses.offset) if order else (None, None)
    return Rewritten(_joined(statement, scope), clauses.items, columns.places, dates, notes, order, *limits)


def _with_having(statement: exp.Select, clauses: Clauses, scope: Scope) -> exp.Select:
    """HAVING, over what is exact; and no row that cannot exist."""
    if scope.condition is not None and scope.keys:
        possible = count_where(ROWS, scope).upper
        statement = statement.where(exp.GT(this=possible, expression=exp.Literal.number(0)))
    if clauses.having is None:
        return statement
    having = clauses.having.transform(lambda node: _exact_part(node, clauses, scope))
    check_nodes(having, EXACT)
    return statement.where(having)


def _exact_part(node: exp.Expression, clauses: Clauses, scope: Scope) -> exp.Expression:
    if node in clauses.keys:
        return _key(node, scope)
    if not is_aggregate(node) and not isinstance(node, exp.Column):
        return node
    cell = aggregate_cell(node, scope)
    if not cell.exact:
        raise ShoalError(
            "HAVING asks for an aggregate that is known within bounds only",
            "let HAVING use keys of GROUP BY, aggregates of exact columns and, unless a condition is on a "
            "sensitive column, count(*).",
        )
    return cell.lower


def _in_order_of_keys(statement: exp.Select, clauses: Clauses, scope: Scope) -> exp.Select:
    for term in clauses.order:
        ordered = term.copy()
        ordered.set("this", _key(term.this, scope))
        statement = statement.order_by(ordered)
    for clause, count in (("limit", clauses.limit), ("offset", clauses.offset)):
        if count is not None:
            statement = getattr(statement, clause)(count)
    return statement


def _terms(clauses: Clauses, columns: _Columns) -> tuple[OrderTerm, ...]:
    """The order of rows by aggregates; keys take part in it by their rank among all keys."""
    terms = []
    for term in clauses.order:
        rank = columns.add_rank(term.this) if term.this in clauses.keys else None
        down, first = (bool(term.args.get(name)) for name in ("desc", "nulls_first"))
        terms.append(OrderTerm(term.this, rank, down, first))
    return tuple(terms)


def _key(tree: exp.Expression, scope: Scope) -> exp.Expression:
    return trusted_sql(f"{MET}.{scope.key_names[scope.keys.index(tree)]}")


def _joined(statement: exp.Select, scope: Scope) -> exp.Select:
    """All that has one row per key beside the first pass, and the tables that these are made from."""
    if merged := scope.merge_counts():
        statement = statement.transform(lambda node: _renamed(node, merged))
    statement = statement.from_(MET)
    passes = {name: found.statement() for name, found in scope.passes.items()}
    for name in (*passes, *scope.ends):
        if name != MET:
            on = equal_columns(MET, name, scope.key_names)
            statement = statement.join(name, on=on, join_type="left", copy=False)
    for name, table in (*scope.sources.items(), *passes.items(), *scope.steps.items()):
        query = table.statement() if isinstance(table, Pass) else table
        statement = statement.with_(name, as_=query, copy=False)
    return statement


def _renamed(node: exp.Expression, merged: str) -> exp.Expression:
    """The figures of a pass that became the first one."""
    return exp.column(node.this, table=MET) if isinstance(node, exp.Column) and node.table == merged else node


def _notes(
    scope: Scope, places: dict[exp.Expression, FigurePlace], uncertain: bool, ordered: bool
) -> tuple[str, ...]:
    notes = [PER_ROW] if scope.keys and uncertain else []
    if ordered:
        notes.append(ORDERED)
    counts_only = all(isinstance(call, exp.Count) for call in places)
    if scope.condition is not None and (scope.keys or not counts_only):
        note = MAY_BE_NONE if scope.keys else MAY_BE_NULL
        notes.append(note.format(name=scope.sensitive_column(scope.condition)))
    return tuple(notes)
