"""``shoal publish``: a release into a real PostgreSQL server."""

from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.postgres import PASSWORD, Server

from .conftest import Command


@pytest.fixture
def schema() -> str:
    return f"cli_{uuid4().hex[:12]}"


def test_a_release_is_loaded(process: Command, release: Path, postgres: Server) -> None:
    result = process("publish", release, postgres.url())
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "Loaded into schema shoal",
        "  table    rows",
        "  data       40",
        "  release     1",
    ]
    with psycopg.connect(postgres.url()) as connection:
        assert connection.execute("SELECT count(*) FROM shoal.data").fetchall() == [(40,)]


def test_the_answer_as_json(command: Command, release: Path, postgres: Server, schema: str) -> None:
    result = command("publish", release, postgres.url(), "--schema", schema, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json == {"schema": schema, "tables": {"data": 40, "release": 1}, "views": []}


def test_an_earlier_release_is_replaced_with_force(
    command: Command, release: Path, postgres: Server, schema: str
) -> None:
    arguments = ("publish", release, postgres.url(), "--schema", schema)
    assert [command(*arguments).code, command(*arguments).code] == [0, 2]
    assert command(*arguments, "--force").code == 0


def test_a_password_is_never_repeated(command: Command, release: Path, postgres: Server) -> None:
    right = postgres.url()
    for url in (
        right.replace("postgresql://", "postgres:/"),
        right.replace(f"{postgres.port}", "1"),
        right.replace(PASSWORD, f"{PASSWORD}%"),
        right.replace(PASSWORD, f"{PASSWORD}/{PASSWORD}"),
        right.replace("ann", "bob"),
        right.replace("127.0.0.1", PASSWORD),
    ):
        result = command("publish", release, url, "--json")
        assert result.code == 2
        assert result.json["faults"][0]["hint"]
        assert PASSWORD not in result.out + result.err


def test_a_changed_release_is_bad_input(
    command: Command, release: Path, postgres: Server, schema: str
) -> None:
    (release / "data.csv").write_text("")
    result = command("publish", release, postgres.url(), "--schema", schema)
    assert result.code == 2
    assert "data.csv differs" in result.err
