"""Does a Parquet file hold its table and nothing else that a reader is shown?

Readers skip metadata, entries of a dictionary that no row refers to, and bytes between two columns. None of
it is in a file that shoal writes, here or on Spark, so none is accepted. How rows are dealt out to pages, and
what a footer says beside that, is not compared, since versions of the writer differ in it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.release.csv_form import OTHER_LETTERS, untidy_columns
from shoal.table.bridge import numpy_from_arrow
from shoal.table.numbers import is_text
from shoal.table.same_value import fifteen_digits

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData, ParquetFile

SCHEMA_KEY = b"ARROW:schema"
MARKS = 12  # bytes of a file beside its columns and its footer
OUR_WRITER = f"parquet-cpp-arrow version {pa.__version__}"  # other versions may write an index as well
MORE = "{name} holds more than its table: {what}"


def parquet_faults(path: Path) -> list[str]:
    """How a file differs from one that holds a table and nothing else."""
    from pyarrow import parquet

    try:
        texts = [field.name for field in parquet.read_schema(path) if is_text(field.type)]
        with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False) as file:
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
    if about.created_by == OUR_WRITER and size != MARKS + about.serialized_size + _columns_size(about):
        yield "bytes between its columns"


def _has_metadata(field: pa.Field) -> bool:
    inside = [field.type.field(at) for at in range(field.type.num_fields)]
    return bool(field.metadata) or any(map(_has_metadata, inside))


def _columns_size(about: "FileMetaData") -> int:
    groups = (about.row_group(number) for number in range(about.num_row_groups))
    return sum(group.column(at).total_compressed_size for group in groups for at in range(about.num_columns))


def _cell_faults(file: "ParquetFile") -> Iterator[str]:
    """What a look at the rows tells: entries that no row uses, and odd spellings."""
    used: dict[str, set[str]] = {}
    listed: dict[str, set[str]] = {}
    for number in range(file.metadata.num_row_groups):
        for name in file.schema_arrow.names:
            column = file.read_row_group(number, columns=[name])
            yield from (OTHER_LETTERS.format(column=one) for one in untidy_columns(column))
            cells = column[name]
            if pa.types.is_dictionary(cells.type):
                for piece in cells.chunks:
                    listed.setdefault(name, set()).update(piece.dictionary.cast(pa.string()).to_pylist())
                    there = piece.indices.unique().drop_null()
                    used.setdefault(name, set()).update(
                        piece.dictionary.take(there).cast(pa.string()).to_pylist()
                    )
            elif not _ends_in_one_spelling(cells):
                yield "ends of ranges with more than fifteen digits"
    if any(listed[name] - used[name] for name in listed):
        yield "entries of a dictionary that no row uses"


def _ends_in_one_spelling(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_struct(column.type):
        return True
    ends = [end for end in column.combine_chunks().flatten() if pa.types.is_floating(end.type)]
    values = [np.asarray(numpy_from_arrow(end.drop_null()), np.float64) for end in ends]
    return all(
        np.array_equal(one, plain) and np.array_equal(np.signbit(one), np.signbit(plain))
        for one, plain in ((one, fifteen_digits(one)) for one in values)
    )
