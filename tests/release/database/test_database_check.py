"""A database that came from elsewhere is read by an engine that fetches, loads and opens nothing else."""

import sqlite3
from pathlib import Path

import duckdb
import pytest

from shoal.query.permuted.database import attach, closed_engine
from shoal.release.database.database_check import _attached

SHUT = ("autoinstall_known_extensions", "autoload_known_extensions", "enable_external_access")


def test_the_engine_that_compares_databases_is_shut(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "one.duckdb")) as connection:
        connection.execute("CREATE TABLE data AS SELECT 1 AS age")
    with _attached(given=tmp_path / "one.duckdb") as connection:
        settings = ", ".join(f"current_setting('{name}')" for name in SHUT)
        assert connection.execute(f"SELECT {settings}").fetchall() == [(False, False, False)]
        assert connection.execute("SELECT age FROM given.data").fetchall() == [(1,)]


def test_no_extension_is_asked_for_to_read_a_database_of_another_engine(tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / "release.duckdb")
    foreign.execute("CREATE TABLE data (age INTEGER)")
    foreign.commit()
    foreign.close()
    with pytest.raises(duckdb.Error) as refused, _attached(given=tmp_path / "release.duckdb"):
        pass
    assert "not a valid DuckDB database" in str(refused.value)
    with closed_engine() as connection, pytest.raises(duckdb.Error, match="not a valid DuckDB database"):
        attach(connection, tmp_path / "release.duckdb", "given")
