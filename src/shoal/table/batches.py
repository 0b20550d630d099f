"""Tables of any size, some rows at a time: a file, a folder of files of one kind, or a frame."""

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BufferedReader
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.files.bounded_text import BoundedText
from shoal.table.files.csv_file import (
    BLOCK_BYTES,
    Dialect,
    csv_batches,
    in_fitting_encoding,
    refuse_odd_bytes,
    release_dialect,
    sniff,
)
from shoal.table.files.file_states import FileStates
from shoal.table.files.header import refuse_column_names
from shoal.table.files.limits import UNLIMITED
from shoal.table.files.parquet_file import parquet_batches, parquet_head
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.files.small_file import refuse_not_plain
from shoal.table.read import file_kind, read_table, refuse_odd_name
from shoal.table.rules.rule_faults import rule_faults
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table

TEXT = (".csv", ".tsv", ".txt")
TEXT_BYTES = 16
MEASURED_ROWS = 4096


@dataclass(frozen=True)
class Batches:
    """``read(n)`` begins at the first row whenever it is called and gives about n rows at a time; ``rows`` is
    how many there are where that is known without reading them, ``lines`` where they stand in a single file
    that has lines."""

    schema: pa.Schema
    rows: int | None
    read: Callable[[int], Iterator[pa.Table]]
    lines: SourceLines | None = None

    def bytes_of(self, rows: int) -> int:
        """Roughly what so many rows take in memory. Text is measured where the table begins, and counted as
        16 bytes a cell at least."""
        widths = [_width(kind) for kind in self.schema.types]
        measured = self._measured() if None in widths else 0
        return rows * max(sum(TEXT_BYTES if width is None else width for width in widths), measured)

    def _measured(self) -> int:
        first = next((table for table in self.read(MEASURED_ROWS) if len(table)), None)
        return 0 if first is None else -(-first.nbytes // len(first))


def batches_of(source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> Batches:
    """``as_written``: CSV is that of a release, whose dialect is known. ``reading`` is what the owner says of
    other CSV.

    >>> batches_of(pa.table({"age": [30, 41]})).rows
    2
    """
    found = _unruled(source, as_written, reading)
    if not reading.rules:
        return found

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        try:
            yield from map(reading.ruled, found.read(rows_at_once))
        except UnreadableCells:
            raise rule_faults(reading, found.read(rows_at_once), found.lines) from None

    schema = reading.ruled(found.schema.empty_table()).schema
    if reading.keeps_rows:
        return replace(found, schema=schema, read=read)
    return Batches(schema, None, read)


def _unruled(source: Any, as_written: bool, reading: Reading) -> Batches:
    if not isinstance(source, str | PathLike):
        found = _of_table(read_table(source))
        refuse_column_names(found.schema.names, "the frame")
        return found
    files = table_files(Path(source))
    kinds = {file_kind(file) for file in files}
    if kinds == {".parquet"}:
        found = _of_parquet(files)
    elif len(kinds) == 1 and kinds <= set(TEXT):
        found = _of_csv(files, as_written, reading)
    elif len(files) == 1:
        found = _of_table(read_table(files[0]))
    else:
        raise ShoalError(
            f"{str(source)!r} holds files of several kinds", "give a folder of Parquet files or of CSV files."
        )
    refuse_column_names(found.schema.names, Path(source).name)
    return found


def table_files(path: Path) -> list[Path]:
    """The file, or the files of a folder in the order of their names; hidden ones are no part of it."""
    refuse_odd_name(path)
    if not path.exists():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the table.")
    refuse_not_plain(path)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] not in "._")
    if not files:
        raise ShoalError(f"{str(path)!r} holds no files", "give a file, or a folder of files of one kind.")
    return files


def _of_parquet(files: list[Path]) -> Batches:
    before = FileStates.of(files)
    heads = [parquet_head(file) for file in files]
    _refuse_different(files, [schema for schema, _ in heads])

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        for file in files:
            yield from parquet_batches(file, rows_at_once)
            before.insist()

    return Batches(heads[0][0].remove_metadata(), sum(rows for _, rows in heads), read)


def _of_csv(files: list[Path], as_written: bool, reading: Reading) -> Batches:
    before = FileStates.of(files)
    dialects = [release_dialect(file) if as_written else _dialect_of(file, reading) for file in files]
    schemas = [pa.schema([(name, pa.string()) for name in dialect.columns]) for dialect in dialects]
    _refuse_different(files, schemas)

    def read(_rows_at_once: int) -> Iterator[pa.Table]:
        for file, dialect in zip(files, dialects, strict=True):
            yield from csv_batches(file, dialect)
            before.insist()

    lines = SourceLines(dialects[0].first_line, multiline=True) if len(files) == 1 else None
    return Batches(schemas[0], None, read, lines)


def _of_table(table: Table) -> Batches:
    arrow = decode_columns(table.arrow, table.names)

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        for start in range(0, len(table), rows_at_once):
            yield arrow.slice(start, rows_at_once)

    return Batches(arrow.schema.remove_metadata(), len(table), read, table.lines)


def _dialect_of(file: Path, reading: Reading) -> Dialect:
    """What is not of an encoding shows only where it stands, so all of it is looked at."""

    def read(encoding: str) -> Dialect:
        decoder = codecs.getincrementaldecoder(encoding)()
        with BufferedReader(BoundedText(file, UNLIMITED)) as content:
            while chunk := content.read(BLOCK_BYTES):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        dialect = sniff(file, encoding, reading)
        refuse_odd_bytes(file, dialect)
        return dialect

    return in_fitting_encoding(file, read)


def _refuse_different(files: list[Path], schemas: list[pa.Schema]) -> None:
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise ShoalError(
                f"{file.name} has other columns than {files[0].name}",
                "give a folder of files with the same columns, in the same order and of the same types.",
            )


def _width(kind: pa.DataType) -> int | None:
    try:
        return int(kind.bit_width) // 8 or 1
    except ValueError:
        return None
