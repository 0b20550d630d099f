"""A permuted release made on parts is that of memory, from its rows to its help table."""

import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.anonymize import anonymize_rows, anonymize_table
from shoal.anonymizer.choose import choose
from shoal.anonymizer.permutation.plan import permutation_plan
from shoal.anonymizer.plan_request import PlanRequest
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.part_statistics import CLASS, STATISTICS
from shoal.engines.steps.shuffle import shuffle
from shoal.kernels.keyed_hash import seeded_key
from shoal.release.large_release import release_large
from shoal.table.columns.numbered_rows import ROW
from shoal.table.read import read_table

METHODS = ("min-sum", "max-groups", "min-max")


def disk(rows=7):
    return DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), most=rows)


def people(rows=60, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    pay = [f"{cell / 4}" for cell in rng.integers(-8, 30, rows).tolist()]
    if missing:
        pay = [None if row % 9 == 4 else cell for row, cell in enumerate(pay)]
    return pa.table(
        {
            "name": [f"p{row}" for row in range(rows)],
            "age": rng.integers(20, 60, rows),
            "pay": pay,
            "since": [f"2020-0{1 + one}-1{two}" for one, two in rng.integers(0, 9, (rows, 2)).tolist()],
            "illness": [("flu", "cold", "asthma", None)[one] for one in rng.integers(0, 4, rows).tolist()],
            "note": [f"n{row % 3}" for row in range(rows)],
        }
    )


def policy(method, *guarantees, missing=None, suppression=0.0, **options):
    roles = {"name": "identifier", "age": "quasi", "note": "other"}
    return shoal.Policy(
        columns=roles | dict.fromkeys(["pay", "since", "illness"], "sensitive"),
        guarantees=guarantees or [shoal.KeAnonymity(k=3, e=1, sensitive="pay")],
        method={"name": method, "options": options, "suppression": suppression},
        missing=missing or {},
    )


def on_parts(table, asked, seed, parts=7):
    key = seeded_key(seed)
    made = anonymize_rows(disk(parts).read(table), asked, key)
    return made, pa.concat_tables(shuffle(made.rows, key, made.records).batches())


def assert_same_as_memory(table, asked, seed=1, parts=7):
    expected = shoal.anonymize(table, asked, seed=seed)
    made, found = on_parts(table, asked, seed, parts)
    assert found[ROW].to_pylist() == expected.result.input_rows.tolist()
    assert found[CLASS].to_pylist() == expected.result.class_of.tolist()
    assert (
        found.drop_columns([ROW, CLASS, STATISTICS]).cast(expected.result.table.schema)
        == expected.result.table
    )
    assert (made.rows_in, made.records) == (len(table), expected.records)
    figures = made.figures(None)
    assert figures.loss == expected.loss
    assert (figures.classes, figures.suppressed) == (expected.result.classes, expected.result.suppressed)
    assert [note for note in expected.notes if "rank correlation" not in note] == list(figures.notes)


@pytest.mark.parametrize("method", METHODS)
def test_rows_are_those_of_memory(method):
    for seed, parts in enumerate([1, 7, 100]):
        assert_same_as_memory(people(seed=seed), policy(method), seed, parts)


@pytest.mark.parametrize("method", METHODS)
def test_whoever_has_left_changes_no_draw(method):
    asked = policy(method, missing={"pay": "suppress", "illness": "value"}, suppression=0.5)
    assert_same_as_memory(people(missing=True), asked)


def test_dates_are_grouped_as_days_and_columns_stay_side_by_side():
    assert_same_as_memory(
        people(), policy("min-sum", shoal.KeAnonymity(k=4, e=20, sensitive="since"), permute="together")
    )


def test_a_single_group_is_one_part():
    assert_same_as_memory(people(), policy("min-sum", shoal.KeAnonymity(k=20, e=5, sensitive="pay")))


@pytest.mark.parametrize("permute", ["together", "separately"])
def test_groups_are_merged_until_they_keep_every_guarantee(permute):
    asked = policy(
        "max-groups",
        shoal.KeAnonymity(k=2, e=0, sensitive="pay"),
        shoal.KeAnonymity(k=3, e=60, sensitive="since"),
        shoal.LDiversity(l=3, sensitive="illness"),
        permute=permute,
    )
    for seed in range(3):
        assert_same_as_memory(people(seed=seed), asked, seed)


def test_dates_that_are_missing_are_named_as_in_memory():
    table = people()
    gaps = [None if row % 9 == 4 else cell for row, cell in enumerate(table["since"].to_pylist())]
    table = table.set_column(3, "since", pa.array(gaps))
    asked = policy("min-sum", shoal.KeAnonymity(k=4, e=20, sensitive="since"))
    for refuse in (lambda: shoal.anonymize(table, asked, seed=1), lambda: on_parts(table, asked, 1)):
        with pytest.raises(
            shoal.ShoalError, match=r"'since' has 7 of 60 cells that are missing \(rows 5, 14"
        ):
            refuse()


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        (policy("min-sum"), True),
        (policy("min-sum", missing={"illness": "error"}), False),
        (policy("min-sum", missing={"illness": "zero"}), False),
        (policy("min-sum", shoal.KeAnonymity(k=3, e=1, sensitive="illness")), False),
        (policy("min-sum", shoal.KeAnonymity(k=3, e=999, sensitive="pay")), False),
        (policy("min-sum", shoal.KeAnonymity(k=99, e=1, sensitive="pay")), False),
        (policy("min-sum", missing={"pay": "suppress"}), True),
        (
            policy(
                "min-sum",
                shoal.KeAnonymity(k=3, e=1, sensitive="pay"),
                shoal.KeAnonymity(k=3, e=9999, sensitive="since"),
            ),
            False,
        ),
    ],
)
def test_what_memory_refuses_is_refused(asked, missing):
    table = people(missing=missing)
    with pytest.raises(shoal.ShoalError) as in_memory:
        shoal.anonymize(table, asked, seed=1)
    with pytest.raises(shoal.ShoalError) as on_disk:
        on_parts(table, asked, 1)
    assert str(on_disk.value) == str(in_memory.value)


