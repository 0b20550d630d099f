"""The words of a question are spelled like the cells, on permuted and generalized releases alike."""

import duckdb
import pyarrow as pa
import pytest

from shoal.policy.policy import Policy
from tests.query import generalized_releases, releases

JOBS = ["x ", "x", "y", "caf\u00e9", "cafe\u0301", " y z"]
TABLE = {"job": JOBS, "pay": [1, 2, 3, 4, 5, 6]}
POLICY = Policy(
    columns={"job": "other", "age": "quasi", "pay": "sensitive"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
)


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("job = 'x '", 2),
        ("job = ' x'", 2),
        ("job <> 'x '", 4),
        ("job in ('x ', 'y ')", 3),
        ("job not in ('x ')", 4),
        ("job = 'cafe\u0301'", 2),
        ("job = 'caf\u00e9 '", 2),
        ("job like 'caf\u00e9'", 2),
        ("job like ' y%'", 2),
        ("upper(job) = 'X '", 2),
        ("job between 'x ' and 'x'", 2),
        ("'x ' = job", 2),
        ("job || ' ' = 'x '", 2),
    ],
)
@pytest.mark.parametrize("role", ["other", "quasi", "permuted"])
def test_words_are_compared_by_their_value(condition: str, count: int, role: str) -> None:
    sql = f"select count(*) as n from data where {condition}"
    if role == "permuted":
        groups = {"shoal_group": [1] * len(JOBS)}
        (row,) = releases.ask(sql, pa.table(TABLE | groups), ("pay",)).rows
    else:
        policy = POLICY.model_copy(update={"columns": {**POLICY.columns, "job": role}})
        ages = {"age": ["[1, 3]"] * len(JOBS)}
        (row,) = generalized_releases.ask(sql, pa.table(TABLE | ages), policy).rows
    assert (row["n"].lower, row["n"].upper) == (count, count)


def test_a_permuted_column_of_words_is_compared_by_value_too() -> None:
    table = pa.table(
        {"age": [1, 2, 3], "illness": ["flu ", "flu", "gout"], "pay": [1, 2, 3], "shoal_group": [1] * 3}
    )
    sql = "select count(*) as n from data where illness = ' flu'"
    (row,) = releases.ask(sql, table, ("illness", "pay")).rows
    assert (row["n"].lower, row["n"].upper) == (2, 2)


def test_what_is_no_comparison_keeps_its_blanks(engine: duckdb.DuckDBPyConnection) -> None:
    sql = (
        "select count(*) as n from data where gender || ' ' = 'M ' and substring(zipcode || '  ', 6, 1) = ' '"
    )
    engine.register("nine", releases.NINE)
    ((plain,),) = engine.execute(sql.replace("from data", "from nine")).fetchall()
    (row,) = releases.ask(sql).rows
    assert row["n"].lower == plain == 6
