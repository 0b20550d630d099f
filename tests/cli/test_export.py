"""``shoal export``: one file for another program."""

from pathlib import Path

import pytest
from pyarrow import parquet

from .conftest import Command, holds_a_cell


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".sav", ".dta", ".xlsx"])
def test_a_release_is_written_in_every_format(
    ending: str, command: Command, release: Path, tmp_path: Path
) -> None:
    result = command("export", release, "-o", tmp_path / f"people{ending}", "--ends")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0].endswith(f"people{ending}: 40 records, 7 columns")
    assert (tmp_path / f"people{ending}").is_file()


def test_the_answer_as_json(command: Command, release: Path, tmp_path: Path) -> None:
    result = command("export", release, "-o", tmp_path / "t.parquet", "--json")
    assert result.code == 0
    assert result.json == {
        "file": str(tmp_path / "t.parquet"),
        "records": 40,
        "columns": ["salary", "bonus", "region"],
        "labelled": [],
    }
    assert parquet.read_metadata(tmp_path / "t.parquet").num_rows == 40


def test_the_spelling_of_a_csv_file_is_taken_or_given(
    command: Command, release: Path, tmp_path: Path
) -> None:
    like, target = tmp_path / "like.csv", tmp_path / "t.csv"
    like.write_bytes("größe;n\n1,5;2\n".encode("cp1252"))
    assert command("export", release, "-o", target, "--like", like).code == 0
    assert target.read_text().splitlines()[0] == "salary;bonus;region"
    given = ("--delimiter", "tab", "--decimal", ",", "--encoding", "utf-16", "--never-escape")
    assert command("export", release, "-o", target, "--force", *given).code == 0
    assert target.read_text(encoding="utf-16").splitlines()[0] == "salary\tbonus\tregion"


def test_what_cannot_be_exported_is_bad_input_and_leaves_nothing(
    command: Command, release: Path, tmp_path: Path
) -> None:
    (tmp_path / "damaged.sav").write_bytes(b"$FL2 7300000 Zaphod-001")
    for name, *more in (
        ["t.doc"],
        ["t.csv", "--delimiter", ",", "--decimal", ","],
        ["t.sav", "--encoding", "cp1252"],
        ["t.csv", "--labels", tmp_path / "damaged.sav"],
        ["t.sav", "--labels", tmp_path / "damaged.sav"],
        ["t.sav", "--labels", tmp_path / "none.sav"],
        ["t.csv", "--like", tmp_path / "none.csv"],
        ["none/t.csv"],
    ):
        result = command("export", release, "-o", tmp_path / name, *more, "--json")
        assert result.code == 2, name
        assert result.json["faults"][0]["hint"]
        assert not holds_a_cell(result.out + result.err)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".sas7bdat", ".xpt"])
def test_a_damaged_study_file_is_bad_input_at_every_door(
    ending: str, command: Command, policy: Path, tmp_path: Path
) -> None:
    table, out = tmp_path / f"people{ending}", tmp_path / "out"
    for content in (b"name,salary\nZaphod-001,7300037\n", b"", b"%PDF-1.7 Zaphod-001"):
        table.write_bytes(content)
        for arguments in (
            ("profile", table),
            ("init", table, "-o", out),
            ("check", table, policy),
            ("run", table, policy, "-o", out),
            ("run", table, policy, "-o", out, "--engine", "disk"),
        ):
            result = command(*arguments)
            assert result.code == 2
            assert f"people{ending}" in result.err
            assert "Hint: " in result.err
            assert not holds_a_cell(result.out + result.err)
            assert not out.exists()


def test_a_changed_release_is_not_exported(command: Command, release: Path, tmp_path: Path) -> None:
    data = release / "data.csv"
    data.write_text(data.read_text().replace("Region-1", "Region-2", 1))
    result = command("export", release, "-o", tmp_path / "t.sav")
    assert result.code == 2
    assert "data.csv does not match the manifest" in result.err
    assert not holds_a_cell(result.out + result.err)
    assert not (tmp_path / "t.sav").exists()
