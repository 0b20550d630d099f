"""Tables of a server: one moment of them, read and never changed; no password is ever shown."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.read import read_table
from shoal.table.source import ChosenTable
from tests.postgres import PASSWORD, Server


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """A database of its own with one table."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.url(), autocommit=True) as server:
        server.execute(f"create database {name}")
        with psycopg.connect(postgres.url(database=name), autocommit=True) as connection:
            connection.execute("create table people (age integer, pay numeric(9, 2), born date, yes boolean)")
            connection.execute(
                "insert into people values (30, 1.5, '2024-02-29', true), (41, null, null, false)"
            )
        yield postgres.url(database=name)
        server.execute(f"drop database {name} with (force)")


def refusal(source: object) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(source)
    assert "\nHint: " in str(refused.value)
    assert PASSWORD not in str(refused.value)
    return str(refused.value)


def test_the_only_table_is_read_as_its_csv_would_be(database):
    assert read_table(database).arrow.to_pydict() == {
        "age": ["30", "41"],
        "pay": ["1.50", None],
        "born": ["2024-02-29", None],
        "yes": ["true", "false"],
    }


def test_every_reading_is_of_the_same_moment(database):
    batches = batches_of(database)
    first = batches.read(1)
    assert len(next(first)) == 1
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("insert into people values (99, 1, null, null)")
    assert sum(map(len, batches.read(1))) == 2
    assert sum(map(len, first)) == 1


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("delete from people", "does something else than to read"),
        ("with x as (delete from people returning age) select * from x", "does something else than to read"),
        ("select * into other from people", "does something else than to read"),
        ("select age from people for update", "does something else than to read"),
        ("select 1; drop table people", "2 statements"),
        ("select age from people) as x; drop table people; --", "cannot be read as SQL"),
        ("select pg_read_file('/etc/passwd') as x", "of which nobody knows"),
        ("select set_config('default_transaction_read_only', 'off', false) as x", "of which nobody knows"),
        ("select pg_terminate_backend(1) as x", "of which nobody knows"),
        ("select random() as x from people", "other rows each time"),
        ("select age from nothing", "there is no such table"),
        ("select nothing from people", "a column that is not there"),
        ("select cast(born::text as integer) as x from people", "InvalidTextRepresentation"),
        ("select age, age from people", "more than one column named 'age'"),
    ],
)
def test_nothing_but_reading_can_be_asked_for(query, says, database):
    assert says in refusal(ChosenTable(database, query=query))
    assert len(read_table(database)) == 2


def test_the_transaction_itself_changes_nothing(database):
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(
            "create function add() returns int language sql as 'insert into people values (1) returning age'"
        )
        owner.execute("create view adding as select add() as x")
    assert "changes something" in refusal(ChosenTable(database, table="adding"))
    assert len(read_table(database)) == 2


def test_who_may_not_read_is_told_so(database):
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(f"drop role if exists guest; create role guest login password '{PASSWORD}'")
    guest = database.replace("ann:", "guest:")
    try:
        assert "may not read" in refusal(ChosenTable(guest, query="select age from people"))
    finally:
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute("drop role guest")


@pytest.mark.parametrize("part", [f":{PASSWORD}@", f":{PASSWORD}/@", f":{PASSWORD}#x@", f":{PASSWORD}?x@"])
def test_no_password_is_shown_wherever_it_stands(part):
    refusal(f"postgresql://ann{part}127.0.0.1:1/nowhere")
    refusal(f"postgresql://ann{part}")


def test_connections_are_closed_when_nobody_reads_any_more(database):
    batches = batches_of(database)
    next(batches.read(1))
    del batches
    with psycopg.connect(database, autocommit=True) as other:
        found = other.execute(
            "select count(*) from pg_stat_activity "
            "where application_name = 'shoal' and datname = current_database()"
        ).fetchone()
    assert found == (0,)
