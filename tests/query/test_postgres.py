"""The same questions to the embedded engine and to a real PostgreSQL server."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import duckdb
import psycopg
import pytest

from shoal.query.answer import Answer, Bounds, answer
from shoal.query.database import open_database
from shoal.query.postgres import answer_in_postgres
from shoal.query.schema import Schema
from shoal.release.postgres.load import load
from shoal.release.postgres.source import source_of
from tests.postgres import Server
from tests.query.releases import NINE
from tests.query.test_rewrite import FIXTURES, pairs

SCHEMA = 'nine "people"'
QUERIES = [(path.stem, query) for path in FIXTURES for query, _ in pairs(path)]
NOT_YET = frozenset[str]()  # queries whose statement PostgreSQL does not take


@dataclass(frozen=True)
class Both:
    duckdb: duckdb.DuckDBPyConnection
    postgres: psycopg.Connection
    schema: Schema

    def ask(self, sql: str) -> tuple[Answer, Answer]:
        found = answer_in_postgres(self.postgres, SCHEMA, self.schema, sql)
        return answer(self.duckdb, self.schema, sql), found


@pytest.fixture(scope="module")
def both(postgres: Server) -> Iterator[Both]:
    connection, schema = open_database(NINE, ("salary",))
    with connection, psycopg.connect(postgres.url()) as server:
        load(server, SCHEMA, source_of(connection), "{}", False, lambda *_: None)
        server.commit()
        yield Both(connection, server, schema)


def figures(found: Answer) -> list[Any]:
    """All figures one after the other."""
    values = [value for row in found.rows for value in row.values()]
    return [
        figure for value in values for figure in (astuple(value) if isinstance(value, Bounds) else (value,))
    ]


def close(figure: Any) -> Any:
    """Whole numbers are exact; the order of a sum may change the last digit of a real one."""
    return pytest.approx(figure, rel=1e-9, abs=1e-9) if isinstance(figure, float) else figure


@pytest.mark.parametrize(("rule", "query"), QUERIES)
def test_both_engines_give_the_same_answer(
    rule: str, query: str, both: Both, request: pytest.FixtureRequest
) -> None:
    if query in NOT_YET:
        request.applymarker(pytest.mark.xfail(reason=f"{rule} is not portable yet", strict=True))
    expected, found = both.ask(query)
    assert (found.columns, found.notes) == (expected.columns, expected.notes)
    assert figures(found) == [close(figure) for figure in figures(expected)]
    assert [type(figure) for figure in figures(found)] == [type(figure) for figure in figures(expected)]
