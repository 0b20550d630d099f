"""The first rows of a file, at once: what a person wants to see before anything is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.files.limits import Limits
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.formats.registry import format_of
from shoal.table.read import cannot_be_opened, parts_of, refuse_no_table
from shoal.table.source import Place, Source, chosen_with, place_of, reading_of_source
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
    source: Source, rows: int = 20, limits: Limits | None = None, reading: Reading = AS_IT_LOOKS
) -> Preview:
    """The first rows of a file that `read_table` reads, with the faults that show in them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pay.csv")
    ...     _ = path.write_text("age,pay\\n30,1200\\n41,900\\n")
    ...     preview(path, rows=1).rows
    (('30', '1200'),)
    """
    arrow = _first_rows(source, limits or Limits.of_machine(), rows + 1, reading)
    found = _as_text(arrow.slice(0, rows + 1))
    shown = tuple(tuple(map(_shortened, row)) for row in found[:rows])
    return Preview(tuple(arrow.column_names), shown, len(found) <= rows, _bytes_of(source))


def _first_rows(source: Source, limits: Limits, count: int, reading: Reading) -> pa.Table:
    first = _files_of(source)[0]
    found, asked = format_of(first), reading_of_source(source, reading)
    found.refuse_choices(first.name, chosen_with(source))
    try:
        arrow = found.first_rows(first, limits, count, asked)
    except PermissionError:
        raise cannot_be_opened(first) from None
    refuse_no_table(Table(arrow), first.name)
    return arrow


def _bytes_of(source: Source) -> int:
    return sum(file.stat().st_size for file in _files_of(source) if isinstance(file, Path))


def _files_of(source: Source) -> Sequence[Place]:
    place = place_of(source)
    if place is None:
        raise ShoalError("a frame has no preview", "show its own first rows.")
    return parts_of(place)


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
