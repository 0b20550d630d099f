"""The first rows of a file, at once: what a person wants to see before anything is read."""

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.files.csv_file import first_rows_of_csv, read_csv
from shoal.table.files.header import no_rows
from shoal.table.files.json_file import SAMPLE_LINES, first_json_lines, refuse_disguised_or_large
from shoal.table.files.limits import Limits
from shoal.table.files.parquet_file import first_rows_of_parquet, read_parquet
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.read import reader_of, refuse_no_table
from shoal.table.table import Table

LONGEST_TEXT = 1000  # characters of a cell


@dataclass(frozen=True)
class Preview:
    """Names, and the first rows as text; ``whole`` says that there are no more."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    whole: bool
    bytes: int  # of the file as it lies on the disk


def preview(
    path: str | PathLike[str],
    rows: int = 20,
    limits: Limits | None = None,
    reading: Reading = AS_IT_LOOKS,
) -> Preview:
    """The first rows of a file that `read_table` reads, with the faults that show in them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pay.csv")
    ...     _ = path.write_text("age,pay\\n30,1200\\n41,900\\n")
    ...     preview(path, rows=1).rows
    (('30', '1200'),)
    """
    file, most = Path(path), limits or Limits.of_machine()
    names, found = _first_rows(file, most, rows + 1, reading)
    if not found:
        raise no_rows(file.name)
    shown = tuple(tuple(map(_shortened, row)) for row in found[:rows])
    return Preview(names, shown, len(found) <= rows, file.stat().st_size)


def _first_rows(
    path: Path, limits: Limits, count: int, reading: Reading
) -> tuple[tuple[str, ...], list[list[str]]]:
    reader = reader_of(path)
    try:
        if reader is read_csv:
            return first_rows_of_csv(path, limits, count, reading)
        if reader is read_parquet:
            arrow = first_rows_of_parquet(path, limits, count)
        else:
            refuse_disguised_or_large(path, limits)
            arrow = first_json_lines(path, limits, max(count, SAMPLE_LINES))
    except PermissionError:
        raise ShoalError(f"{str(path)!r} cannot be opened", "check its permissions.") from None
    refuse_no_table(Table(arrow), path)
    return tuple(arrow.column_names), _as_text(arrow.slice(0, count))


def _as_text(arrow: pa.Table) -> list[list[str]]:
    columns = [[_text(cell) for cell in column.to_pylist()] for column in arrow.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _text(cell: Any) -> str:
    """
    >>> _text(None), _text(12.5), _text({"lo": 10, "hi": 15})
    ('', '12.5', '[10, 15]')
    """
    if cell is None:
        return ""
    if isinstance(cell, dict) and list(cell) == ["lo", "hi"]:
        return str(cell["lo"]) if cell["lo"] == cell["hi"] else f"[{cell['lo']}, {cell['hi']}]"
    return str(cell)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
