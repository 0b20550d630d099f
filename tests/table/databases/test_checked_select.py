"""A query is one SELECT that reads, and what runs is what was checked."""

import pytest

from shoal.errors import ShoalError
from shoal.table.databases.checked_select import checked_select


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("duckdb", "select * from people tablesample bernoulli(10)"),
        ("duckdb", "select * from people using sample 10"),
        ("duckdb", "select age, uuid() as x from people"),
        ("sqlite", "select * from people using sample 10"),
        ("postgres", "select * from people tablesample system (10)"),
        ("postgres", "select gen_random_uuid() as x from people"),
        ("postgres", "select random() as x from people"),
    ],
)
def test_what_chance_decides_is_refused(dialect, query):
    with pytest.raises(ShoalError, match="other rows each time\nHint: "):
        checked_select(query, dialect)


@pytest.mark.parametrize("clock", ["current_date", "now()", "localtimestamp", "current_time"])
def test_what_a_clock_decides_is_refused(clock):
    with pytest.raises(ShoalError, match="other rows another day\nHint: "):
        checked_select(f"select age from people where born < {clock}", "postgres")


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("duckdb", "select * exclude (age) from people qualify row_number() over (order by age) = 1"),
        ("duckdb", "select median(pay) filter (where age > 30) as m from people group by all"),
        ("sqlite", "select substr(town, 1, 2) as t, round(pay) as p from people where town glob 'U*'"),
        ("postgres", "select distinct on (age) age, pay::text from people order by age, pay nulls first"),
        ("postgres", "select percentile_cont(0.5) within group (order by pay) as m from people"),
    ],
)
def test_what_only_reads_is_kept(dialect, query):
    assert checked_select(query, dialect).startswith("SELECT ")


def test_a_query_that_would_run_as_another_is_refused():
    with pytest.raises(ShoalError, match="would run as another one\nHint: "):
        checked_select("select cast(pay as numeric) as pay from people", "sqlite")
