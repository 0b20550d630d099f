"""What is not a plain aggregate over the released table is refused, with a reason and a hint."""

import duckdb
import pytest

from shoal.errors import ShoalError
from shoal.query.permuted.database import open_database
from shoal.query.permuted.rewrite import rewrite
from shoal.query.schema import Schema
from tests.query.releases import NINE, ask

SCHEMA = Schema(tuple(NINE.column_names), ("salary",))
REFUSED = [
    "select * from read_csv('/etc/passwd')",
    "select count(*) from read_csv('/etc/passwd')",
    "select count(*) from '/etc/passwd'",
    "select count(*) from data, read_text('/etc/passwd')",
    "select count(*) from data where age > (select count(*) from read_text('/etc/passwd'))",
    "select max((select content from read_text('/etc/passwd'))) from data",
    "select max(getenv('HOME')) from data",
    "select count(*) from data where getenv('HOME') = 'x'",
    "select count(*), current_setting('threads') from data",
    "select count(*) from data where pg_sleep(100) is null",
    "select min(version()) from data",
    "select count(*) from duckdb_settings()",
    "select count(*) from information_schema.tables",
    "select count(*) from main.data",
    "select count(*) from memory.main.data",
    "select count(*) from help",
    "select count(*) from range(1000000000)",
    "select count(*) from (values (1)) data",
    "select count(*) from (select * from data) data",
    "select count(*) from data data(a, b)",
    "select count(*) from data tablesample 10%",
    "attach '/tmp/x.db'",
    "copy data to '/tmp/x.csv'",
    "pragma database_list",
    "install httpfs",
    "load httpfs",
    "set threads = 1",
    "reset threads",
    "call pragma_version()",
    "drop table data",
    "delete from data",
    "create table x as select 1",
    "insert into data select * from data",
    "update data set salary = 0",
    "explain select count(*) from data",
    "describe data",
    "from data",
    "values (1)",
    "export database '/tmp/x'",
    "select count(*) from data; drop table data",
    "select count(*) from data; attach '/tmp/x.db' as x; select 1",
    "select count(*) from data /* x */ ; /* y */ copy data to '/tmp/x.csv'",
    "/* select count(*) from data */ attach '/tmp/x.db'",
    "-- select count(*) from data\nset threads = 1",
    "select count(*) from data union select 1",
    "select count(*) from data union all select salary from data",
    "select count(*) from data intersect select 1",
    "(select count(*) from data)",
    "with x as (select * from data) select count(*) from x",
    "with data as (select 1 as salary, 1 as shoal_group) select sum(salary) from data",
    "with recursive x as (select 1) select count(*) from data",
    "select count(*) from data join data d on true",
    "select count(*) from data, data d",
    "select count(*) from data cross join help",
    "select count(*) from data natural join help",
    "select count(*) from data left join lateral (select 1) on true",
    "select salary from data",
    "select * from data",
    "select data.* from data",
    "select columns(*) from data",
    "select count(columns(*)) from data",
    "select count(* exclude (salary)) from data",
    "select data from data",
    "select max(data) from data",
    "select rowid, count(*) from data group by rowid",
    "select age from data",
    "select 1 from data",
    "select 1 + 2 as three from data",
    "select distinct salary from data",
    "select distinct on (age) count(*) from data",
    "select salary, count(*) from data group by salary",
    "select salary + 1, count(*) from data group by salary + 1",
    "select count(*) from data group by salary",
    "select count(*) from data group by all",
    "select count(*) from data group by rollup (gender)",
    "select count(*) from data group by grouping sets ((gender), ())",
    "select count(*) from data order by salary",
    "select gender, count(*) from data group by gender order by max(age) over ()",
    "select gender, count(*) from data group by gender order by random()",
    "select cast(salary as varchar) from data",
    "select salary::varchar from data",
    "select sum(salary::double) from data",
    "select max(cast(salary as varchar)) from data",
    "select sum(try_cast(salary as int)) from data",
    "select list(salary) from data",
    "select string_agg(salary::varchar, ',') from data",
    "select first(salary) from data",
    "select any_value(salary) from data",
    "select arg_max(age, salary) from data",
    "select arg_max(salary, age) from data",
    "select max_by(salary, age) from data",
    "select max(salary, 3) from data",
    "select mode(salary) from data",
    "select corr(age, salary) from data",
    "select count(distinct salary) from data",
    "select sum(distinct salary) from data",
    "select sum(salary) filter (where age > 50) from data",
    "select sum(salary order by age) from data",
    "select sum(salary) over () from data",
    "select sum(salary) over (partition by age) from data",
    "select row_number() over () from data",
    "select sum(salary) over w from data window w as (order by age)",
    "select count(*) from data qualify row_number() over () = 1",
    "select sum(salary * age) from data",
    "select sum(case when age > 50 then salary else 0 end) from data",
    "select sum(salary / age) from data",
    "select sum(salary / 0) from data",
    "select sum(salary / (salary - 54000)) from data",
    "select sum(nullif(salary, 54000)) from data",
    "select sum(salary + (select 1)) from data",
    "select avg(salary) from data where salary > age",
    "select avg(salary) from data where salary > 5 or age > 50",
    "select avg(salary) from data where not (salary > 5 and age > 50)",
    "select avg(age) from data where salary > 60000",
    "select median(salary) from data where salary > 60000",
    "select avg(salary) from data where salary = (select max(salary) from data)",
    "select avg(salary) from data where salary in (select salary from data)",
    "select avg(salary) from data where age in (select age from data)",
    "select avg(salary) from data where exists (select 1)",
    "select avg(salary) from data where age > any (select 1)",
    "select avg(salary) from data where age > all (select age from data)",
    "select avg(salary) from data where unnest([1, 2]) = 1",
    "select avg(salary) from data where (select true)",
    "select avg(salary) from data where age > $1",
    "select avg(salary) from data where age > ?",
    "select avg(salary) from data where zipcode::int[] is null",
    "select avg(salary) from data where cast(zipcode as blob) is null",
    "select avg(salary) from data where list_transform([1], x -> x) is null",
    "select gender, avg(salary) from data group by gender having avg(salary) > 60000",
    "select gender, avg(salary) from data group by gender having salary > 60000",
    "select gender, count(*) from data group by gender having max(age) > (select 1)",
    "select count(*) from data limit (select 1)",
    "select count(*) from data limit 10%",
    "select count(*) from data limit -1",
    "select count(*) from data order by 7",
    "select count(*) into x from data",
    "select count(*) from data for update",
    "select quantile_cont(salary, 2) from data",
    "select quantile_cont(salary, [0.1, 0.2]) from data",
    "select quantile_cont(salary, age) from data",
    "select quantile_cont(age, (select 0.5)) from data",
    "select percentile_cont(0.5) within group (order by salary desc) from data",
    "select count(*) from data using sample 1",
    "select count(*) from data pivot (count(*) for gender in ('M'))",
    "select count(*) from data at (version => 1)",
    'select "sum(salary) from data; drop table data" from data',
    "select 'it''s; drop table data' from data",
    "select count(*), count(*) from data",
    "select sum(income) from data",
    "select x.salary from data",
    "select",
    "select count(* from data",
    "select count(*)",
    "",
    ";",
    "'",
    "select " + "(" * 3000 + "1" + ")" * 3000 + " from data",
    "select " + "1+" * 9000 + "1 from data",
    "select " + "1+" * 4000 + "count(*) from data",
    "select count(*) from data where " + "not " * 2000 + "true",
    "select count(*) from data where " + "age > 1 and " * 800 + "true",
    "select " + "-" * 1 + "(" * 200 + "sum(salary)" + ")" * 200 + " from data",
    "select " + ", ".join(f"count(*) as a{number}" for number in range(101)) + " from data",
    "select count(*) from data where gender = '\ud800'",
]  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED, ids=lambda sql: sql[:60])
def test_what_has_no_bounds_is_refused(sql: str) -> None:
    with pytest.raises(ShoalError) as caught:
        rewrite(sql, SCHEMA)
    assert all(fault.hint for fault in caught.value.faults)


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(salary) from data -- ; drop table data",
        "select /* union select salary from data */ sum(salary) from data;",
        "select sum(salary) from data where gender <> '; drop table data; --'",
        "select sum(salary) from data where gender <> 'it''s /* not */ a comment'",
        'SELECT SUM("Salary") FROM DATA',
        "select sum(data.salary) from data",
    ],
)
def test_comments_and_quotes_change_nothing(sql: str) -> None:
    (row,) = ask(sql).rows
    assert [bounds.lower for bounds in row.values()] == [615000]


@pytest.mark.parametrize(
    "statement",
    [
        "select * from read_csv('/etc/passwd')",
        "attach '/tmp/shoal-no-such.db'",
        "copy data to '/tmp/shoal-no-such.csv'",
        "install httpfs",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "from NINE",
    ],
)
def test_the_engine_itself_is_closed(statement: str) -> None:
    connection, _ = open_database(NINE, ("salary",))
    with pytest.raises(duckdb.Error):
        connection.execute(statement)


def test_what_floats_cannot_tell_is_not_told() -> None:
    (row,) = ask("select sum(salary * 1e308) as x, var_pop(salary * 1e200) as y from data").rows
    assert [(bounds.lower, bounds.expected, bounds.upper) for bounds in row.values()] == [(None,) * 3] * 2


def test_an_error_of_the_engine_shows_no_cell() -> None:
    with pytest.raises(ShoalError, match="cannot be computed") as caught:
        ask("select sum(salary) from data where cast(gender as int) = 1")
    assert "'M'" not in str(caught.value)
    assert "'F'" not in str(caught.value)
