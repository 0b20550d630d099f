"""Files of SPSS and Stata: labels and missing codes come out again, and limits are told before."""

import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.release.export.export import export_table
from shoal.release.export.export_form import ExportForm
from shoal.table.files.labels import ColumnLabels, labels_of
from tests.release.export.people import rows_of

POLICY = """
[columns]
age = "quasi"
sex = "other"
vote = "other"
income = "other"

[[guarantees]]
kind = "k-anonymity"
k = 2
"""

SECRET = bytes(16)  # the same choices in every run, and no seed


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A survey with titles, labels, and codes that mean missing."""
    frame = pl.DataFrame(
        {
            "age": [float(age) for age in range(30, 42)],
            "sex": [1.0, 2.0, 1.0, 2.0] * 3,
            "vote": ["a", "b", "a", "x"] * 3,
            "income": [100.5, -9.0, 98.0, 7.0] * 3,
        }
    )
    path = tmp_path / "study.sav"
    pyreadstat.write_sav(
        frame,
        path,
        column_labels={"age": "Age in years", "sex": "Sex", "income": "Income"},
        variable_value_labels={
            "age": {30: "thirty", 41: "forty-one", 99: "very old"},
            "sex": {1: "man", 2: "woman", 3: "other"},
            "vote": {"a": "yes", "b": "no", "x": "refused"},
            "income": {-9: "refused", 7: "seven"},
        },
        missing_ranges={"income": [-9, {"lo": 97, "hi": 99}], "vote": ["x"]},
    )
    return path


def test_labels_and_missing_codes_survive_the_way_through_a_release(study: Path, tmp_path: Path) -> None:
    shoal.anonymize(study, shoal.Policy.parse(POLICY), secret=SECRET).write(tmp_path / "release")
    written = shoal.open_release(tmp_path / "release").export(tmp_path / "t.sav", ExportForm(labels=study))
    found = labels_of(tmp_path / "t.sav")
    assert found["sex"] == ColumnLabels("Sex", {1: "man", 2: "woman"})
    assert found["vote"] == ColumnLabels("", {"a": "yes", "b": "no"}, (("x", "x"),))
    assert found["income"] == ColumnLabels("Income", {7: "seven"}, ((97, 99), (-9, -9)))
    assert found["age"] == ColumnLabels("Age in years")  # ranges alone are shown
    assert written.labelled == ("sex", "vote", "income")
    rows = rows_of(tmp_path / "t.sav")
    assert sorted(one for one in rows["income"] if one is not None) == [7.0, 7.0, 7.0, 100.5, 100.5, 100.5]


def test_stata_has_labels_of_whole_numbers(study: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(study, shoal.Policy.parse(POLICY), secret=SECRET)
    release.export(tmp_path / "t.dta", ExportForm(labels=study))
    found = labels_of(tmp_path / "t.dta")
    assert found["sex"] == ColumnLabels("Sex", {1: "man", 2: "woman"})
    assert found["vote"].values == {}
    assert found["age"].title == "Age in years"


def test_a_code_that_is_published_is_not_declared_missing(study: Path, tmp_path: Path) -> None:
    """A release of a CSV file shows -9 as a value, and 98 may be a mean: nothing may hide them."""
    table = pa.table({"income": ["-9", "98", "5"], "vote": ["x", "a", "b"]})
    export_table(table, tmp_path / "t.sav", ExportForm(labels=study), force=False)
    cells, about = pyreadstat.read_sav(tmp_path / "t.sav", output_format="dict", user_missing=True)
    assert cells["income"] == [-9.0, 98.0, 5.0]
    assert about.variable_value_labels["income"] == {-9.0: "refused"}
    assert rows_of(tmp_path / "t.sav") == {"income": [-9.0, 98.0, 5.0], "vote": ["x", "a", "b"]}


def test_open_ranges_of_missing_codes_survive(tmp_path: Path) -> None:
    frame, path = pl.DataFrame({"n": [1.0, 2.0]}), tmp_path / "study.sav"
    pyreadstat.write_sav(frame, path, missing_ranges={"n": [{"lo": -sys.float_info.max, "hi": -1}]})
    export_table(pa.table({"n": ["1", "2"]}), tmp_path / "t.sav", ExportForm(labels=path), force=False)
    assert labels_of(tmp_path / "t.sav") == labels_of(path)


def test_long_titles_are_cut_to_what_the_program_holds(tmp_path: Path) -> None:
    frame, path = pl.DataFrame({"n": [1.0, 2.0]}), tmp_path / "study.sav"
    pyreadstat.write_sav(
        frame, path, column_labels={"n": "é" * 120}, variable_value_labels={"n": {1: "ü" * 60}}
    )
    for ending, letters in ((".sav", 120), (".dta", 40)):
        export_table(
            pa.table({"n": ["1", "2"]}), tmp_path / f"t{ending}", ExportForm(labels=path), force=False
        )
        found = labels_of(tmp_path / f"t{ending}")["n"]
        assert found.title == "é" * letters
        assert found.values == {1: "ü" * 60}


NAMES: list[tuple[str, str, bool, bool]] = [  # a name, and whether SPSS and Stata take it
    (name, ending, taken, taken)
    for ending, names in {
        "": ("age", "Größe", "a_1", "A" * 32),
        "no": ("net pay", "1a", "a-b", "é" * 65),
    }.items()
    for name in names
    for taken in [ending == ""]
] + [
    ("a.b", "", True, False),
    ("a$", "", True, False),
    ("a.", "", False, False),
    ("_a", "", False, True),
    ("WITH", "", False, False),
    ("not", "", False, True),
    ("int", "", True, False),
    ("str7", "", True, False),
    ("A" * 33, "", True, False),
    ("A" * 64, "", True, False),
]


@pytest.mark.parametrize(("name", "_", "spss", "stata"), NAMES, ids=[row[0][:9] for row in NAMES])
def test_names_that_a_program_does_not_take_are_told_before(
    name: str, _: Any, spss: bool, stata: bool, tmp_path: Path
) -> None:
    for ending, taken in ((".sav", spss), (".dta", stata)):
        target = tmp_path / f"t{ending}"
        if taken:
            export_table(pa.table({name: ["1"]}), target, ExportForm(), force=False)
            assert list(rows_of(target)) == [name]
        else:
            with pytest.raises(ShoalError, match="takes no column with the name"):
                export_table(pa.table({name: ["1"]}), target, ExportForm(), force=False)
            assert not target.exists()


def test_names_that_differ_in_capitals_are_one_name_in_spss(tmp_path: Path) -> None:
    table = pa.table({"age": ["1"], "AGE": ["2"]})
    with pytest.raises(ShoalError, match="takes 'age' and 'AGE' for the same name"):
        export_table(table, tmp_path / "t.sav", ExportForm(), force=False)
    export_table(table, tmp_path / "t.dta", ExportForm(), force=False)


@pytest.mark.parametrize(("ending", "most"), [(".sav", 32_767), (".dta", 2_045)])
def test_texts_of_the_longest_kind_are_held_and_longer_ones_refused(
    ending: str, most: int, tmp_path: Path
) -> None:
    export_table(pa.table({"a": ["x" * most, "y"]}), tmp_path / f"t{ending}", ExportForm(), force=False)
    with pytest.raises(ShoalError, match=f"column 'a' has 1 cells of more than {most:,} bytes"):
        export_table(pa.table({"a": ["é" * most]}), tmp_path / f"u{ending}", ExportForm(), force=False)


@pytest.mark.parametrize("package", ["pyreadstat", "polars"])
def test_the_missing_extra_is_named(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ShoalError, match=r"pip install 'shoal\[study\]'"):
        export_table(pa.table({"a": ["1"]}), tmp_path / "t.sav", ExportForm(), force=False)
    assert list(tmp_path.iterdir()) == []


def test_spss_shows_as_many_decimals_as_there_are(tmp_path: Path) -> None:
    table = pa.table({"n": ["1", "200"], "pay": ["0.125", "-3"], "id": ["123456789012345", "1"]})
    export_table(table, tmp_path / "t.sav", ExportForm(), force=False)
    _, about = pyreadstat.read_sav(tmp_path / "t.sav", metadataonly=True)
    assert about.original_variable_types == {"n": "F5.0", "pay": "F6.3", "id": "F17.0"}


def test_the_columns_that_are_said_to_have_labels_are_those_of_the_file(study: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(study, shoal.Policy.parse(POLICY), secret=SECRET)
    for ending in (".sav", ".dta"):
        written = release.export(tmp_path / f"t{ending}", ExportForm(labels=study))
        found = labels_of(tmp_path / f"t{ending}")
        assert set(written.labelled) == {name for name, one in found.items() if one.values}
