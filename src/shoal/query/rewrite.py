"""The user's query as one statement over the released table and the lists of its groups.

``hits`` counts the rows that fit for each group; a pass over the groups that are hit gives all that needs no
more, one row per key; the last step puts passes side by side, and filters, orders and cuts.
"""

from dataclasses import dataclass

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.cell import FIGURES, Cell
from shoal.query.clauses import Clauses, read_clauses
from shoal.query.dialect import for_postgres
from shoal.query.evaluate import evaluate, is_aggregate
from shoal.query.parse import EXACT, SHAPE, check_nodes, parse
from shoal.query.rules.count_where import count_where
from shoal.query.schema import Schema
from shoal.query.scope import MET, Pass, Scope
from shoal.query.syntax import parsed, same, select

ROWS = exp.Count(this=exp.Star())
ORDERED = (
    "Rows are ordered by expected values, and LIMIT keeps the first by this order: the true order may differ."
)
PER_ROW = "The bounds of each row hold one by one; together they may be narrower."
MAY_BE_NONE = "A row may not exist at all where the condition on {name!r} fits no record of it."


@dataclass(frozen=True)
class Rewritten:
    statement: exp.Select
    columns: tuple[tuple[str, bool], ...]  # the name, and whether it is a key of GROUP BY
    notes: tuple[str, ...]
    dates: frozenset[str] = frozenset()  # the names of answers that are counted in days since 1970

    def sql(self, dialect: str = "duckdb", pretty: bool = False) -> str:
        """The statement in the words of ``duckdb`` or ``postgres``."""
        statement = for_postgres(self.statement) if dialect == "postgres" else self.statement
        return str(statement.sql(dialect, pretty=pretty, comments=False))


def rewrite(text: str, schema: Schema) -> Rewritten:
    """Refuses whatever cannot be answered with bounds, with the reason."""
    clauses = read_clauses(parse(text), schema)
    scope = Scope(schema, clauses.keys, clauses.where, clauses.condition)
    if not scope.keys and not any(is_aggregate(node) for _, tree in clauses.items for node in tree.walk()):
        raise ShoalError("the query asks for no aggregate", SHAPE)
    outputs = [_output(tree, clauses, scope) for _, tree in clauses.items]
    figures = (figure for number, output in enumerate(outputs) for figure in _named(output, number))
    statement = select(f"{scope.total} AS hits", *figures)
    statement = _kept(statement, clauses, scope)
    statement = _ordered(statement, clauses, scope)
    columns = tuple(
        (name, not isinstance(output, Cell)) for (name, _), output in zip(clauses.items, outputs, strict=True)
    )
    dates = (
        name
        for (name, _), output in zip(clauses.items, outputs, strict=True)
        if isinstance(output, Cell) and output.date
    )
    return Rewritten(_joined(statement, scope), columns, _notes(clauses, scope, outputs), frozenset(dates))


def _output(tree: exp.Expression, clauses: Clauses, scope: Scope) -> Cell | exp.Expression:
    if tree in clauses.keys:
        return parsed(f"{MET}.{scope.key_names[clauses.keys.index(tree)]}")
    return evaluate(tree, scope)


def _named(output: Cell | exp.Expression, number: int) -> list[exp.Expression]:
    if isinstance(output, Cell):
        figures = zip(output.figures(), FIGURES, strict=True)
        return [exp.alias_(figure.copy(), f"item_{number}_{name}") for figure, name in figures]
    return [exp.alias_(output.copy(), f"item_{number}")]


def _kept(statement: exp.Select, clauses: Clauses, scope: Scope) -> exp.Select:
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
        return _output(node, clauses, scope)
    if not is_aggregate(node) and not isinstance(node, exp.Column):
        return node
    cell = evaluate(node, scope)
    if not cell.exact:
        raise ShoalError(
            "HAVING asks for an aggregate that is known within bounds only",
            "let HAVING use keys of GROUP BY, aggregates of exact columns and, unless a condition is on a "
            "sensitive column, count(*).",
        )
    return cell.lower


def _ordered(statement: exp.Select, clauses: Clauses, scope: Scope) -> exp.Select:
    for term in clauses.order:
        ordered = term.copy()
        ordered.set("this", _rank(_output(term.this, clauses, scope)))
        statement = statement.order_by(ordered)
    for name in scope.key_names:
        statement = statement.order_by(f"{MET}.{name}", dialect="duckdb")
    for clause, count in (("limit", clauses.limit), ("offset", clauses.offset)):
        if count is not None:
            statement = getattr(statement, clause)(count)
    return statement


def _rank(output: Cell | exp.Expression) -> exp.Expression:
    """Where an answer stands in an order: at its expectation, or in the middle of its bounds."""
    if not isinstance(output, Cell) or output.exact:
        return output.lower.copy() if isinstance(output, Cell) else output
    return exp.func("COALESCE", output.expected.copy(), (output.lower + output.upper) / 2)


def _joined(statement: exp.Select, scope: Scope) -> exp.Select:
    """All that has one row per key beside the first pass, and the tables that these are made from."""
    if merged := scope.merge_counts():
        statement = statement.transform(lambda node: _renamed(node, merged))
    statement = statement.from_(MET)
    passes = {name: found.statement() for name, found in scope.passes.items()}
    for name in (*passes, *scope.ends):
        if name != MET:
            on = same(MET, name, scope.key_names)
            statement = statement.join(name, on=on, join_type="left", copy=False)
    for name, table in (*scope.sources.items(), *passes.items(), *scope.steps.items()):
        query = table.statement() if isinstance(table, Pass) else table
        statement = statement.with_(name, as_=query, copy=False)
    return statement


def _renamed(node: exp.Expression, merged: str) -> exp.Expression:
    """The figures of a pass that became the first one."""
    return exp.column(node.this, table=MET) if isinstance(node, exp.Column) and node.table == merged else node


def _notes(clauses: Clauses, scope: Scope, outputs: list[Cell | exp.Expression]) -> tuple[str, ...]:
    notes = []
    uncertain = any(isinstance(output, Cell) and not output.exact for output in outputs)
    ranks = [_output(term.this, clauses, scope) for term in clauses.order]
    if scope.keys and uncertain:
        notes.append(PER_ROW)
    if any(isinstance(rank, Cell) and not rank.exact for rank in ranks):
        notes.append(ORDERED)
    if scope.condition is not None and scope.keys:
        notes.append(MAY_BE_NONE.format(name=scope.sensitive_column(scope.condition)))
    return tuple(notes)
