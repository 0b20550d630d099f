"""The statement in PostgreSQL's words; its answers are compared where a server is at hand."""

import pytest
import sqlglot

from shoal.query.permuted.rewrite import rewrite
from shoal.query.schema import Schema
from tests.query.permuted.test_rewrite import FIXTURES, pairs
from tests.query.releases import NINE

SCHEMA = Schema(tuple(NINE.column_names), ("salary",))
NOT_THERE = ("HUGEINT", "QUANTILE_CONT", "MEDIAN", "PRODUCT(", "UNNEST(GENERATE_SERIES", "LIST(", "EXCLUDE")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_statements_are_spelt_for_postgres(path) -> None:
    for given, _ in pairs(path):
        statement = rewrite(given, SCHEMA).sql("postgres")
        assert sqlglot.parse_one(statement, read="postgres")
        assert not [word for word in NOT_THERE if word in statement]


def test_quantiles_and_rounding_have_their_own_words() -> None:
    sql = "select quantile_cont(salary, 0.25) as q, max(round(age / 7, 1)) as m from data"
    statement = rewrite(sql, SCHEMA).sql("postgres")
    assert "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY" in statement
    assert "AS DECIMAL), 1)" in statement
