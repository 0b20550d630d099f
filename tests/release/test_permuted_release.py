"""The folder of a permuted release: data, help table, database; all of it from the data alone."""

import csv
import json
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import shoal

PEOPLE = pa.table(
    {
        "name": [f"person {row}" for row in range(40)],
        "age": [20 + row * 7 % 40 for row in range(40)],
        "zip": [f"0{row % 5}123" for row in range(40)],
        "pay": [1000 + 50 * (row * 11 % 37) for row in range(40)],
        "since": [f"2020-0{1 + row % 9}-1{row % 7}" for row in range(40)],
        "illness": [["flu", "cold", None][row % 3] for row in range(40)],
    }
)
POLICY = shoal.Policy(
    columns={"name": "identifier", "age": "quasi", "zip": "quasi"}
    | dict.fromkeys(["pay", "since", "illness"], "sensitive"),
    guarantees=[
        shoal.KeAnonymity(k=4, e=150, sensitive="pay"),
        shoal.KeAnonymity(k=2, e=30, sensitive="since"),
        shoal.LDiversity(l=2, sensitive="illness"),
    ],
)


@pytest.fixture(params=["csv", "parquet"])
def folder(request, tmp_path) -> Path:
    shoal.anonymize(PEOPLE, POLICY).write(tmp_path / "release", request.param)
    return tmp_path / "release"


def test_the_folder_holds_data_help_and_database_and_vouches_for_them(folder):
    format = "csv" if (folder / "data.csv").exists() else "parquet"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["files"]) == {f"data.{format}", f"help.{format}", "release.duckdb"}
    assert all(verdict.holds for verdict in shoal.open_release(folder).verify(against=PEOPLE))
    (folder / "release.duckdb").write_bytes((folder / "release.duckdb").read_bytes() + b"x")
    assert "release.duckdb differs" in shoal.open_release(folder).verify()[0].sentence
    with pytest.raises(shoal.ShoalError, match=r"release\.duckdb does not match the manifest"):
        shoal.open_release(folder).query("select count(*) from data")


def test_the_database_holds_the_data_and_nothing_else(folder):
    data = shoal.open_release(folder).read().arrow
    with duckdb.connect(str(folder / "release.duckdb"), read_only=True) as connection:
        listed = connection.execute("select table_name from information_schema.tables").fetchall()
        stored = connection.sql("select * from data").to_arrow_table()
        mapped = connection.sql("select * from mapping").to_arrow_table()
    assert {name for (name,) in listed} == {"data", "groups", "mapping", "help"}
    assert stored.column_names == data.column_names
    rows = [Counter(zip(*(column.cast(pa.string()).to_pylist() for column in table.columns), strict=True))
            for table in (data, stored)]  # fmt: skip
    assert rows[0] == rows[1]
    assert mapped.column_names == ["age", "zip", "shoal_group"]


def test_the_help_table_tells_what_any_so_many_values_of_a_group_give(folder):
    data = shoal.open_release(folder).read().arrow
    groups = np.array(data["shoal_group"].cast(pa.int64()))
    pays = np.array(data["pay"].cast(pa.int64()))
    seen = 0
    for row in help_rows(folder):
        own = np.sort(pays[groups == int(row["shoal_group"])])
        hits = int(row["hits"])
        assert int(row["group_size"]) == len(own)
        assert float(row["pay_sum_lower"]) == own[:hits].sum()
        assert float(row["pay_sum_upper"]) == own[-hits:].sum()
        assert float(row["pay_min_upper"]) == own[-hits]
        assert float(row["pay_max_lower"]) == own[hits - 1]
        seen += 1
    assert seen == len(pays)


