import csv
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.release.export.export import export_table
from shoal.release.export.export_form import ExportForm

CELLS = pa.table(
    {
        "pay": ["10.5", "[-10.5, 15]", "*", None],
        "note": ["1.5 or so; maybe", "=1+1", "-x", "{1.5, 2}"],
        "=id": ["-3", "1", "2", "007"],
    }
)


def lines_of(path: Path, form: ExportForm) -> list[list[str]]:
    export_table(CELLS, path, form, force=False)
    with path.open(encoding=form.encoding, newline="") as file:
        return list(csv.reader(file, delimiter=form.delimiter))


def test_the_decimal_mark_changes_in_numbers_and_ranges_alone(tmp_path: Path) -> None:
    assert lines_of(tmp_path / "t.csv", ExportForm(delimiter=";", decimal=",")) == [
        ["pay", "note", "'=id"],
        ["10,5", "1.5 or so; maybe", "-3"],
        ["[-10,5; 15]", "'=1+1", "1"],
        ["*", "'-x", "2"],
        ["", "{1.5, 2}", "007"],
    ]


def test_never_escaped_words_stay_as_they_are(tmp_path: Path) -> None:
    found = lines_of(tmp_path / "t.csv", ExportForm(escape=False))
    assert found[0][2] == "=id"
    assert [row[1] for row in found[2:4]] == ["=1+1", "-x"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_every_encoding_keeps_the_cells(encoding: str, tmp_path: Path) -> None:
    table = pa.table(
        {"größe": ["Zürich", "a\tb", 'say "é"', "two\nlines", None], "n": ["1", "2", "3", "4", "5"]}
    )
    export_table(table, tmp_path / "t.csv", ExportForm(encoding=encoding, delimiter="\t"), force=False)
    with (tmp_path / "t.csv").open(encoding=encoding, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["größe"] or None for row in rows] == table["größe"].to_pylist()


def test_letters_that_an_encoding_has_not_are_told_by_their_column(tmp_path: Path) -> None:
    table = pa.table({"town": ["Łódź", "Bern"], "Δ": ["1", "2"]})
    with pytest.raises(ShoalError) as refused:
        export_table(table, tmp_path / "t.csv", ExportForm(encoding="cp1252"), force=False)
    assert [fault.what for fault in refused.value.faults] == [
        "column 'town' has letters that the encoding cp1252 does not",
        "column 'Δ' has letters that the encoding cp1252 does not",
    ]
    assert list(tmp_path.iterdir()) == []


def test_cells_that_no_reader_takes_are_refused(tmp_path: Path) -> None:
    export_table(pa.table({"a": ["x" * 131_072]}), tmp_path / "t.csv", ExportForm(), force=False)
    with pytest.raises(ShoalError, match="column 'a' has cells of more than 131,072 letters"):
        export_table(pa.table({"a": ["x" * 131_073]}), tmp_path / "u.csv", ExportForm(), force=False)


@pytest.mark.parametrize("cell", ["a\rb", "a\r\nb", " a", "'", "''=1", '"', "a,b", "\u2028", "'tis"])
def test_odd_cells_come_back(cell: str, tmp_path: Path) -> None:
    for place, form in enumerate((ExportForm(), ExportForm(escape=False, delimiter="|"))):
        export_table(pa.table({"a": [cell], "b": ["x"]}), tmp_path / f"{place}.csv", form, force=False)


def test_a_single_column_with_empty_cells_keeps_its_rows(tmp_path: Path) -> None:
    export_table(pa.table({"a": ["1", None, "3"]}), tmp_path / "t.csv", ExportForm(), force=False)
    assert (tmp_path / "t.csv").read_text() == 'a\n1\n""\n3\n'
