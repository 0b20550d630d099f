"""Trees are printed as they were built; what sqlglot does, on which that relies, is said and checked here."""

import ast
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from shoal.query.sql_text import sql_text
from shoal.query.syntax import trusted_sql

SOURCE = Path(__file__).parents[2] / "src" / "shoal"
BINARY = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv)
Grow = Callable[[random.Random, int], tuple[exp.Expression, str]]
LOGIC = (exp.And, exp.Or, exp.EQ, exp.LT, exp.GTE, exp.NEQ, exp.Is)


def test_the_printer_of_sqlglot_drops_parentheses_of_trees_that_are_put_together() -> None:
    """Why nobody else prints: should this fail one day, `in_parentheses` is still right, only not needed."""
    x, y, z = (exp.column(name) for name in "xyz")
    assert (x / (y / z)).sql("duckdb") == "x / y / z"
    assert (x - (y - z)).sql("duckdb") == "x - y - z"


def test_the_parser_of_sqlglot_keeps_the_parentheses_of_a_question_and_reads_from_the_left() -> None:
    """Relied on for every question: the tree says what the text says."""
    assert isinstance(trusted_sql("x / (y / z)").expression, exp.Paren)
    assert trusted_sql("x - y - z") == exp.Sub(
        this=exp.Sub(this=exp.column("x"), expression=exp.column("y")), expression=exp.column("z")
    )
    assert isinstance(trusted_sql("-x * y"), exp.Mul)
    assert isinstance(trusted_sql("not x = y"), exp.Not)
    assert isinstance(trusted_sql("x or y and z"), exp.Or)


def test_the_versions_that_are_relied_on_are_those_that_are_declared() -> None:
    advice = "read this file and `sql_text.py` against the new version before its range is declared"
    declared = (SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"sqlglot>=30,<31"' in declared, advice
    assert '"duckdb>=1.5,<3"' in declared, advice
    assert sqlglot.__version__.split(".")[0] == "30", advice
    assert (1, 5) <= tuple(map(int, duckdb.__version__.split(".")[:2])) < (3, 0), advice


@pytest.mark.parametrize(
    ("text", "value", "relied_on"),
    [
        ("7 / 2", 3.5, "a quotient of whole numbers is a real one, as `arithmetic.divide` calculates it"),
        ("7 / 2 / 2 - 1 - 1", -0.25, "operators of one level are read from the left, as `sql_text` has it"),
        ("-2 * 3 + 1", -5, "a sign binds closer than a product"),
        ("not true or true", True, "NOT binds closer than OR"),
        ("round(-2.5) + round(0.125, 2)", Decimal("-2.87"), "halves are rounded away from 0"),
        ("0.1 + 0.2 = 0.3", True, "numbers with a point are decimals, not floats"),
        ("1e0 / 3 * 3", 1.0, "numbers with an exponent are floats"),
        ("(select sum(x) from (values (9223372036854775807), (1)) as t(x))", 2**63, "sums do not overflow"),
        ("(select quantile_cont(x, 0.5) from (values (0.09), (0.10)) as t(x))", Decimal("0.09"),
         "quantiles of decimals are cut to their digits, which `quantile.py` and `bounds.py` hold"),
        ("'271' || chr(1114111) > '271z' and 'Z' < 'a' and 'z' < 'ä'", True,
         "words are in the order of their code points, on which `ends.LAST` relies"),
        ("null in (1, 2) is null and not (3 in (1, 2))", True, "a missing value is in no list, nor outside"),
    ],
)  # fmt: skip
def test_the_engine_calculates_as_bounds_rely_on(text: str, value: object, relied_on: str) -> None:
    with duckdb.connect() as connection:
        (row,) = connection.execute(f"SELECT {text}").fetchall()
    assert row == (value,), (
        f"DuckDB {duckdb.__version__} says {row[0]} to {text}, and we rely on it: {relied_on}"
    )


@pytest.mark.parametrize(
    ("text", "dialect", "printed"),
    [
        ("x IN (1, -2, 3.5)", "postgres", "x IN (1, -2, 3.5)"),
        ("'it''s'", "duckdb", "'it''s'"),
        ("x / y", "duckdb", "x / y"),
        ("quantile_cont(x, 0.25)", "postgres", "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x)"),
    ],
)
def test_sqlglot_prints_as_statements_rely_on(text: str, dialect: str, printed: str) -> None:
    told = sql_text(trusted_sql(text), dialect)
    assert told == printed, f"sqlglot {sqlglot.__version__} prints {text} as {told} for {dialect}"


def numeric_tree(draw: random.Random, depth: int) -> tuple[exp.Expression, str]:
    """A tree without any parentheses of its own, and its text with all of them."""
    if depth == 0 or draw.random() < 0.15:
        number = draw.randint(1, 9)
        return exp.Literal.number(number), str(number)
    if draw.random() < 0.15:
        inner, text = numeric_tree(draw, depth - 1)
        return exp.Neg(this=inner), f"(- {text})"
    kind = draw.choice(BINARY)
    (left, first), (right, second) = numeric_tree(draw, depth - 1), numeric_tree(draw, depth - 1)
    sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "//"}[kind]
    return kind(this=left, expression=right), f"({first} {sign} {second})"


