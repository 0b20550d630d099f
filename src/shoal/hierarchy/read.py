"""Hierarchies from files in the common form: a line per leaf, ``leaf;label;...;*``."""

import csv
from io import StringIO
from os import PathLike
from pathlib import Path

from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.table.files.small_file import read_small

DELIMITERS = ";\t,|"
MOST_BYTES = 64 * 10**6


def read_hierarchy(path: str | PathLike[str], name: str = "") -> Hierarchy:
    """Read a hierarchy; the delimiter is the first of ``; tab , |`` that the first line has."""
    try:
        text = read_small(path, MOST_BYTES, f"the hierarchy file of column {name!r}", "utf-8-sig")
    except FileNotFoundError:
        raise ShoalError(
            f"there is no hierarchy file {Path(path).name!r} for column {name!r}",
            "paths in [hierarchies] are relative to the policy file.",
        ) from None
    except (OSError, ValueError):  # no UTF-8, or no name of a file
        raise _unreadable(name) from None
    first = text.partition("\n")[0]
    delimiter = next((mark for mark in DELIMITERS if mark in first), DELIMITERS[0])
    reader = csv.reader(StringIO(text), delimiter=delimiter)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error:  # a cell without end
        raise _unreadable(name) from None
    return Hierarchy.from_paths([path for _, path in rows], name, [line for line, _ in rows])


def _unreadable(name: str) -> ShoalError:
    return ShoalError(f"the hierarchy file of column {name!r} cannot be read", "save it as text in UTF-8.")
