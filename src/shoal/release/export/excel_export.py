"""A release as one sheet of an Excel workbook: numbers and days as such, words as words that are never run.

What Excel does not hold stays text: numbers of more than fifteen digits, days before March 1900.
"""

import datetime
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Fault, ShoalError
from shoal.release.export.export_task import ExportTask
from shoal.release.export.readable_table import in_doubles, in_fifteen_digits
from shoal.table.columns.numbers import is_text

MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 1_048_576, 16_384, 32_767  # the first row has the names
FIRST_DAY = datetime.date(1900, 3, 1)  # before it Excel counts a day that never was
ROWS_AT_ONCE = 10_000
SHEET = "data"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


def excel_columns(readable: pa.Table) -> pa.Table:
    """Numbers as doubles of fifteen digits, days, and text."""
    return pa.table({name: _column(readable[name]) for name in readable.column_names})


def _column(readable: pa.ChunkedArray) -> pa.ChunkedArray:
    column = in_doubles(readable)
    if pa.types.is_date(column.type):
        return readable if pc.min(column).as_py() < FIRST_DAY else column
    return _rounded(column) if pa.types.is_floating(column.type) else column


def _rounded(doubles: pa.ChunkedArray) -> pa.ChunkedArray:
    digits = [cell and float(cell) for cell in in_fifteen_digits(doubles)]
    return pa.chunked_array([pa.array(digits, pa.float64())])


def excel_faults(task: ExportTask) -> Iterator[Fault]:
    """Tables that are larger than a sheet, and texts that are longer than a cell."""
    table = task.table
    if len(table) >= MOST_ROWS:
        what = f"a sheet has at most {MOST_ROWS - 1:,} rows below its names, and the release {len(table):,}"
        yield Fault(what, "export CSV or Parquet.")
    if table.num_columns > MOST_COLUMNS:
        yield Fault(f"a sheet has at most {MOST_COLUMNS:,} columns", "export CSV or Parquet.")
    for name in table.column_names:
        if is_text(table.schema.field(name).type):
            count = pc.sum(pc.greater(pc.utf8_length(table[name]), MOST_LETTERS)).as_py()
            if count:
                what = f"column {name!r} has {count:,} cells of more than {MOST_LETTERS:,} letters"
                yield Fault(f"{what}, which Excel does not hold", "export CSV or Parquet.")


def write_excel(task: ExportTask, path: Path) -> None:
    """Row by row, so that memory stays as it is however long the table."""
    table, library = task.table, _library("xlsxwriter")
    with library.Workbook(str(path), {**OPTIONS, "tmpdir": str(path.parent)}) as book:
        sheet = book.add_worksheet(SHEET)
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        writers = [_writer(sheet, field.type, day) for field in table.schema]
        for place, name in enumerate(table.column_names):
            sheet.write_string(0, place, name)
        for start in range(0, len(table), ROWS_AT_ONCE):
            task.on_share(start / len(table))
            columns = [column.to_pylist() for column in table.slice(start, ROWS_AT_ONCE).columns]
            for row, cells in enumerate(zip(*columns, strict=True), start + 1):
                for place, cell in enumerate(cells):
                    if cell is not None:
                        writers[place](row, place, cell)


def _writer(sheet: Any, kind: pa.DataType, day: Any) -> Any:
    if pa.types.is_date(kind):
        return lambda row, place, cell: sheet.write_datetime(row, place, cell, day)
    return sheet.write_string if is_text(kind) else sheet.write_number


def read_excel_back(task: ExportTask, path: Path) -> Iterator[pa.Table]:
    """The cells of the sheet; it ends with the last row in which something stands."""
    table = task.table
    book = _library("python_calamine").CalamineWorkbook.from_path(str(path))
    rows = book.get_sheet_by_name(SHEET).iter_rows()
    next(rows)
    done = 0
    while found := list(islice(rows, ROWS_AT_ONCE)):
        done += len(found)
        yield _read(found, table.schema)
    if done < len(table):
        yield _read([[""] * table.num_columns] * (len(table) - done), table.schema)


def _read(rows: list[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    columns = [
        _read_column(cells, field.type) for field, cells in zip(schema, zip(*rows, strict=True), strict=True)
    ]
    return pa.table(columns, schema)


def _read_column(cells: Sequence[Any], kind: pa.DataType) -> pa.ChunkedArray:
    there = [None if cell == "" else cell for cell in cells]
    column = pa.chunked_array([pa.array(there, kind)])
    return _rounded(column) if pa.types.is_floating(kind) else column


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        what = "a workbook needs the packages xlsxwriter and python-calamine, which are not installed"
        raise ShoalError(what, "pip install 'shoal[excel]'") from None
