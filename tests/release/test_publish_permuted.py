"""A permuted release, published into a real PostgreSQL server: the same tables, the same answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import psycopg
import pyarrow as pa
import pytest

import shoal
from shoal.query.answer import Answer
from shoal.query.permuted.database import open_file
from shoal.query.permuted.postgres import answer_in_postgres
from shoal.query.schema import Schema
from shoal.release.publish import publish
from tests.postgres import Server
from tests.query.alike import assert_alike, close

ROWS = 120
PEOPLE = pa.table(
    {
        "name": [f"person {row}" for row in range(ROWS)],
        "Age": [20 + row * 7 % 41 for row in range(ROWS)],
        "select": [("north", 'it\'s "west"', "Süd", None)[row * row % 4] for row in range(ROWS)],
        'Net "pay", 50%': [Decimal(100_000 + 4_999 * (row * 11 % 97)) / 100 for row in range(ROWS)],
        "hours": [row * 13 % 61 - 5 for row in range(ROWS)],
        "since": [f"20{10 + row % 11}-0{1 + row % 9}-1{row % 7}" for row in range(ROWS)],
        "illness": [("flu", "a cold", None)[row % 3] for row in range(ROWS)],
    }
)
POLICY = shoal.Policy(
    columns={"name": "identifier", "Age": "quasi", "select": "quasi"}
    | dict.fromkeys(['Net "pay", 50%', "hours", "since", "illness"], "sensitive"),
    guarantees=[
        shoal.KeAnonymity(k=4, e=150, sensitive='Net "pay", 50%'),
        shoal.KeAnonymity(k=3, e=10, sensitive="hours"),
        shoal.KeAnonymity(k=2, e=30, sensitive="since"),
        shoal.LDiversity(l=2, sensitive="illness"),
    ],
)
PAY = '"Net ""pay"", 50%"'
QUERIES = [
    f"select sum({PAY}), avg({PAY}), min({PAY}), max({PAY}), count({PAY}) from data",
    f"select sum({PAY}) from data where age between 30 and 45",
    f"select avg({PAY}) as mean, count(*) as people from data where \"select\" = 'Süd'",
    "select sum(hours), avg(hours), min(hours), max(hours) from data where age > 33",
    "select median(hours) from data where age < 50",
    "select quantile_cont(hours, 0.25) from data where age < 50",
    f"select quantile_disc({PAY}, 0.9) from data where age < 50",
    "select var_pop(hours), var_samp(hours) from data where age < 28",
    f"select stddev(hours), stddev_pop({PAY}) from data where age < 24",
    "select min(since), max(since), avg(since) from data where age > 40",
    "select median(since) from data where age > 40",
    "select count(*) from data where since >= '2015-01-01' and age > 30",
    "select count(*) from data where since < date '2013-06-01'",
    "select count(*) from data where illness = 'a cold' and age < 40",
    "select count(*) from data where illness in ('flu', 'a cold') and age < 40",
    "select count(*) from data where illness <> 'flu' and age < 40",
    f"select sum({PAY}) from data where {PAY} > 3000 and age < 45",
    f"select avg({PAY}) from data where {PAY} between 1500 and 4500",
    "select sum(hours), max(hours) from data where hours > 7 and age > 25",
    f"select \"select\", sum({PAY}), count(*) from data group by \"select\" order by 1",
    "select age, max(hours) from data where age < 30 group by age order by age desc limit 4",
    "select age, sum(hours) from data group by age having count(*) > 2 order by age",
    f"select sum({PAY}) * 12 / 100 from data where age = 41",
    f"select sum({PAY} * 2 + 1) from data where age > 50",
    "select sum(hours) + max(hours), avg(hours) - 1 from data where age > 50",
    "select sum(hours) from data where age > 1000",
    "select count(*) from data where hours < 0",
    "select age // 10, avg(hours) from data group by 1 order by 1",
]  # fmt: skip


@dataclass(frozen=True)
class Published:
    folder: Path
    schema: str
    server: psycopg.Connection
    queried: Schema

    def ask(self, sql: str) -> Answer:
        return answer_in_postgres(self.server, self.schema, self.queried, sql)


@pytest.fixture(scope="module", params=["csv", "parquet"])
def published(
    request: pytest.FixtureRequest, postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Published]:
    folder, schema = tmp_path_factory.mktemp("published") / "release", f"test_{uuid4().hex[:12]}"
    shoal.anonymize(PEOPLE, POLICY).write(folder, request.param)
    publish(folder, postgres.url(), schema)
    database, queried = open_file(folder / "release.duckdb", POLICY.having("sensitive"))
    database.close()
    with psycopg.connect(postgres.url()) as server:
        yield Published(folder, schema, server, queried)


@pytest.mark.parametrize("query", QUERIES)
def test_both_engines_give_the_same_answer(query: str, published: Published) -> None:
    expected, found = shoal.open_release(published.folder).query(query), published.ask(query)
    assert_alike(found, expected)


@pytest.mark.parametrize("name", ["data", "groups", "help", "mapping"])
def test_tables_and_views_hold_the_same_rows(name: str, published: Published) -> None:
    place = psycopg.sql.Identifier(published.schema, name)
    with published.server.transaction():
        found = published.server.execute(psycopg.sql.SQL("SELECT * FROM {}").format(place))
        columns, rows = [column.name for column in found.description or ()], found.fetchall()
    with duckdb.connect(str(published.folder / "release.duckdb"), read_only=True) as connection:
        expected = connection.table(name)
        assert columns == expected.columns
        assert sorted(map(comparable, rows)) == [
            [close(cell) for cell in row] for row in sorted(map(comparable, expected.fetchall()))
        ]


def comparable(row: tuple[Any, ...]) -> list[Any]:
    """Numbers of any kind as one kind, so that rows can be put in order; a missing cell comes first."""
    return [_plain(cell) for cell in row]


def _plain(cell: Any) -> Any:
    if isinstance(cell, list):
        return [_plain(part) for part in cell]
    if cell is None:
        return ""
    return float(cell) if isinstance(cell, int | Decimal) else cell


def test_a_release_is_published_twice_only_with_force(postgres: Server, published: Published) -> None:
    with pytest.raises(shoal.ShoalError, match="holds a release"):
        publish(published.folder, postgres.url(), published.schema)
    before = published.ask("select sum(hours) from data")
    loaded = publish(published.folder, postgres.url(), published.schema, force=True)
    assert loaded.tables["data"] == ROWS
    assert set(loaded.views) == {"help", "mapping"}
    assert published.ask("select sum(hours) from data") == before


def test_a_seeded_permuted_release_is_refused(postgres: Server, tmp_path: Path) -> None:
    shoal.anonymize(PEOPLE, POLICY, seed=3).write(tmp_path / "release")
    with pytest.raises(shoal.ShoalError, match="made with a seed"):
        publish(tmp_path / "release", postgres.url(), f"test_{uuid4().hex[:12]}")
