"""The published table on disk: CSV with readable ranges, or Parquet with a struct per range."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import ShoalError
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.table.columns.arrow_numpy import arrow_from_numpy, constant
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import is_text
from shoal.table.columns.text_bytes import text_bytes_by_chunk
from shoal.table.columns.word_set import in_quotes
from shoal.table.files.csv_file import read_plain_csv
from shoal.table.files.limits import Limits
from shoal.table.files.parquet_file import parquet_head, read_parquet
from shoal.table.files.spreadsheet import escape, escape_name, unescape, unescape_name
from shoal.table.read import read_table, refuse_no_table, table_files
from shoal.table.table import Table

FORMATS = ("csv", "parquet")
ROWS_AT_ONCE = 1_000_000
PARTS = "data.parquet"  # a folder of that name holds a table in parts


def write_data(table: pa.Table, path: Path) -> None:
    """Write ``data.csv`` or ``data.parquet`` and see it safely onto the disk."""
    with data_file_writer(path, table.schema) as write:
        write(table)


@contextmanager
def data_file_writer(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """The same for a table that comes in parts."""
    with _parquet_written(path, schema) if path.suffix == ".parquet" else _csv_written(path, schema) as write:
        yield write
    with path.open("rb") as file:
        os.fsync(file.fileno())


def read_data(path: Path) -> Table:
    """Read a published table back, as a recipient would."""
    if path.is_dir():
        return read_parts(table_files(path))
    if path.suffix == ".parquet":
        return read_table(path)
    table = read_plain_csv(path)
    columns = [unescape(column) for column in table.arrow.columns]
    names = [unescape_name(name) for name in table.names]
    return Table(pa.Table.from_arrays(columns, names=names), table.lines)


def read_parts(files: list[Path]) -> Table:
    """A table in several Parquet files, one after the other."""
    name, limits = files[0].parent.name, Limits.of_machine()
    heads = [parquet_head(file) for file in files]
    _refuse_others(name, [schema for schema, _ in heads])
    limits.refuse_cells(name, sum(rows for _, rows in heads), len(heads[0][0]))
    parts = [read_parquet(file, limits).arrow for file in files]
    _refuse_others(name, [part.schema for part in parts])  # encoded or not, a head does not tell
    table = Table(pa.concat_tables(parts))
    refuse_no_table(table, name)
    return table


def _refuse_others(name: str, schemas: list[pa.Schema]) -> None:
    if any(not schema.equals(schemas[0]) for schema in schemas):
        raise ShoalError(f"the files of {name} are not parts of one table", "ask for the whole release.")


def rows_as_text(table: pa.Table) -> list[list[str]]:
    """Few rows, every cell as ``data.csv`` shows it once its quotes are taken away.

    >>> rows_as_text(pa.table({"age": [{"lo": 10, "hi": 15}], "note": ["=1+1"], "pay": [None]}))
    [['[10, 15]', "'=1+1", '']]
    """
    if not table.num_columns:
        return [[] for _ in range(table.num_rows)]
    columns = {field.name: _writable(table.column(at)) for at, field in enumerate(table.schema)}
    text = bytes(_lines(pa.table(columns))).decode()
    lines = csv.reader(StringIO(text, newline=""))
    return [row or [""] for row in lines]


def _writable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists and the like, which only Parquet can hold, in words."""
    kind = column.type
    if not pa.types.is_nested(kind) or (pa.types.is_struct(kind) and kind.names == ["lo", "hi"]):
        return column
    words = [None if cell is None else str(cell) for cell in column.to_pylist()]
    return pa.chunked_array([pa.array(words, pa.string())])


