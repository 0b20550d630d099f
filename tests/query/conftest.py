"""One engine for many small releases."""

from collections.abc import Iterator

import duckdb
import pytest


@pytest.fixture(scope="session")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection
