"""How large a table is, and whether it can be worked on in memory."""

import re
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.table.files.file_endings import PARQUET, STUDY
from shoal.table.files.limits import available_memory
from shoal.table.files.packed_text import file_kind, is_packed
from shoal.table.files.parquet_file import parquet_head
from shoal.table.files.study.study_file import study_size
from shoal.table.formats.registry import format_of
from shoal.table.read import table_files
from shoal.table.source import place_of

BYTES_PER_CELL = 100  # of a table that is read, anonymized, written and verified in memory
BYTES_PER_LETTER = 16  # the same for a file of text
PACKED = 10  # bytes of text in a byte of gzip or zip, as tables go
IMPORTED = 400 * 10**6  # what Python takes with all that is loaded
UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def fits_in_memory(source: Any, memory: int | None = None) -> bool:
    """Can all of a table be worked on in so much memory, by default what the machine has left? Nobody knows
    how large a table of a server is before it is read."""
    place = place_of(source)
    if not isinstance(place, Path) or not place.exists():
        return True  # whoever reads it will say what is not there
    return bytes_needed(place) <= (available_memory() if memory is None else memory)


def bytes_needed(path: Path) -> int:
    """Roughly, in memory."""
    return IMPORTED + sum(_bytes_of_rows(file) for file in table_files(path))


def _bytes_of_rows(file: Path) -> int:
    if file_kind(file) in PARQUET:
        schema, rows = parquet_head(file)
        return rows * len(schema.names) * BYTES_PER_CELL
    if file_kind(file) in STUDY:
        columns, known = study_size(file)
        if known is not None:
            return known * columns * BYTES_PER_CELL
    text_per_byte = PACKED if is_packed(file) else format_of(file).text_per_byte
    return file.stat().st_size * text_per_byte * BYTES_PER_LETTER


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
