"""What a policy prepares is part of truth: every engine and every command that reads the original does it."""

import random
from datetime import date, timedelta

import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.comparison.smallest_change import diagnose
from shoal.errors import ShoalError
from tests.release.tampered import seal

from .engines import assert_as_in_memory
from .tables import Case

ROWS, PART_ROWS = 400, 60
COLUMNS = {
    "name": "identifier",
    "age": "quasi",
    "born": "quasi",
    "bmi": "quasi",
    "pay": "quasi",
    "weight": "drop",
    "height": "drop",
    "ill": "sensitive",
}
PREPARE = {
    "columns": {
        "age": {"cut": [30, 60], "labels": ["young", "grown", "old"]},
        "born": {"date": "year"},
        "pay": {"bottom": 1000, "top": 3000, "round": 50},
    },
    "derive": {"bmi": {"value": "weight / (height * height)", "round": 0}},
}
LEAVE_OUT = PREPARE | {"leave_out": "weight > 110 or ill = 'none'"}


def people(seed=5):
    draw = random.Random(seed)
    rows = []
    for number in range(ROWS):
        born = date(1940, 1, 1) + timedelta(draw.randrange(20_000))
        rows.append(
            {
                "name": f"p{number}",
                "age": str(2024 - born.year),
                "born": born.isoformat(),
                "pay": f"{draw.randrange(50000) / 10:.1f}",
                "weight": str(draw.randrange(50, 120)),
                "height": f"{draw.randrange(150, 200) / 100:.2f}",
                "ill": draw.choice(["flu", "cold", "none"]),
            }
        )
    return pa.Table.from_pylist(rows)


def policy(method="mondrian", prepare=PREPARE, **more):
    return shoal.Policy(
        columns=COLUMNS,
        prepare=prepare,
        guarantees=[shoal.KAnonymity(k=5)],
        method={"name": method, "suppression": 0.3},
        **more,
    )


def written(folder, prepare=LEAVE_OUT, **more):
    release = shoal.anonymize(people(), policy(prepare=prepare), seed=3, **more)
    release.write(folder / "release", audit=folder / "audit")
    return folder / "release"


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_every_engine_makes_the_same_release(engine, method, tmp_path):
    case = Case(people(), policy(method), "parquet", seed=3)
    release = shoal.anonymize(case.original, case.policy, seed=case.seed)
    release.write(tmp_path / "memory", "parquet")
    engine.write(case, tmp_path, PART_ROWS)
    assert_as_in_memory(tmp_path, release)
    opened = shoal.open_release(tmp_path / "release")
    assert all(verdict.holds for verdict in opened.verify(against=case.original, audit=tmp_path / "audit"))


def test_disk_leaves_out_the_same_rows(tmp_path):
    with shoal.anonymize(people(), policy(prepare=LEAVE_OUT), seed=3, engine="disk") as found:
        expected = shoal.anonymize(people(), policy(prepare=LEAVE_OUT), seed=3)
        assert found.rows == expected.rows < ROWS
        found.write(tmp_path / "release")
        rows = shoal.open_release(tmp_path / "release").read().arrow.to_pylist()
        assert rows == expected.table.to_pylist()


def test_spark_refuses_to_leave_rows_out(engine, tmp_path):
    if type(engine).__name__ != "OnSpark":
        pytest.skip("others do")
    case = Case(people(), policy(prepare=LEAVE_OUT), "parquet", seed=3)
    with pytest.raises(ShoalError, match="leave_out is not for Spark"):
        engine.write(case, tmp_path, PART_ROWS)


def test_what_is_published_is_what_was_prepared():
    table = shoal.anonymize(people(), policy(prepare=LEAVE_OUT), seed=3).table
    pay = [cell[end] for cell in table["pay"].to_pylist() for end in ("lo", "hi")]
    assert 1000 <= min(pay) <= max(pay) <= 3000
    assert all(end % 50 == 0 for end in pay)
    assert "none" not in table["ill"].to_pylist()
    words = {word for cell in table["age"].to_pylist() for word in cell.strip("{}").split(", ")}
    assert words <= {"young", "grown", "old"}
    assert "weight" not in table.column_names


def test_a_release_is_true_of_the_original_that_was_prepared(tmp_path):
    opened = shoal.open_release(written(tmp_path))
    assert all(verdict.holds for verdict in opened.verify(against=people(), audit=tmp_path / "audit"))


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": PREPARE["columns"] | {"pay": {"bottom": 2000, "top": 3000, "round": 50}}},
        {"columns": PREPARE["columns"] | {"age": {"cut": [40, 60], "labels": ["young", "grown", "old"]}}},
        {"derive": {"bmi": {"value": "weight * 2 / (height * height)", "round": 0}}},
    ],
)
def test_a_manifest_that_says_something_else_was_prepared_is_found_out(changed, tmp_path):
    release = written(tmp_path, prepare=PREPARE)
    seal(release, lambda content: content["policy"]["prepare"].update(changed))
    verdicts = shoal.open_release(release).verify(against=people())
    assert not all(verdict.holds for verdict in verdicts if verdict.kind in ("integrity", "truth"))


