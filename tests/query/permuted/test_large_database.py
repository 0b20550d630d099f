"""A database that is written from batches is the one that is written from the whole table."""

from datetime import date
from decimal import Decimal
from functools import partial

import duckdb
import pyarrow as pa
import pytest

from shoal.query.answer import answer
from shoal.query.permuted.column_types import typed_table
from shoal.query.permuted.database import help_batches, open_database, open_file, write_database
from shoal.query.permuted.large_database import help_by_ranges, write_large_database
from tests.query.releases import NINE

GROUPS = [2, 1, 2, 1, 3, 3, 2, 1, 3]
COLUMNS = {
    "whole": ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    "decimals in some": ["1", "2", "3.25", "4", "5.5", "6", "7", "8", "-9"],
    "dates": [f"2024-01-0{day}" for day in range(1, 10)],
    "dates in some": [*(f"2024-01-0{day}" for day in range(1, 9)), "9"],
    "codes in some": ["1", "2", "3", "4", "5", "6", "7", "8", "09"],
    "missing in some": ["1", None, "3", "4.5", None, None, "7", "8", "9"],
    "missing in a batch": [None, None, None, "4", "5", "6", "7", "8", "9"],
    "ties": ["1"] * 6 + ["2"] * 3,
    "words": list("abcabcabc"),
    "beyond together": ["9000000000000000000", "1", "2", "0.001", "1", "2", "3", "4", "5"],
    "floats": [0.5, 1.0, 2.0, 3.0, 4.0, 5.25, 6.0, 7.0, 8.0],
    "real floats": [0.1 + 0.2, 1.0, 2.0, 3.0, 4.0, 5.25, 6.0, 7.0, 1e14 / 3],
    "floats with none": [0.5, None, 2.0, 3.0, 4.0, 5.25, 6.0, 7.0, 8.0],
    "small": pa.array(range(9), pa.int8()),
    "money": [Decimal(f"{cell}.50") for cell in range(9)],
    "days": [date(2024, 1, day) for day in range(1, 10)],
    "nothing": pa.nulls(9, pa.string()),
}


def by_three(table):
    return (table.slice(start, 3) for start in (0, 3, 6))


def both(table, sensitive):
    """What each of the two has written: its tables, and its help table."""
    for large in (False, True):
        with duckdb.connect() as connection:
            if large:
                written = write_large_database(connection, partial(by_three, table), sensitive, 3)
                assert len(written.ranges) == 3
                schema, rows = written.schema, pa.Table.from_batches(help_by_ranges(connection, written))
            else:
                schema = write_database(connection, typed_table(table), sensitive)
                rows = help_batches(connection).read_all()
            yield (
                schema,
                rows,
                *(connection.sql(f"from {one}").to_arrow_table() for one in ("data", "groups")),
            )


@pytest.mark.parametrize("permuted", [True, False])
def test_it_holds_the_same(permuted):
    table = pa.table({**COLUMNS, "pay": range(9), "shoal_group": GROUPS})
    whole, in_batches = both(table, ["pay", *COLUMNS] if permuted else ["pay"])
    for found, expected in zip(in_batches, whole, strict=True):
        assert found == expected


def test_a_file_is_asked_within_the_memory_there_is(tmp_path, monkeypatch):
    with duckdb.connect(str(tmp_path / "release.duckdb")) as connection:
        write_large_database(connection, lambda: iter([NINE]), ["salary"])
    monkeypatch.setattr("shoal.query.permuted.database.available_memory", lambda: 2 * 10**9)
    connection, schema = open_file(tmp_path / "release.duckdb", ["salary"])
    limit, aside = connection.execute(
        "select current_setting('memory_limit'), current_setting('temp_directory')"
    ).fetchone()
    assert limit == "953.6 MiB"
    assert "shoal-query-" in aside
    sql = "select sum(salary) from data where age > 36"
    assert answer(connection, schema, sql) == answer(*open_database(NINE, ["salary"]), sql)
