"""Sheets of workbooks: the values that are stored in them. Nothing is computed, no formula and no macro runs.

A sheet is a table if its first row that is not empty names the columns and every row below is a record. What
is a layout for the eye (merged cells, a second row of names) is refused: it could be read in several ways.

The library holds a sheet whole, each cell of the rectangle around all of them in 32 bytes and its text. So
that rectangle is measured before, as a single cell far away makes it larger than any memory. Other kinds than
Open XML say in too many ways how large it is: another process tries them.
"""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from shoal.display import visible_text
from shoal.errors import ShoalError, nearest
from shoal.table.columns.cell_text import text_column
from shoal.table.files.file_endings import EXCEL
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.header import JUDGED_ROWS, column_names, with_row_name
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import batched, batches_of_whole
from shoal.table.formats.workbook_trial import refuse_endless

OPEN_XML = (".xlsx", ".xlsm")
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
WIDE = re.compile(rb"""r=["']([A-Z]{2,3})\d""")  # columns beyond Z; patterns that begin with letters are fast
ROW = re.compile(rb"""row\s(?:[^<>]*?\s)?r=["'](\d{1,7})["']""")
CHUNK = 1 << 20
OVERLAP = 100  # bytes of a piece that are looked at again, as a name may be cut
COPIES = 2  # of 16 bytes, by which limits count a cell
PANIC = "PanicException"  # how the library gives up on some files; its class cannot be imported
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
SHOWN_SHEETS = 12
EXPORT = "save the sheet as CSV, or as a new workbook."


def _batches_of(path: Path, limits: Limits, reading: Reading) -> Batches:
    with _workbook(path, Limits.of_machine() if limits == UNLIMITED else limits) as book:
        sheet = book.get_sheet_by_name(_chosen_sheet(path, book, reading.sheet))
        merged = len(sheet.merged_cell_ranges or ())
    if merged:
        what = f"the sheet of {path.name} has {merged:,} merged areas"
        raise ShoalError(what, "unmerge them: every column needs one name, and every cell its own value.")
    first = None if sheet.start is None else next(_rows_of(sheet), None)
    if first is None:
        raise ShoalError(f"the sheet of {path.name} is empty", "choose another with --sheet, or fill it.")
    below = list(islice(_rows_of(sheet), 1, 1 + JUDGED_ROWS))
    if not (reading.header or reading.without_header):
        _refuse_two_headers(path, below)
    names = column_names(path.name, _texts(first), [_texts(row) for row in below], reading)
    schema = pa.schema([(name, pa.string()) for name in with_row_name([name.strip() for name in names])])
    return Batches(schema, None, partial(_tables, sheet, schema, int(not reading.without_header)))


def _tables(sheet: Any, schema: pa.Schema, header_rows: int, rows_at_once: int) -> Iterator[pa.Table]:
    rows = islice(_rows_of(sheet), header_rows, None)
    while batch := list(islice(rows, rows_at_once)):
        columns = [text_column(column) for column in zip(*batch, strict=True)]
        yield pa.Table.from_arrays(columns, schema=schema)


def _rows_of(sheet: Any) -> Iterator[list[Any]]:
    """The rows that have a cell."""
    return (row for row in sheet.iter_rows() if row.count("") < len(row))


def _texts(row: list[Any]) -> list[str]:
    return [text or "" for text in text_column(row).to_pylist()]


def _refuse_two_headers(path: Path, rows: list[list[Any]]) -> None:
    """Words above numbers are names: if the first record is nothing but words, and some column below it holds
    no words at all, it is a second row of names."""
    if len(rows) < 2 or not all(isinstance(cell, str) for cell in rows[0]):
        return
    for place, word in enumerate(rows[0]):
        below = [row[place] for row in rows[1:] if row[place] != ""]
        if word and below and not any(isinstance(cell, str) for cell in below):
            raise ShoalError(
                f"the second row of {path.name} looks like another row of names",
                "leave one row of names; if that row is a record, say so: --header, or header = true in the "
                "policy's [reading].",
            )