def test_a_manifest_holds_the_rules_and_no_cell(tmp_path):
    text = (written(tmp_path) / "manifest.json").read_text()
    assert "weight / (height * height)" in text
    assert not any(cell in text for cell in people()["born"].to_pylist())
    assert not any(f'"{cell}"' in text for cell in people()["pay"].to_pylist())


def test_attacks_and_reports_see_the_prepared_original(tmp_path):
    csv.write_csv(people(), tmp_path / "people.csv")
    release = written(tmp_path)
    original, page = str(tmp_path / "people.csv"), str(tmp_path / "page.html")
    attacked = CliRunner().invoke(app, ["attack", original, str(release), "--json"])
    assert attacked.exit_code in (0, 1), attacked.output
    reported = CliRunner().invoke(app, ["report", str(release), "--against", original, "-o", page])
    assert reported.exit_code in (0, 1), reported.output
    told = (tmp_path / "page.html").read_text()
    assert "weight / (height * height), to 0 decimals" in told
    assert "Rows were left out before all else" in told


def test_an_attack_on_the_table_itself_is_on_the_rows_that_would_be_published():
    as_prepared = policy(prepare=LEAVE_OUT).how_to_read.ruled(people())
    prepared, plain = (
        shoal.attack(table, policy=policy(prepare=prepare), only=["linkage"])[0]
        for table, prepare in ((people(), LEAVE_OUT), (as_prepared, {}))
    )
    assert prepared.histogram == plain.histogram
    assert any("leave_out" in note for note in prepared.notes)
    assert not any("leave_out" in note for note in plain.notes)


def test_a_saved_recoding_prepares_later_tables_too(tmp_path):
    first = shoal.anonymize(people(), policy(prepare=LEAVE_OUT), seed=3)
    first.save_recoding(tmp_path / "recoding.json")
    later = shoal.apply_recoding(tmp_path / "recoding.json", people(seed=6), suppression=1, seed=4)
    assert later.records > 0
    assert all(verdict.holds for verdict in later.verdicts)


def test_a_table_from_another_tool_is_not_prepared_again():
    asked = shoal.Policy(
        columns={"age": "quasi", "ill": "sensitive"},
        prepare={"columns": {"age": {"round": 10}}, "leave_out": "ill = 'none'"},
        guarantees=[shoal.KAnonymity(k=2)],
    )
    shown = pa.table({"age": ["[20, 39]", "[20, 39]", "41", "44"], "ill": ["flu", "none", "cold", "none"]})
    found = shoal.check(shown, asked)
    assert not found[0].holds  # 41 and 44 are two values to whoever reads the table


def test_a_derived_column_that_tells_a_protected_one_is_found():
    told = shoal.Policy(
        columns=COLUMNS | {"double": "other"},
        prepare=PREPARE | {"derive": PREPARE["derive"] | {"double": "pay * 2 + 1"}},
        guarantees=[shoal.KAnonymity(k=5)],
        method={"name": "mondrian"},
    )
    with pytest.raises(ShoalError, match="double"):
        shoal.anonymize(people(), told, seed=3)


def test_policies_that_prepare_are_compared_once_prepared():
    (row,) = shoal.compare(people(), {"one": policy(prepare=LEAVE_OUT)}, methods=["mondrian"], seed=1)
    assert row.figures is not None


@pytest.mark.parametrize("on", ["memory", "disk"])
def test_a_condition_that_leaves_nobody_is_named(on):
    with pytest.raises(ShoalError, match="leave_out leaves no row of the frame"):
        shoal.anonymize(people(), policy(prepare=PREPARE | {"leave_out": "weight > 0"}), seed=3, engine=on)


def test_a_table_that_was_read_before_is_prepared_too():
    made = shoal.anonymize(shoal.read_table(people()), policy(prepare=LEAVE_OUT), seed=3)
    assert "none" not in made.table["ill"].to_pylist()


def test_the_smallest_change_is_searched_on_the_prepared_table():
    asked = policy(prepare=LEAVE_OUT).model_copy(
        update={"guarantees": (shoal.KAnonymity(k=5), shoal.LDiversity(l=3, sensitive="ill"))}
    )
    found = diagnose(people(), asked, seconds=20)
    assert [change.then for change in found.changes if change.parameter == "l"] == [2]
