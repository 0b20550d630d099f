"""A condition that compares a column with constants: the values that fit are neighbours in their order."""

from dataclasses import dataclass

from sqlglot import exp

from shoal.query.schema import TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, days

SIGNS: dict[type[exp.Expression], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.EQ: "="}
TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "="}


@dataclass(frozen=True)
class Comparison:
    """All of it holds: pairs of a sign and a constant."""

    pairs: tuple[tuple[str, str], ...]

    def fits(self, value: str) -> str:
        return _all(value, self.pairs)

    def not_below(self, value: str) -> str:
        return _all(
            value, [(">=" if sign == "=" else sign, to) for sign, to in self.pairs if sign[0] in ">="]
        )

    def not_above(self, value: str) -> str:
        return _all(
            value, [("<=" if sign == "=" else sign, to) for sign, to in self.pairs if sign[0] in "<="]
        )


def comparison(condition: exp.Expression, name: str, schema: Schema) -> Comparison | None:
    """None for any other condition.

    >>> from shoal.query.syntax import trusted_sql
    >>> schema = Schema(("salary", "shoal_group"), ("salary",))
    >>> comparison(trusted_sql('10 < data."salary" AND data."salary" <= 20'), "salary", schema).fits("value")
    'value > 10 AND value <= 20'
    """
    pairs: list[tuple[str, str]] = []
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        found = _pairs(part.unnest(), name, name in schema.dates)
        if found is None:
            return None
        pairs += found
    return Comparison(tuple(pairs))


def _pairs(part: exp.Expression, name: str, dates: bool) -> list[tuple[str, str]] | None:
    itself = column(name, TABLE)
    if isinstance(part, exp.Between) and part.this == itself:
        found = [(">=", _constant(part.args["low"], dates)), ("<=", _constant(part.args["high"], dates))]
    elif type(part) in SIGNS and part.this == itself:
        found = [(SIGNS[type(part)], _constant(part.expression, dates))]
    elif type(part) in SIGNS and part.expression == itself:
        found = [(TURNED[SIGNS[type(part)]], _constant(part.this, dates))]
    else:
        return None
    known = [(sign, to) for sign, to in found if to is not None]
    return known if len(known) == len(found) else None


def _constant(tree: exp.Expression, dates: bool) -> str | None:
    """The text of a constant; a date as a number of days."""
    tree = tree.unnest()
    if dates:
        text = tree.this if isinstance(tree, exp.Cast) else tree
        if not (isinstance(text, exp.Literal) and text.is_string):
            return None
        return sql_text(days(exp.cast(text.copy(), "DATE")))
    number = tree.this if isinstance(tree, exp.Neg) else tree
    return sql_text(tree) if isinstance(number, exp.Literal) and not number.is_string else None


def _all(value: str, pairs: tuple[tuple[str, str], ...] | list[tuple[str, str]]) -> str:
    return " AND ".join(f"{value} {sign} {to}" for sign, to in pairs) or "TRUE"