@contextmanager
def _parquet_written(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd", write_page_index=False) as writer:
        yield writer.write_table


@contextmanager
def _csv_written(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    with path.open("wb") as file:
        file.write(csv_header(schema.names))

        def write(table: pa.Table) -> None:
            for lines in csv_lines(table):
                file.write(lines)

        yield write


def csv_header(names: Iterable[str]) -> bytes:
    """The first line of ``data.csv``."""
    return ",".join(_quoted_name(escape_name(name)) for name in names).encode() + b"\n"


def csv_lines(table: pa.Table) -> Iterator[memoryview]:
    """The rows of a table as ``data.csv`` has them, many lines at once."""
    for start in range(0, table.num_rows, ROWS_AT_ONCE):
        yield _lines(table.slice(start, ROWS_AT_ONCE))


def _lines(table: pa.Table) -> memoryview:
    """The rows as CSV: the text of all joined lines is one buffer already."""
    lines, rows = _different_lines(table), table.num_rows
    if lines is None:
        lines = _joined_cells(table)
    first, last = (np.frombuffer(lines.buffers()[1], np.int32)[at] for at in (0, rows))
    return memoryview(lines.buffers()[2])[first:last].cast("B")


def _different_lines(table: pa.Table) -> pa.Array | None:
    """Lines of encoded columns with few different rows, each of which is written once."""
    if not all(pa.types.is_dictionary(column.type) for column in table.columns):
        return None
    rows = class_numbers([encode(column).numbers for column in table.columns])
    shown = one_of_each(rows)
    if 4 * len(shown) > len(rows):
        return None
    return _joined_cells(table.take(arrow_from_numpy(shown))).take(arrow_from_numpy(rows))


def _joined_cells(table: pa.Table) -> pa.Array:
    with ThreadPoolExecutor() as pool:
        cells = list(pool.map(_cells, table.column_names, table.columns))
    rows = table.num_rows
    cells[-1] = pc.binary_join_element_wise(cells[-1], constant("\n", rows), constant("", rows))
    return pc.binary_join_element_wise(*cells, constant(",", rows))


def _cells(name: str, column: pa.ChunkedArray) -> pa.Array:
    """One column as CSV cells: labels for ranges, quoted text, nothing where missing."""
    if pa.types.is_dictionary(column.type):  # each different cell is written once
        encoded = encode(column)
        return _cells(name, pa.chunked_array([encoded.cells])).take(arrow_from_numpy(encoded.numbers))
    array = column.combine_chunks()
    if pa.types.is_struct(array.type) and array.type.names == ["lo", "hi"]:
        return range_labels(array.field("lo"), array.field("hi"), quote='"')
    try:
        text = array if is_text(array.type) else plain_text(array)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ShoalError(
            f"column {name!r} of type {array.type} cannot be written as CSV",
            "use --format parquet.",
        ) from None
    return _quoted(escape(text.cast(pa.string())))


def range_labels(low: pa.Array, high: pa.Array, quote: str = "") -> pa.Array:
    """``[10, 15]`` for a range, in quotes if asked for, and the value itself where both ends are one.

    >>> range_labels(pa.array([10, 7, None]), pa.array([15, 7, None])).to_pylist()
    ['[10, 15]', '7', None]
    """
    text = plain_text(low)
    ranged = pc.not_equal(low, high)
    if not ranged.true_count:
        return text
    ends = [plain_text(end.filter(ranged)) for end in (low, high)]
    marks = (f"{quote}[", ", ", f"]{quote}", "")
    opening, comma, closing, nothing = (constant(mark, ranged.true_count) for mark in marks)
    labels = pc.binary_join_element_wise(opening, ends[0], comma, ends[1], closing, nothing)
    return pc.replace_with_mask(text, ranged, labels)


def plain_text(array: pa.Array) -> pa.Array:
    """Decimals near 0 are written in full, as they would be typed.

    >>> from decimal import Decimal
    >>> plain_text(pa.array([Decimal("0.00000005"), None])).to_pylist()
    ['0.00000005', None]
    """
    text = array.cast(pa.string())
    if not pa.types.is_decimal(array.type):
        return text
    with_exponent = pc.match_substring(text, "E")
    if not with_exponent.true_count:
        return text
    small = array.filter(with_exponent).dictionary_encode()
    plain = pa.array([format(cell, "f") for cell in small.dictionary.to_pylist()], pa.string())
    return pc.replace_with_mask(text, with_exponent, plain.take(small.indices))


def _quoted(text: pa.Array) -> pa.Array:
    """Quotes around cells with commas, quotes, line ends or nothing in them."""
    if not any(found.holds('",\r\n') or not found.lengths.all() for found in text_bytes_by_chunk(text)):
        return text
    special = pc.match_substring_regex(text, '[",\r\n]|^$')
    if special.true_count:
        doubled = pc.replace_substring(text, '"', '""')
        text = pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)
    return text.fill_null("") if text.null_count else text


def _quoted_name(name: str) -> str:
    return in_quotes(name) if re.search('[",\r\n]', name) else name
