"""Arrow's own files (Feather of version 2 is one), and its streams saved as files.

Their bytes are taken as they are, so every batch is looked through before anybody relies on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.files.file_endings import ARROW
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.limits import Limits
from shoal.table.files.long_cells import refuse_long_cells
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import batched

FILE, OLD_FEATHER = b"ARROW1", b"FEA1"
BROKEN = (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError)


def _batches_of(path: Path, limits: Limits, _reading: Reading) -> Batches:
    with _opened(path) as batches:
        limits.refuse_cells(path.name, 1, len(batches.schema))
        schema = decode_columns(batches.schema.empty_table(), batches.schema.names).schema
    return Batches(schema.remove_metadata(), None, partial(_tables, path))


def _tables(path: Path, rows_at_once: int) -> Iterator[pa.Table]:
    with _opened(path) as batches:
        for batch in _each(batches):
            batch.validate(full=True)
            refuse_long_cells(path.name, batch)
            table = decode_columns(pa.Table.from_batches([batch]), batch.schema.names)
            for start in range(0, len(table), rows_at_once):
                yield table.slice(start, rows_at_once).replace_schema_metadata()


def _each(batches: Any) -> Iterator[pa.RecordBatch]:
    if isinstance(batches, pa.ipc.RecordBatchStreamReader):
        yield from batches
    else:
        yield from map(batches.get_batch, range(batches.num_record_batches))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with path.open("rb") as content:
        start = content.read(START)
        if start.startswith(OLD_FEATHER):
            hint = "write it again as Feather version 2, or as Parquet."
            raise ShoalError(f"{path.name} is Feather of the old version 1", hint)
        refuse_disguised(path, start, expected="an Arrow file")
        content.seek(0)
        try:
            if start.startswith(FILE):
                yield pa.ipc.open_file(content)
            else:
                yield pa.ipc.open_stream(content)
        except BROKEN:
            what = f"{path.name} is not an Arrow or Feather file, or is cut off"
            raise ShoalError(what, "export the table again.") from None


ARROW_FORMAT = batched(ARROW, _batches_of, text_per_byte=4)
