"""Each rule against its fixtures: pairs of a query and the statement that answers it, which also runs."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot

from shoal.query.permuted.database import open_database
from shoal.query.permuted.rewrite import rewrite
from shoal.query.permuted.rules import CONDITIONAL, RULES
from shoal.query.schema import Schema
from tests.query.releases import NINE

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.sql"))


def pairs(path: Path) -> list[tuple[str, str]]:
    parts = [part.strip() for part in path.read_text(encoding="utf-8").split(";\n")]
    return list(zip(parts[:-1:2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def release() -> Iterator[tuple[duckdb.DuckDBPyConnection, Schema]]:
    connection, schema = open_database(NINE, ("salary",))
    with connection:
        yield connection, schema


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_queries_are_rewritten_as_in_the_fixture(path: Path, release: tuple) -> None:
    connection, schema = release
    assert pairs(path)
    for given, expected in pairs(path):
        statement = rewrite(given, schema).sql()
        assert sqlglot.parse_one(statement, read="duckdb") == sqlglot.parse_one(expected, read="duckdb")
        assert connection.execute(expected).fetchall() == connection.execute(statement).fetchall()


def test_every_rule_has_a_fixture() -> None:
    homes = {rule.__module__.split(".")[-1] for _, rule in (*RULES, *CONDITIONAL)}
    assert homes <= {path.stem for path in FIXTURES}