def logical_tree(draw: random.Random, depth: int) -> tuple[exp.Expression, str]:
    if depth == 0:
        value = draw.choice((exp.true(), exp.false(), exp.null()))
        return value, value.sql("duckdb")
    if draw.random() < 0.25:
        inner, text = logical_tree(draw, depth - 1)
        return exp.Not(this=inner), f"(NOT {text})"
    if draw.random() < 0.2:
        parts = [logical_tree(draw, depth - 1) for _ in range(3)]
        (one, first), (low, second), (high, third) = parts
        return exp.Between(this=one, low=low, high=high), f"({first} BETWEEN {second} AND {third})"
    if draw.random() < 0.2:
        (one, first), (other, second) = logical_tree(draw, depth - 1), logical_tree(draw, depth - 1)
        return exp.In(this=one, expressions=[other, exp.true()]), f"({first} IN ({second}, TRUE))"
    kind = draw.choice(LOGIC)
    (left, first), (right, second) = logical_tree(draw, depth - 1), logical_tree(draw, depth - 1)
    if kind is exp.Is:
        return exp.Is(this=left, expression=exp.null()), f"({first} IS NULL)"
    sign = {exp.And: "AND", exp.Or: "OR", exp.EQ: "=", exp.LT: "<", exp.GTE: ">=", exp.NEQ: "<>"}[kind]
    return kind(this=left, expression=right), f"({first} {sign} {second})"


@pytest.mark.parametrize("grow", [numeric_tree, logical_tree])
def test_a_tree_means_the_same_with_all_its_parentheses(grow: Grow) -> None:
    draw = random.Random(7)
    trees = [grow(draw, 4) for _ in range(300)]
    assert _values([sql_text(tree) for tree, _ in trees]) == _values([text for _, text in trees])


def _values(texts: list[str]) -> tuple[object, ...]:
    with duckdb.connect() as connection:
        connection.execute("SET error_on_division_by_zero = false")
        (row,) = connection.execute(
            f"SELECT {', '.join(f'CAST({text} AS VARCHAR)' for text in texts)}"
        ).fetchall()
        return tuple(row)


def test_no_other_code_prints_a_tree() -> None:
    """``tree.sql()`` anywhere else could lose parentheses. A connection's ``sql`` runs a statement, and
    ``checked_select`` parses what it prints and insists on the same tree."""
    assert [place for path in sorted(SOURCE.rglob("*.py")) for place in _prints(path)] == []


def _prints(path: Path) -> Iterator[str]:
    if path.name in ("sql_text.py", "checked_select.py"):
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sql":
            receiver = ast.unparse(node.func.value).split(".")[-1]
            if receiver not in ("connection", "database", "rewritten"):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}"
