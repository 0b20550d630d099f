"""CSV, as others write it and as shoal writes it in a release."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

import pyarrow as pa

from shoal.table.files.bounded_text import BoundedText
from shoal.table.files.csv_file import (
    BLOCK_BYTES,
    Dialect,
    csv_batches,
    first_rows_of_csv,
    in_fitting_encoding,
    read_csv,
    refuse_odd_bytes,
    release_dialect,
    sniff,
)
from shoal.table.files.file_endings import CSV
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import TableFormat
from shoal.table.source_lines import SourceLines


def release_batches(path: Path) -> Batches:
    """The rows of CSV as shoal writes it."""
    return _batches(path, release_dialect(path))


def _batches_of(path: Path, _limits: Limits, reading: Reading) -> Batches:
    return _batches(path, _dialect_of(path, reading))


def _batches(path: Path, dialect: Dialect) -> Batches:
    def read(_rows_at_once: int) -> Iterator[pa.Table]:
        return csv_batches(path, dialect)

    schema = pa.schema([(name, pa.string()) for name in dialect.columns])
    return Batches(schema, None, read, SourceLines(dialect.first_line, multiline=True))


def _first_rows(path: Path, limits: Limits, count: int, reading: Reading) -> pa.Table:
    names, rows = first_rows_of_csv(path, limits, count, reading)
    cells = zip(*rows, strict=True) if rows else [[] for _ in names]
    return pa.Table.from_arrays([pa.array(column, pa.string()) for column in cells], names=list(names))


def _dialect_of(path: Path, reading: Reading) -> Dialect:
    """What is not of an encoding shows only where it stands, so all of it is looked at."""

    def read(encoding: str) -> Dialect:
        decoder = codecs.getincrementaldecoder(encoding)()
        with BufferedReader(BoundedText(path, UNLIMITED)) as content:
            while chunk := content.read(BLOCK_BYTES):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        dialect = sniff(path, encoding, reading)
        refuse_odd_bytes(path, dialect)
        return dialect

    return in_fitting_encoding(path, read)


CSV_FORMAT = TableFormat(CSV, read_csv, _batches_of, _first_rows)