def test_what_needs_all_rows_at_once_is_refused():
    with pytest.raises(shoal.ShoalError, match=r"'random' works in memory only"):
        on_parts(people(), policy("random"), 1)
    close = shoal.TCloseness(t=0.5, sensitive="illness", distance="equal")
    with pytest.raises(shoal.ShoalError, match="in memory only"):
        on_parts(people(), policy("min-sum", shoal.KeAnonymity(k=3, e=1, sensitive="pay"), close), 1)


@pytest.mark.parametrize("method", METHODS)
def test_too_many_values_are_grouped_range_by_range(method):
    rng, rows = np.random.default_rng(5), 300
    pay = np.where(np.arange(rows) % 3 == 0, 50, rng.integers(0, 2000, rows))  # one value fills whole parts
    table = pa.table({"age": rng.integers(20, 60, rows), "pay": pay})
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=3, e=5, sensitive="pay")],
        method={"name": method},
    )
    request = PlanRequest(asked, seeded_key(3), choose(asked))
    made = permutation_plan(disk(30).read(table), request, anonymize_table, most=20)
    found = pa.concat_tables(made.rows.batches())
    assert sorted(found[ROW].to_pylist()) == list(range(rows))
    assert found["age"].to_pylist() == table["age"].take(found[ROW]).to_pylist()
    groups, own = found[CLASS].to_numpy(), pay[found[ROW].to_numpy()]
    assert groups.tolist() == found["shoal_group"].to_pylist()
    figures, spans = made.figures(None), []
    for group in range(figures.classes):
        values = own[groups == group]
        assert Counter(values.tolist()) == Counter(found["pay"].to_numpy()[groups == group].tolist())
        assert len(set(values)) >= 3
        spans.append(values.max() - values.min())
    assert min(spans) >= 5
    assert figures.loss["sum_of_error"] == sum(spans)
    assert figures.loss["max_of_error"] == max(spans)
    assert "grouped one by one" in figures.notes[-1]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_whole_release_has_the_help_table_and_the_answers_of_memory(format, tmp_path):
    asked = policy(
        "min-sum",
        shoal.KeAnonymity(k=4, e=2, sensitive="pay"),
        shoal.KeAnonymity(k=2, e=30, sensitive="since"),
    )
    table = people(90)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.release.data.published_rows.ROWS_AT_ONCE", 20)
        patch.setattr("shoal.query.permuted.large_database.write_large_database.__defaults__", (25,))
        release = release_large(disk(20), table, asked, tmp_path / "large", format, seed=4)
    expected = shoal.anonymize(table, asked, seed=4)
    verdicts = expected.write(tmp_path / "small", format)
    assert release.verdicts == verdicts
    large, small = (shoal.open_release(tmp_path / name) for name in ("large", "small"))
    assert set(large.manifest.files) == set(small.manifest.files)
    assert {file.name for file in (tmp_path / "large").iterdir()} == {*small.manifest.files, "manifest.json"}
    assert all(verdict.holds for verdict in large.verify(against=table))
    assert large.read().arrow == small.read().arrow
    help_files = [read_table(tmp_path / name / f"help.{format}").arrow for name in ("large", "small")]
    assert help_files[0] == help_files[1]
    for name in ("data", "groups", "help"):
        first, second = (tables(tmp_path / folder, name) for folder in ("large", "small"))
        assert first == second, name
    sql = "select note, sum(pay), median(pay), max(since), count(*) from data where age > 30 group by note"
    assert large.query(sql) == small.query(sql)


