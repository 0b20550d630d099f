"""``--show-values``: the cells that a fault is about, in a file for the owner's eyes alone."""

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.display import visible_text
from shoal.errors import Fault, ShoalError


@contextmanager
def show_values_in(path: Path | None) -> Iterator[None]:
    """Faults of this block are written to the file, cell by cell, and raised again."""
    if path is not None and path.exists():
        raise ShoalError(f"the file {str(path)!r} exists", "choose another name for --show-values.")
    try:
        yield
    except ShoalError as error:
        cells = [cell for fault in error.faults if fault.cells for cell in fault.cells()]
        if path is None or not cells:
            raise
        _write(path, cells)
        told = Fault(f"{len(cells):,} cells are listed in {str(path)!r}", "it holds values: keep it private.")
        raise type(error)([*error.faults, told]) from None


def _safe_cell(cell: tuple[str, int, str | None]) -> tuple[str, int, str | None]:
    """A cell that is safe to look at in a terminal or a spreadsheet: what hides in it may be what is wrong
    with it."""
    name, line, value = cell
    return _safe(name), line, None if value is None else _safe(value)


def _safe(text: str) -> str:
    from shoal.table.files.spreadsheet import escape_name  # brings Arrow up

    return escape_name(visible_text(text))


def _write(path: Path, cells: list[tuple[str, int, str | None]]) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("column", "line", "value"), *map(_safe_cell, cells)])
    except OSError:
        raise ShoalError(f"the file {str(path)!r} cannot be written", "check the folder.") from None
