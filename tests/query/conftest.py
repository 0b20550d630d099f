"""One engine for many small releases, and each question translated once for all of them."""

from collections.abc import Iterator
from functools import cache

import duckdb
import pytest

from shoal.query.permuted.rewrite import Rewritten, rewrite
from shoal.query.schema import Schema


@pytest.fixture(scope="session")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


@pytest.fixture(autouse=True, scope="module")
def translated_once() -> Iterator[None]:
    """What a question becomes depends on the columns alone; to find that takes longer than to answer it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.query.answer.rewrite", cache(_printed_once))
        yield


def _printed_once(text: str, schema: Schema) -> Rewritten:
    rewritten = rewrite(text, schema)
    object.__setattr__(rewritten, "sql", cache(rewritten.sql))
    return rewritten