def tables(folder, name):
    with duckdb.connect(str(folder / "release.duckdb"), read_only=True) as connection:
        return connection.sql(f"from {name}").to_arrow_table()


def test_numbers_that_no_common_scale_holds_are_refused():
    far = ["10000000000000", "11000000000000", "9000000000000.000001", "9000000000001.000001"]
    cells = [pa.array([Decimal(cell)] * 4, pa.decimal128(38, 6)) for cell in far]
    table = pa.table({"age": pa.chunked_array([[1, 2, 3, 4]] * 4), "pay": pa.chunked_array(cells)})
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=2, e=1, sensitive="pay")],
    )
    for parts in (1, 100):
        with pytest.raises(shoal.ShoalError, match="'pay'"):
            on_parts(table, asked, 0, parts)


def test_floats_of_any_size_lie_on_the_grid_of_memory():
    pay = [1e-13, 2e-13, 123456789.5, 223456789.5, 3.25, 4.5] * 3
    table = pa.table({"age": range(18), "pay": pay})
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=2, e=1, sensitive="pay")],
        method={"name": "min-sum"},
    )
    assert_same_as_memory(table, asked, parts=2)


def test_a_database_that_does_not_fit_into_memory_is_refused_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.release.database.database_file.LARGE_MEGABYTES", 1)
    asked = policy("min-sum", shoal.KeAnonymity(k=4, e=2, sensitive="pay"))
    with pytest.raises(shoal.ShoalError, match="more memory than the database may take"):
        release_large(disk(20), people(90), asked, tmp_path / "large", seed=4)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (duckdb.OutOfMemoryException("max_temp_directory_size"), "no room on the disk"),
        (duckdb.IOException("No space left on device"), "no room on the disk"),
        (duckdb.IOException("Permission denied"), "the database of the release cannot be written"),
    ],
)
def test_a_disk_that_is_full_or_broken_is_called_so(error, told, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr("shoal.query.permuted.large_database.write_large_database", fail)
    asked = policy("min-sum", shoal.KeAnonymity(k=4, e=2, sensitive="pay"))
    with pytest.raises(shoal.ShoalError, match=told):
        release_large(disk(20), people(90), asked, tmp_path / "large", seed=4)
    assert list(tmp_path.iterdir()) == []
