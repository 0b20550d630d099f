"""The clauses of a checked query: items, keys, conditions, order. Columns under their full names."""

from dataclasses import dataclass

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.parse import check_exact, column_names, sensitive_columns, with_full_names
from shoal.query.schema import Schema
from shoal.query.sql_text import sql_text

Items = list[tuple[str, exp.Expression]]
MOST_ITEMS = 100


@dataclass(frozen=True)
class Clauses:
    """The parts of a query in the order of their work, each over columns that exist."""

    items: tuple[tuple[str, exp.Expression], ...]  # name, expression
    keys: tuple[exp.Expression, ...]
    where: exp.Expression | None  # over exact columns
    condition: exp.Expression | None  # over one sensitive column
    having: exp.Expression | None
    order: tuple[exp.Ordered, ...]
    limit: int | None
    offset: int | None


def read_clauses(tree: exp.Select, schema: Schema) -> Clauses:
    """Take a checked query apart, with aliases replaced by what they stand for."""
    items = _items(tree, schema)
    exact, sensitive = _conditions(tree, schema)
    having = tree.args.get("having")
    return Clauses(
        items=tuple(items),
        keys=tuple(check_exact(key, schema) for key in _keys(tree, items, schema)),
        where=exp.and_(*exact) if exact else None,
        condition=exp.and_(*sensitive) if sensitive else None,
        having=None if having is None else _with_aliases(having.this, items, schema),
        order=tuple(_order(tree, items, schema)),
        limit=_whole(tree.args.get("limit")),
        offset=_whole(tree.args.get("offset")),
    )


def _items(tree: exp.Select, schema: Schema) -> Items:
    items: Items = []
    if len(tree.expressions) > MOST_ITEMS:
        raise ShoalError(f"more than {MOST_ITEMS} items in SELECT", "ask in several queries.")
    for item in tree.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            raise ShoalError(
                "single records cannot be asked for", "ask for aggregates: count(*), avg(salary)."
            )
        expression = item.this if isinstance(item, exp.Alias) else item
        name = item.alias or sql_text(expression, small_letters=True)
        items.append((name, with_full_names(expression, schema)))
    names = [name.lower() for name, _ in items]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ShoalError(f"{twice[0]!r} is asked for twice", "give one of them another name with AS.")
    return items


def _conditions(tree: exp.Select, schema: Schema) -> tuple[list[exp.Expression], list[exp.Expression]]:
    """What AND connects, told apart: conditions on exact columns, and those on a sensitive one."""
    where = tree.args.get("where")
    parts = list(_parts(with_full_names(where.this, schema))) if where else []
    exact = [part for part in parts if not sensitive_columns(part, schema)]
    sensitive = [part for part in parts if sensitive_columns(part, schema)]
    for part in exact:
        check_exact(part, schema)
    if len(sensitive_columns(exp.and_(*sensitive), schema) if sensitive else []) > 1:
        raise ShoalError(
            "conditions on two sensitive columns cannot be combined",
            "the release does not tell which of their values belong together; ask about one of them.",
        )
    if sensitive and len(set(column_names(exp.and_(*sensitive)))) != 1:
        raise ShoalError(
            "a condition ties a sensitive column to another column of the same record",
            "the release does not tell which values belong together; connect conditions by AND.",
        )
    return exact, sensitive


def _parts(tree: exp.Expression) -> list[exp.Expression]:
    tree = tree.unnest()
    if not isinstance(tree, exp.And):
        return [tree]
    return [*_parts(tree.this), *_parts(tree.expression)]


def _keys(tree: exp.Select, items: Items, schema: Schema) -> list[exp.Expression]:
    group = tree.args.get("group")
    if group is None:
        return []
    if any(value for name, value in group.args.items() if name != "expressions"):
        raise ShoalError("GROUP BY takes a list of columns or expressions", "write: group by gender.")
    keys = [_referred(key, items, schema, columns_first=True) for key in group.expressions]
    if any(not list(column_names(key)) for key in keys):
        raise ShoalError("a key of GROUP BY names no column", "write: group by gender.")
    return keys


def _order(tree: exp.Select, items: Items, schema: Schema) -> list[exp.Ordered]:
    order = tree.args.get("order")
    terms = []
    for term in order.expressions if order else []:
        if not isinstance(term, exp.Ordered) or term.args.get("with_fill"):
            raise ShoalError("ORDER BY takes columns and aggregates", "write: order by 1 desc.")
        ordered = term.copy()
        ordered.set("this", _referred(term.this, items, schema, columns_first=False))
        terms.append(ordered)
    return terms


def _referred(term: exp.Expression, items: Items, schema: Schema, columns_first: bool) -> exp.Expression:
    """A term of GROUP BY or ORDER BY: the place of an item, its alias, or an expression."""
    if isinstance(term, exp.Literal):
        if term.is_string or not term.this.isdigit() or not 1 <= int(term.this) <= len(items):
            raise ShoalError(f"there is no item {term.this!r} in SELECT", f"it has {len(items)} items.")
        return items[int(term.this) - 1][1].copy()
    if isinstance(term, exp.Column) and not term.table and not (columns_first and schema.find(term.name)):
        for name, expression in items:
            if name.lower() == term.name.lower():
                return expression.copy()
    return with_full_names(term, schema)


def _with_aliases(tree: exp.Expression, items: Items, schema: Schema) -> exp.Expression:
    """HAVING may use the names of items that are not names of columns."""
    return tree.transform(
        lambda node: (
            _referred(node, items, schema, columns_first=True) if isinstance(node, exp.Column) else node
        )
    )


def _whole(clause: exp.Expression | None) -> int | None:
    if clause is None:
        return None
    count = clause.expression
    plain = isinstance(count, exp.Literal) and not count.is_string and count.this.isdigit()
    if not plain or any(value for name, value in clause.args.items() if name != "expression"):
        raise ShoalError("LIMIT and OFFSET take a whole number", "write: limit 5.")
    return int(count.this)
