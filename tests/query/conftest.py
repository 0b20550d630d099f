"""One engine for many small releases."""

from collections.abc import Iterator
from typing import TypeAlias

import duckdb
import pytest

# The name and not the class: Hypothesis keeps the signatures of its tests to the end of the process, and
# DuckDB's binding says on stderr that a class which is still there then is a leak.
Engine: TypeAlias = "duckdb.DuckDBPyConnection"


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection
