"""Does a Parquet file hold its table and nothing else that a reader is shown?

Readers skip metadata, entries of a dictionary that no row refers to, and bytes between two columns. None of
it is in a file that shoal writes, here or on Spark, so none is accepted. How rows are dealt out to pages, and
what a footer says beside that, is not compared, since versions of the writer differ in it.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.release.data.csv_form import OTHER_LETTERS, untidy_columns
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import fifteen_digits

if TYPE_CHECKING:
    from pyarrow.parquet import ColumnChunkMetaData, FileMetaData, ParquetFile

SCHEMA_KEY = b"ARROW:schema"
MARKS = 12  # bytes of a file beside its columns and its footer
WRITER = r"parquet-cpp-arrow version [\d.]+"
MORE = "{name} holds more than its table: {what}"


def parquet_faults(path: Path) -> list[str]:
    """How a file differs from one that holds a table and nothing else."""
    from pyarrow import parquet

    try:
        with path.open("rb") as content, parquet.ParquetFile(content) as file:
            texts = [field.name for field in file.schema_arrow if is_text(field.type)]
        with (
            path.open("rb") as content,
            parquet.ParquetFile(content, read_dictionary=texts, pre_buffer=False) as file,
        ):
            found = [*_form_faults(file, path.stat().st_size), *_cell_faults(file)]
    except (pa.ArrowException, OSError):
        return [f"{path.name} cannot be read as a Parquet file"]
    return [MORE.format(name=path.name, what=what) for what in dict.fromkeys(found)]


def _form_faults(file: "ParquetFile", size: int) -> Iterator[str]:
    """What the footer tells."""
    about = file.metadata
    if set(about.metadata or {}) - {SCHEMA_KEY}:
        yield "metadata"
    if file.schema_arrow.metadata or any(map(_has_metadata, file.schema_arrow)):
        yield "metadata of its columns"
    if not re.fullmatch(WRITER, about.created_by or ""):
        yield "the name of another writer"
    if size != MARKS + about.serialized_size + sum(one.total_compressed_size for one in _chunks(about)):
        yield "bytes between its columns, or an index of them"


def _has_metadata(field: pa.Field) -> bool:
    inside = [field.type.field(at) for at in range(field.type.num_fields)]
    return bool(field.metadata) or any(map(_has_metadata, inside))


def _chunks(about: "FileMetaData") -> Iterator["ColumnChunkMetaData"]:
    groups = (about.row_group(number) for number in range(about.num_row_groups))
    return (group.column(at) for group in groups for at in range(about.num_columns))


def _cell_faults(file: "ParquetFile") -> Iterator[str]:
    """What a look at the rows tells: entries that no row uses, and odd spellings."""
    spare: dict[str, pa.Array] = {}
    for number in range(file.metadata.num_row_groups):
        for name in file.schema_arrow.names:
            column = file.read_row_group(number, columns=[name])
            yield from (OTHER_LETTERS.format(column=one) for one in untidy_columns(column))
            if unused := [one for one in map(_unused, _dictionaries(column[name])) if len(one)]:
                spare[name] = pa.concat_arrays([*unused, *([spare[name]] if name in spare else [])]).unique()
            if not _ends_in_one_spelling(column[name]):
                yield "ends of ranges with more than fifteen digits"
    if any(map(partial(_is_unused, file), spare, spare.values())):
        yield "entries of a dictionary that no row uses"


def _dictionaries(column: pa.ChunkedArray) -> list[pa.DictionaryArray]:
    return column.chunks if pa.types.is_dictionary(column.type) else []


def _unused(cells: pa.DictionaryArray) -> pa.Array:
    """The entries that no row of a piece refers to. Arrow writes a dictionary with every group of rows, even
    where not all of it is used."""
    used = np.zeros(len(cells.dictionary), bool)
    used[numpy_from_arrow(cells.indices.drop_null())] = True
    return cells.dictionary.filter(arrow_from_numpy(~used))


def _is_unused(file: "ParquetFile", name: str, entries: pa.Array) -> bool:
    """Is one of these entries in no row of the whole file?"""
    for number in range(file.metadata.num_row_groups):
        for cells in _dictionaries(file.read_row_group(number, columns=[name])[name]):
            entries = entries.filter(
                pc.invert(pc.is_in(entries, value_set=cells.unique().dictionary_decode()))
            )
    return len(entries) > 0


def _ends_in_one_spelling(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_struct(column.type):
        return True
    ends = [end for end in column.combine_chunks().flatten() if pa.types.is_floating(end.type)]
    values = [np.asarray(numpy_from_arrow(end.drop_null()), np.float64) for end in ends]
    return all(
        np.array_equal(one, plain) and np.array_equal(np.signbit(one), np.signbit(plain))
        for one, plain in ((one, fifteen_digits(one)) for one in values)
    )
