"""A release as CSV in any spelling; every cell as the release has it, but for the decimal mark.

With a comma as decimal mark, ranges of numbers have a semicolon between their ends: ``[10,5; 15]``.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Fault
from shoal.release.export.export_form import ExportForm
from shoal.release.export.export_task import ExportTask
from shoal.release.export.range_ends import NUMBER
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.files.spreadsheet import escape, escape_name, unescape

ROWS_AT_ONCE = 50_000
RETURN_FEED = "\r\n"
LONGEST = 131_072  # letters of a cell, for Python's reader among others
NUMERIC = rf"^(?:{NUMBER}|\[{NUMBER}, {NUMBER}\]|\*)$"
TO_COMMA = str.maketrans({",": ";", ".": ","})
TO_POINT = str.maketrans({";": ",", ",": "."})


def csv_faults(task: ExportTask) -> Iterator[Fault]:
    """Columns with letters that the encoding has not, or with cells that readers of CSV do not take."""
    for name in task.table.column_names:
        cells = encode(task.table[name]).cells
        if (pc.max(pc.utf8_length(cells)).as_py() or 0) > LONGEST:
            what = (
                f"column {name!r} has cells of more than {LONGEST:,} letters, which many programs do not read"
            )
            yield Fault(what, "export Parquet.")
        words = cells.to_pylist()
        if not _fits("\n".join([name, *(word for word in words if word)]), task.form.encoding):
            what = f"column {name!r} has letters that the encoding {task.form.encoding} does not"
            yield Fault(what, "choose --encoding utf-8.")


def write_csv(task: ExportTask, path: Path) -> None:
    """Names in the first line, and quotes where a cell needs them."""
    table, form, numeric = task.table, task.form, _with_points(task)
    with path.open("w", encoding=form.encoding, newline="") as file:
        lines = _writer(file, form.delimiter)
        lines.writerow([escape_name(name) if form.escape else name for name in table.column_names])
        for start in range(0, len(table), ROWS_AT_ONCE):
            batch = table.slice(start, ROWS_AT_ONCE)
            spelled = [_spelled(batch[name], form, name in numeric) for name in table.column_names]
            lines.writerows(zip(*spelled, strict=True))
            task.on_share(start / len(table))


def _writer(file: TextIO, delimiter: str) -> Any:
    """Lines end in a line feed; but told so, Python would not put quotes around a cell with a return."""
    feeds = SimpleNamespace(write=lambda line: file.write(f"{line.removesuffix(RETURN_FEED)}\n"))
    return csv.writer(feeds, delimiter=delimiter, lineterminator=RETURN_FEED)


def read_csv_back(task: ExportTask, path: Path) -> Iterator[pa.Table]:
    """The cells of the file, as they were before."""
    table, form, numeric = task.table, task.form, _with_points(task)
    with path.open(encoding=form.encoding, newline="") as file:
        rows = csv.reader(file, delimiter=form.delimiter)
        next(rows)
        while found := list(islice(rows, ROWS_AT_ONCE)):
            columns = [_read(cells, form, name in numeric) for name, cells in
                       zip(table.column_names, zip(*found, strict=True), strict=True)]  # fmt: skip
            yield pa.table(columns, table.schema)


def _with_points(task: ExportTask) -> set[str]:
    """Columns of numbers, ranges and stars, whose decimal mark is to be another one."""
    if task.form.decimal == ".":
        return set()
    return {name for name in task.table.column_names if _is_numeric(encode(task.table[name]).cells)}


def _is_numeric(words: pa.Array) -> bool:
    return pc.all(pc.match_substring_regex(words, NUMERIC)).as_py() is True


def _spelled(column: pa.ChunkedArray, form: ExportForm, numeric: bool) -> list[str | None]:
    words = (escape(column) if form.escape else column).to_pylist()
    return [word and word.translate(TO_COMMA) for word in words] if numeric else words


def _read(cells: Sequence[str], form: ExportForm, numeric: bool) -> pa.ChunkedArray:
    words = [cell.translate(TO_POINT) if numeric else cell for cell in cells]
    column = pa.chunked_array([pa.array([word or None for word in words], pa.string())])
    return unescape(column) if form.escape else column


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeError:
        return False
    return True
