"""Workbooks: what a sheet holds, and what is refused before it could be misread or fill the memory."""

import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
import xlsxwriter

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from shoal.table.profile.preview import preview
from shoal.table.read import read_table
from shoal.table.source import ChosenTable

CELL = "Zaphod-4711"
Sheet = xlsxwriter.worksheet.Worksheet


@pytest.fixture
def book(tmp_path: Path) -> Callable[..., Path]:
    """A workbook whose sheets are filled by these functions."""

    def make(*fills: Callable[[Sheet], object], name: str = "t.xlsx", **options: object) -> Path:
        with xlsxwriter.Workbook(tmp_path / name, {"default_date_format": "yyyy-mm-dd", **options}) as made:
            for fill in fills:
                fill(made.add_worksheet())
        return tmp_path / name

    return make


def rows(*lines: tuple[object, ...], start: int = 0) -> Callable[[Sheet], None]:
    def fill(sheet: Sheet) -> None:
        for at, line in enumerate(lines, start):
            sheet.write_row(at, start, line)

    return fill


def columns(path: Path, **asked: object) -> dict[str, list[str | None]]:
    return read_table(path, reading=Reading(**asked)).arrow.to_pydict()


def refusal(path: Path, **asked: object) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(path, reading=Reading(**asked))
    said = str(refused.value)
    assert "\nHint: " in said
    assert CELL not in said
    return said


def test_cells_are_what_the_csv_of_the_sheet_would_hold(book):
    with_cells = rows(
        ("whole", "part", "word", "day", "moment", "yes"),
        (12, 0.25, " ann", date(2024, 2, 29), datetime(2024, 2, 29, 13, 5), True),
        (None, 1234567890.5, "007", None, None, False),
    )
    assert columns(book(with_cells, default_date_format="yyyy-mm-dd hh:mm")) == {
        "whole": ["12", None],
        "part": ["0.25", "1234567890.5"],
        "word": [" ann", "007"],
        "day": ["2024-02-29", None],
        "moment": ["2024-02-29 13:05:00", None],
        "yes": ["true", "false"],
    }


def test_times_and_durations_are_text(book):
    def fill(sheet: Sheet) -> None:
        rows(("at", "took"))(sheet)
        sheet.write_datetime(1, 0, time(3, 4), at)
        sheet.write_datetime(1, 1, timedelta(hours=30, minutes=1), took)

    with xlsxwriter.Workbook(path := book(rows(("a",)), name="x.xlsx").with_name("t.xlsx")) as made:
        at, took = made.add_format({"num_format": "hh:mm"}), made.add_format({"num_format": "[h]:mm:ss"})
        fill(made.add_worksheet())
    assert columns(path) == {"at": ["03:04:00"], "took": ["30:01:00"]}


def test_a_formula_is_the_value_that_is_stored_and_an_error_is_missing(book):
    def fill(sheet: Sheet) -> None:
        rows(("sum", "error"))(sheet)
        sheet.write_formula(1, 0, "=1+1", None, 7)
        sheet.write_formula(1, 1, "=NA()", None, "#N/A")

    assert columns(book(fill)) == {"sum": ["7"], "error": [None]}


def test_empty_rows_and_margins_are_no_part_of_the_table(book):
    def fill(sheet: Sheet) -> None:
        sheet.write_row(3, 2, ("age", "pay"))
        sheet.write_row(4, 2, (30, 1))
        sheet.write_row(7, 2, (41, 2))

    assert columns(book(fill)) == {"age": ["30", "41"], "pay": ["1", "2"]}


def test_one_of_several_sheets_is_chosen_by_its_name(book):
    path = book(rows(("a",), (1,)), rows(("b",), (2,)))
    assert "t.xlsx has 2 sheets: 'Sheet1', 'Sheet2'\nHint: choose one: --sheet NAME" in refusal(path)
    assert columns(path, sheet="Sheet2") == {"b": ["2"]}
    assert read_table(ChosenTable(path, sheet="Sheet2")).names == ["b"]
    assert "no sheet 'sheet2'\nHint: the workbook has 'Sheet2'." in refusal(path, sheet="sheet2")


def test_an_index_without_a_name_gets_one_and_blanks_around_names_go(book):
    path = book(rows((None, " age ", "town"), (0, 30, "Ulm"), (1, 41, "Bern")))
    assert columns(path) == {"row": ["0", "1"], "age": ["30", "41"], "town": ["Ulm", "Bern"]}


def test_a_hidden_sheet_is_read_only_if_it_is_named(book):
    path = book(rows(("a",), (1,)), lambda sheet: (rows(("b",), (2,))(sheet), sheet.hide()))
    assert columns(path) == {"a": ["1"]}
    assert columns(path, sheet="Sheet2") == {"b": ["2"]}


def test_batches_and_first_rows_hold_what_the_whole_table_holds(book):
    path = book(rows(("id", "word"), *((number, f"w{number}") for number in range(25))))
    whole = read_table(path).arrow
    parts = list(batches_of(path).read(4))
    assert [len(part) for part in parts] == [4] * 6 + [1]
    assert [row for part in parts for row in part.to_pylist()] == whole.to_pylist()
    assert preview(path, rows=2).rows == (("0", "w0"), ("1", "w1"))


def test_a_sheet_without_names_is_read_by_those_that_are_given(book):
    path = book(rows(("Ann", 30), ("Bob", 41)))
    assert "looks like a row" in refusal(path)
    assert columns(path, names=("who", "age")) == {"who": ["Ann", "Bob"], "age": ["30", "41"]}
    assert columns(path, header=False) == {"column_1": ["Ann", "Bob"], "column_2": ["30", "41"]}