def help_rows(folder):
    if (folder / "help.csv").exists():
        with (folder / "help.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))
    from pyarrow import parquet

    return parquet.read_table(folder / "help.parquet").to_pylist()


def test_answers_come_from_the_file_as_from_memory(tmp_path):
    release = shoal.anonymize(PEOPLE, POLICY, seed=4)
    release.write(tmp_path / "again")
    opened = shoal.open_release(tmp_path / "again")
    for sql in (
        "select avg(pay), count(*) from data where age > 30",
        "select zip, sum(pay), max(pay) from data where zip <> '00123' group by zip",
        "select min(since), max(since) from data where age < 40",
        "select count(*) from data where illness = 'flu' and age > 25",
    ):
        assert opened.query(sql) == release.query(sql)


def test_records_can_be_counted_by_permuted_words(folder):
    truth = sum(ill == "flu" and age > 30 for ill, age in zip(*map(pa.ChunkedArray.to_pylist,
                PEOPLE.select(["illness", "age"]).columns), strict=True))  # fmt: skip
    release = shoal.open_release(folder)
    (row,) = release.query("select count(*) as n from data where illness = 'flu' and age > 30").rows
    assert row["n"].lower <= truth <= row["n"].upper
    assert row["n"].lower < row["n"].upper
    for sql in ("select max(illness) from data", "select count(illness) from data",
                "select illness, count(*) from data group by illness", "select avg(pay) from data "
                "where illness = 'flu'"):  # fmt: skip
        with pytest.raises(shoal.ShoalError, match=r"illness|sensitive"):
            release.query(sql)


def test_true_answers_lie_inside(folder):
    release = shoal.open_release(folder)
    with duckdb.connect() as truth:
        truth.register("data", PEOPLE)
        for condition in (
            "age > 30",
            "age between 25 and 35",
            "zip = '01123'",
            "age % 2 = 0 or zip like '%3123'",
        ):
            for figure in ("sum(pay)", "avg(pay)", "min(pay)", "max(pay)", "median(pay)", "stddev(pay)"):
                sql = f"select {figure} as x from data where {condition}"
                found, (expected,) = release.query(sql).rows[0]["x"], truth.execute(sql).fetchone()
                assert found.lower - 1e-9 <= expected <= found.upper + 1e-9, sql


def test_generalized_releases_answer_too_and_contain_the_permuted_bounds(tmp_path):
    blurred = shoal.Policy(
        columns=POLICY.columns | {"since": "identifier", "illness": "identifier"},
        rows="people",
        guarantees=[shoal.KAnonymity(k=5)],
    )
    shoal.anonymize(PEOPLE, blurred, seed=2).write(tmp_path / "blurred")
    answer = shoal.open_release(tmp_path / "blurred").query("select sum(pay) as x from data where age > 33")
    truth = sum(
        pay for pay, age in zip(PEOPLE["pay"].to_pylist(), PEOPLE["age"].to_pylist(), strict=True) if age > 33
    )
    assert answer.rows[0]["x"].lower <= truth <= answer.rows[0]["x"].upper
    assert answer.rows[0]["x"].lower < answer.rows[0]["x"].upper


def test_suppressed_records_are_told_with_every_answer(tmp_path):
    pays = [None if row == 3 else pay for row, pay in enumerate(PEOPLE["pay"].to_pylist())]
    policy = shoal.Policy(
        columns=POLICY.columns | {"since": "identifier", "illness": "identifier"},
        rows="people",
        guarantees=[shoal.KeAnonymity(k=4, e=150, sensitive="pay")],
        missing={"pay": "suppress"},
        method={"suppression": 0.1},
    )
    release = shoal.anonymize(PEOPLE.set_column(3, "pay", pa.array(pays)), policy)
    release.write(tmp_path / "release")
    for asked in (release, shoal.open_release(tmp_path / "release")):
        assert asked.query("select count(*) from data").notes[0].startswith("1 records were suppressed")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_real_floats_are_published_and_asked_in_every_format(tmp_path, format):
    ages, pays = (np.random.default_rng(seed).permutation(40) ** 3 / 3 for seed in (7, 11))
    table = PEOPLE.set_column(1, "age", pa.array(ages)).set_column(3, "pay", pa.array(pays))
    shoal.anonymize(table, POLICY).write(tmp_path / "release", format)
    release = shoal.open_release(tmp_path / "release")
    assert all(verdict.holds for verdict in release.verify(against=table))
    (row,) = release.query("select sum(pay) as x from data where age > 5.5").rows
    truth = sum(pay for age, pay in zip(ages, pays, strict=True) if age > 5.5)
    assert row["x"].lower - 1e-9 <= truth <= row["x"].upper + 1e-9


def test_a_release_may_be_opened_by_several_at_a_time(folder):
    first, second = shoal.open_release(folder), shoal.open_release(folder)
    assert first.query("select sum(pay) from data") == second.query("select sum(pay) from data")
    with duckdb.connect(str(folder / "release.duckdb"), read_only=True) as connection:
        assert connection.execute("select count(*) from data").fetchall() == [(40,)]
