"""Bad sources: exit code 2, a hint, no cell, and nothing written, at every door of the command."""

from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter

from tests.postgres import PASSWORD
from tests.table_formats import POLICY, written

from .conftest import Command

CELL = "Zaphod-4711"


def merged(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.merge_range(0, 0, 0, 2, CELL)


def several(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        for _ in range(2):
            book.add_worksheet().write(0, 0, CELL)


def cut(path: Path) -> None:
    whole = written(path.parent, f"table{path.suffix}")
    path.write_bytes(whole.read_bytes()[:-700])
    whole.unlink()


SPOILT: dict[str, Callable[[Path], object]] = {
    "merged.xlsx": merged,
    "several.xlsx": several,
    "cut.xlsx": cut,
    "cut.feather": cut,
    "cut.sqlite": cut,
    "cut.zip": cut,
    "locked.xlsx": lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CELL.encode() * 99),
    "none.db": lambda path: path.write_bytes(CELL.encode() * 99),
}


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("name", SPOILT)
def test_a_source_that_cannot_be_read_leaves_nothing(name, engine, command: Command, tmp_path: Path) -> None:
    SPOILT[name](tmp_path / name)
    rules, out = tmp_path / "rules.toml", tmp_path / "out"
    rules.write_text(POLICY, encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for asked in (
        ("run", tmp_path / name, rules, "-o", out, "--engine", engine),
        ("init", tmp_path / name, "-o", out),
    ):
        done = command(*asked)
        assert done.code == 2
        assert "Hint: " in done.err
        assert CELL not in done.out + done.err
        assert sorted(tmp_path.rglob("*")) == [path for path in before if path.exists()]


def test_an_address_that_leads_nowhere_shows_no_password(command: Command, tmp_path: Path) -> None:
    done = command("init", f"postgresql://ann:{PASSWORD}@127.0.0.1:1/nowhere", "-o", tmp_path / "draft.toml")
    assert done.code == 2
    assert "no PostgreSQL server listens" in done.err
    assert PASSWORD not in done.err


def test_a_sheet_of_a_text_file_is_refused(command: Command, tmp_path: Path) -> None:
    done = command("profile", written(tmp_path, "table.csv"), "--sheet", "People")
    assert done.code == 2
    assert "table.csv has none to choose from" in done.err


def test_a_file_without_names_is_drafted_with_numbers_and_runs(command: Command, tmp_path: Path) -> None:
    file, draft = tmp_path / "bare.csv", tmp_path / "draft.toml"
    file.write_text("".join(f"{20 + row % 3},{1000 + row % 2}\n" for row in range(60)))
    assert command("init", file, "-o", draft, "--no-header").code == 0
    assert 'names = ["column_1", "column_2"]' in draft.read_text(encoding="utf-8")
    assert command("run", file, draft, "-o", tmp_path / "out").code in (0, 1)