def test_merged_cells_and_two_rows_of_names_are_refused(book):
    merged = book(lambda sheet: (rows(("a", "b"), (1, 2))(sheet), sheet.merge_range(4, 0, 4, 1, CELL)))
    assert "1 merged areas" in refusal(merged)
    two = book(rows(("person", "pay"), ("name", "EUR"), (CELL, 1200), (CELL, 900)))
    assert "looks like another row of names" in refusal(two)
    assert columns(two, header=True)["pay"] == ["EUR", "1200", "900"]
    assert columns(book(rows(("a", "b"), ("x", "y"), ("x", "z")))) == {"a": ["x", "x"], "b": ["y", "z"]}


def test_an_empty_sheet_and_one_without_rows_are_refused(book):
    assert "is empty" in refusal(book(lambda _: None))
    assert "no rows" in refusal(book(rows(("a", "b"))))


def test_a_cell_far_away_is_refused_before_memory_is_filled(book):
    far = book(lambda sheet: (sheet.write(0, 0, "a"), sheet.write(1_048_575, 16_383, CELL)))
    assert "more than 10,000 columns" in refusal(far)
    long = book(lambda sheet: (sheet.write(0, 0, "a"), sheet.write(1_048_575, 9_000, CELL)))
    with pytest.raises(ShoalError, match="more than 1,000,000 cells"):
        read_table(long, limits=Limits(1 << 30, 1_000_000))


def test_every_column_of_a_sheet_is_too_many(book):
    wide = book(rows(tuple(f"c{number}" for number in range(16_384)), tuple(range(16_384))))
    assert "more than 10,000 columns" in refusal(wide)


def test_a_workbook_that_unpacks_to_more_than_fits_is_refused(book):
    path = book(rows(("a",), *((CELL,) for _ in range(5000))))
    with pytest.raises(ShoalError, match="holds more than"):
        read_table(path, limits=Limits(100_000, 1 << 40))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (CELL.encode(), "is no workbook"),
        (b"PK\x03\x04" + CELL.encode() * 50, "is cut off or damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is encrypted"),
        (b"%PDF-1.7", "is a PDF document"),
        (b"PAR1", "is Parquet, not a workbook"),
    ],
)
def test_what_is_no_workbook_is_refused(content, says, tmp_path):
    (tmp_path / "t.xlsx").write_bytes(content)
    assert says in refusal(tmp_path / "t.xlsx")


def test_a_workbook_cut_anywhere_is_refused(book, tmp_path):
    content = book(rows(("age", "pay"), *((number, CELL) for number in range(300)))).read_bytes()
    for part in (0.1, 0.5, 0.9, 0.999):
        (tmp_path / "cut.xlsx").write_bytes(content[: int(part * len(content))])
        assert "cut off" in refusal(tmp_path / "cut.xlsx")


def test_a_workbook_with_a_broken_part_is_refused(book, tmp_path):
    with (
        ZipFile(book(rows(("a",), (CELL,)))) as whole,
        ZipFile(tmp_path / "b.xlsx", "w", ZIP_DEFLATED) as made,
    ):
        for name in whole.namelist():
            content = whole.read(name)
            made.writestr(name, content[: len(content) // 2] if "sheet1" in name else content)
    assert "is broken or no workbook" in refusal(tmp_path / "b.xlsx")


def test_macros_are_not_run(book, tmp_path):
    path = book(rows(("a",), (1,)))
    with ZipFile(path, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0" + b"Auto_Open" * 20)
    path = path.rename(tmp_path / "t.xlsm")
    assert columns(path) == {"a": ["1"]}


def test_the_package_is_named_where_it_is_missing(book, monkeypatch):
    path = book(rows(("a",), (1,)))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "pip install 'shoal[excel]'" in refusal(path)


def ods(path: Path, rows: str) -> Path:
    """An OpenDocument sheet with these rows."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    sheet = f'<table:table table:name="S">{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{sheet}</office:spreadsheet></office:body>"
    with ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("content.xml", f"<office:document-content {spaces}>{body}</office:document-content>")
        made.writestr("META-INF/manifest.xml", "<manifest/>")
    return path


def ods_row(*cells: str, times: int = 1, wide: int = 1) -> str:
    kind = f'office:value-type="string" table:number-columns-repeated="{wide}"'
    texts = "".join(f"<table:table-cell {kind}><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
    return f'<table:table-row table:number-rows-repeated="{times}">{texts}</table:table-row>'


def test_a_small_open_document_that_unfolds_to_more_than_fits_is_refused(tmp_path):
    people = ods_row("x", wide=100) + ods_row(CELL, times=99_000, wide=100)
    with pytest.raises(ShoalError, match="unfolds to more than fits into memory here\nHint: "):
        read_table(ods(tmp_path / "t.ods", people), limits=Limits(1 << 30, 1_000_000))


def test_an_open_document_is_read_and_one_that_unfolds_without_end_is_refused(tmp_path):
    people = ods_row("who", "town") + ods_row(CELL, "Ulm") + ods_row("Ford", "Bern")
    empty = '<table:table-row table:number-rows-repeated="1048570"><table:table-cell/></table:table-row>'
    assert columns(ods(tmp_path / "t.ods", people + empty)) == {
        "who": [CELL, "Ford"],
        "town": ["Ulm", "Bern"],
    }
    endless = ods_row("who") + ods_row(CELL, times=1_048_570, wide=16_384)
    assert "is broken or no workbook" in refusal(ods(tmp_path / "e.ods", endless))
