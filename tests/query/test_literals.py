"""The words of a question are spelled like the cells, on permuted and generalized releases alike."""

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

from shoal.policy.model.policy import Policy
from shoal.query.parse import parse
from shoal.query.sql_text import sql_text
from tests.query import generalized_releases, releases

JOBS = ["x ", "x", "y", "caf\u00e9", "cafe\u0301", " y z"]
SPELLINGS = ["New  York", "New\u00a0York", "50000", "50000.0", "5e4", "2020-01-01 00:00", "y"]
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
        ("job like 'x '", 2),
        ("job like 'y%'", 2),
        ("job like 'y %'", 1),
        ("job like '% '", 0),
        ("starts_with(job, 'y ')", 1),
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


PLAIN = [
    ("job = 'New  York'", 2),
    ("job = 'New York'", 2),
    ("job <> 'New  York'", 5),
    ("job = '50000.0'", 3),
    ("job <> '+50000'", 4),
    ("job in ('5e4', 'y ')", 4),
    ("job not in ('50000.0', 'y')", 3),
    ("job = '2020-01-01'", 1),
]
RICH = [
    ("job like 'New  Y%'", 2),
    ("coalesce(job, 'z') = 'y '", 1),
    ("case job when '50000.0' then 1 else 0 end = 1", 3),
]


@pytest.mark.parametrize(("condition", "count"), PLAIN + RICH)
@pytest.mark.parametrize("role", ["other", "quasi"])
def test_every_spelling_of_a_value_asks_for_all_of_them(condition: str, count: int, role: str) -> None:
    policy = POLICY.model_copy(update={"columns": {**POLICY.columns, "job": role}})
    table = pa.table({"job": SPELLINGS, "pay": list(range(7)), "age": ["[1, 3]"] * 7})
    sql = f"select count(*) as n from data where {condition}"
    (row,) = generalized_releases.ask(sql, table, policy).rows
    assert (row["n"].lower, row["n"].upper) == (count, count)


@pytest.mark.parametrize(
    ("condition", "count", "sensitive"),
    [*((*one, ("pay",)) for one in PLAIN + RICH), *((*one, ("job", "pay")) for one in PLAIN)],
)
def test_the_same_of_permuted_releases(condition: str, count: int, sensitive: tuple[str, ...]) -> None:
    table = pa.table({"job": SPELLINGS, "pay": list(range(7)), "shoal_group": [1] * 7})
    (row,) = releases.ask(f"select count(*) as n from data where {condition}", table, sensitive).rows
    assert (row["n"].lower, row["n"].upper) == (count, count)


def test_groups_are_those_of_values() -> None:
    sql = "select job, count(*) as n from data group by job order by job"
    table = pa.table({"job": SPELLINGS, "pay": list(range(7)), "shoal_group": [1] * 7})
    found = [(row["job"], row["n"].lower) for row in releases.ask(sql, table, ("pay",)).rows]
    assert found == [("2020-01-01", 1), ("50000", 3), ("New York", 2), ("y", 1)]


def test_what_is_no_comparison_keeps_its_blanks(engine: duckdb.DuckDBPyConnection) -> None:
    sql = (
        "select count(*) as n from data where gender || ' ' = 'M ' and substring(zipcode || '  ', 6, 1) = ' '"
    )
    engine.register("nine", releases.NINE)
    ((plain,),) = engine.execute(sql.replace("from data", "from nine")).fetchall()
    (row,) = releases.ask(sql).rows
    assert row["n"].lower == plain == 6


@pytest.mark.parametrize(
    ("condition", "members"),
    [("age in (38, 40, -1, 43.0, 5.2e1)", 1), ("age in (38, null)", 2), ("age not in (38, 40, 1 + 1)", 3)],
)
def test_a_list_of_numbers_is_one_piece_of_a_tree_and_prints_as_it_was(condition: str, members: int) -> None:
    """A statement copies its conditions many times: a list of thousands of numbers took seconds."""
    tree = parse(f"select avg(salary) from data where {condition}")
    (found,) = tree.find_all(exp.In)
    assert len(found.expressions) == members
    assert sql_text(tree.args["where"].this).lower().replace("not age in", "age not in") == condition


@pytest.mark.parametrize("column", ["age", "salary"])
def test_a_list_of_numbers_means_each_of_them(column: str) -> None:
    numbers = ("38", "-40", "43.0", "5.2e1", "54000", "65e3", "80000")
    listed = f"{column} in ({', '.join(numbers)})"
    each = " or ".join(f"{column} = {number}" for number in numbers)
    items = "count(*) as n, sum(salary) as s, avg(salary) as a, min(salary) as m"
    found, expected = (releases.ask(f"select {items} from data where ({one})").rows for one in (listed, each))
    assert found == expected
    assert found[0]["n"].upper > 0