def _chosen_sheet(path: Path, book: Any, asked: str | None) -> str:
    """The name of the sheet that is meant; sheets that are hidden or hold charts are not taken unasked."""
    if asked is not None:
        if asked not in book.sheet_names:
            hint = nearest(asked, book.sheet_names, "the workbook")
            raise ShoalError(f"{path.name} has no sheet {asked!r}", visible_text(hint))
        return asked
    table, visible = _library().SheetTypeEnum.WorkSheet, _library().SheetVisibleEnum.Visible
    shown = [one.name for one in book.sheets_metadata if one.typ == table and one.visible == visible]
    if len(shown) != 1:
        names = ", ".join(repr(name) for name in shown[:SHOWN_SHEETS]) or "none that is shown"
        more = f" and {len(shown) - SHOWN_SHEETS:,} more" if len(shown) > SHOWN_SHEETS else ""
        what = f"{path.name} has {len(shown):,} sheets: {visible_text(names)}{more}"
        raise ShoalError(what, "choose one: --sheet NAME, or sheet in the policy's [reading].")
    return str(shown[0])


@contextmanager
def _workbook(path: Path, limits: Limits) -> Iterator[Any]:
    calamine = _library()
    _refuse_other_files(path)
    _refuse_large(path, limits)
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            yield book
    except BaseException as error:
        if not isinstance(error, calamine.CalamineError) and type(error).__name__ != PANIC:
            raise
        if isinstance(error, calamine.PasswordError) or "password" in str(error).lower():
            raise _encrypted(path) from None
        what = f"{path.name} is broken or no workbook: it cannot be read"
        raise ShoalError(what, f"open it in a spreadsheet, and {EXPORT}") from None


def _library() -> Any:
    try:
        import python_calamine
    except ImportError:
        raise ShoalError(
            "workbooks need the package python-calamine, which is not installed", "pip install 'shoal[excel]'"
        ) from None
    return python_calamine


def _encrypted(path: Path) -> ShoalError:
    return ShoalError(f"{path.name} is encrypted", "open it with its password, and save it without one.")


def _refuse_other_files(path: Path) -> None:
    """A workbook is a zip archive, or if it is old or encrypted, a document of old Office."""
    with path.open("rb") as file:
        start = file.read(START)
    if not start:
        raise ShoalError(f"{path.name} is empty", "give a workbook with a table.")
    old = start.startswith(OLD_OFFICE)
    if old and path.suffix.lower() != ".xls":
        what = f"{path.name} is encrypted, or an old workbook under a new name"
        raise ShoalError(what, "save it without a password; or let its name end in .xls.")
    if not old and not (start.startswith(b"PK") and path.suffix.lower() != ".xls"):
        refuse_disguised(path, start, expected="a workbook")
        raise ShoalError(f"{path.name} is no workbook", "check its name, or save it as CSV.")


def _refuse_large(path: Path, limits: Limits) -> None:
    """Refuse a workbook that cannot be held, before the library tries to."""
    limits.refuse_bytes(path.name, path.stat().st_size)
    if path.suffix.lower() not in OPEN_XML:
        return refuse_endless(path, limits)
    try:
        with ZipFile(path) as archive:
            limits.refuse_bytes(path.name, sum(one.file_size for one in archive.infolist()))
            for one in archive.infolist():
                if SHEET.fullmatch(one.filename):
                    with archive.open(one) as content:
                        rows, columns = _extent(content)
                    limits.refuse_cells(path.name, COPIES * rows, columns)
    except (BadZipFile, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError):
        what = f"{path.name} is cut off or damaged: it cannot be unpacked to its end"
        raise ShoalError(what, "copy or download it again.") from None


def _extent(content: Any) -> tuple[int, int]:
    """The last row and column that a sheet speaks of, without more of it in memory than a piece."""
    rows, wide, before = 0, {b"Z"}, b""
    while piece := content.read(CHUNK):
        text = before + piece
        wide.update(WIDE.findall(text))
        rows = max(map(int, ROW.findall(text)), default=rows)
        before = text[-OVERLAP:]
    return rows, max(map(_column_number, wide))


def _column_number(letters: bytes) -> int:
    """
    >>> _column_number(b"Z"), _column_number(b"XFD")
    (26, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


IN_BATCHES = batched(EXCEL, _batches_of, choices=("sheet",), text_per_byte=4)
EXCEL_FORMAT = replace(IN_BATCHES, batches=partial(batches_of_whole, IN_BATCHES.read))
