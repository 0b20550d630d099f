"""The same questions to the embedded engine and to a real PostgreSQL server."""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import psycopg
import pytest

from shoal.errors import ShoalError
from shoal.query.answer import Answer, answer
from shoal.query.permuted.database import open_database
from shoal.query.permuted.postgres import answer_in_postgres
from shoal.query.schema import GROUPS, TABLE, Schema
from shoal.release.postgres.load import load
from shoal.release.postgres.source import source_of
from tests.postgres import Server
from tests.query.alike import assert_alike
from tests.query.permuted.test_rewrite import FIXTURES, pairs
from tests.query.releases import NINE

SCHEMA = 'nine "people"'
QUERIES = [pytest.param(query, id=f"{path.stem}-{query}") for path in FIXTURES for query, _ in pairs(path)]


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
        load(
            server, SCHEMA, source_of(connection, tables=(TABLE, GROUPS)), "{}", True, lambda *_: None
        )  # a worker may come twice
        server.commit()
        yield Both(connection, server, schema)


@pytest.mark.parametrize("query", QUERIES)
def test_both_engines_give_the_same_answer(query: str, both: Both) -> None:
    expected, found = both.ask(query)
    assert_alike(found, expected)


def test_what_cannot_be_computed_is_refused_and_the_connection_goes_on(both: Both) -> None:
    with pytest.raises(ShoalError, match="cannot be computed"):
        answer_in_postgres(
            both.postgres, SCHEMA, both.schema, "select sum(salary) from data where age / 0 > 1"
        )
    with pytest.raises(ShoalError, match="cannot be computed"):
        answer_in_postgres(both.postgres, "no such schema", both.schema, "select sum(salary) from data")
    expected, found = both.ask("select sum(salary) from data")
    assert found == expected


def test_a_question_leaves_the_connection_as_it_was(both: Both) -> None:
    settings = "SELECT current_setting('search_path'), current_setting('statement_timeout')"
    before = both.postgres.execute(settings).fetchall()
    both.postgres.rollback()
    both.ask("select sum(salary) from data")
    assert both.postgres.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert both.postgres.execute(settings).fetchall() == before
    both.postgres.execute("CREATE TEMP TABLE written (a int)")
    both.postgres.rollback()


@pytest.fixture
def tricked(both: Both) -> Iterator[str]:
    """A schema whose table ``data`` is a view that does more than it should."""
    both.postgres.execute("CREATE SCHEMA tricked")
    yield "CREATE VIEW tricked.data AS SELECT n.*, {} AS extra FROM {}.data AS n"
    both.postgres.rollback()
    both.postgres.execute("DROP SCHEMA IF EXISTS tricked CASCADE")
    both.postgres.commit()


@pytest.mark.parametrize(
    ("trick", "said"), [("pg_sleep(2)::text", "no answer after"), ("tricked.change()", "cannot be computed")]
)
def test_questions_only_read_and_do_not_take_forever(trick: str, said: str, both: Both, tricked: str) -> None:
    both.postgres.execute("CREATE TABLE tricked.noted (a int)")
    both.postgres.execute(
        "CREATE FUNCTION tricked.change() RETURNS int LANGUAGE sql"
        " AS 'INSERT INTO tricked.noted VALUES (1) RETURNING 1'"
    )
    both.postgres.execute(
        psycopg.sql.SQL(tricked).format(psycopg.sql.SQL(trick), psycopg.sql.Identifier(SCHEMA))
    )
    both.postgres.commit()
    schema = Schema((*both.schema.columns, "extra"), both.schema.sensitive)
    with pytest.raises(ShoalError, match=said):
        answer_in_postgres(
            both.postgres, "tricked", schema, "select count(*) from data where extra is not null", seconds=0.3
        )
