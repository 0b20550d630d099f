"""How large a table is, and whether it can be worked on in memory."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.table.batches import table_files
from shoal.table.files.limits import available_memory
from shoal.table.files.parquet_file import parquet_head
from shoal.table.read import file_kind

BYTES_PER_CELL = 100  # of a table that is read, anonymized, written and verified in memory
BYTES_PER_LETTER = 16  # the same for a file of text
PACKED = 10  # bytes of text in a byte of gzip, as tables go
IMPORTED = 400 * 10**6  # what Python takes with all that is loaded
UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def fits_in_memory(source: Any, memory: int | None = None) -> bool:
    """Can all of a file be worked on in so much memory, by default what the machine has left?"""
    if not isinstance(source, str | PathLike):
        return True
    path = Path(source)
    if not path.exists():
        return True  # whoever reads it will say so
    if path.is_dir():
        return False
    return bytes_needed(path) <= (available_memory() if memory is None else memory)


def bytes_needed(path: Path) -> int:
    """Roughly, in memory."""
    return IMPORTED + sum(map(_bytes_of_rows, table_files(path)))


def _bytes_of_rows(file: Path) -> int:
    if file_kind(file) == ".parquet":
        schema, rows = parquet_head(file)
        return rows * len(schema.names) * BYTES_PER_CELL
    letters = file.stat().st_size * (PACKED if file.suffix == ".gz" else 1)
    return letters * BYTES_PER_LETTER


def parse_bytes(text: str) -> int:
    """
    >>> parse_bytes("1.5GB"), parse_bytes("800 mb")
    (1500000000, 800000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", text)
    unit = UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ShoalError(f"{text!r} is not an amount of memory", "write for example 1.5GB or 800MB.")
    return int(float(found[1]) * unit)
