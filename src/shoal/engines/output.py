"""What an engine has written of a release, and the owner's link between input and output rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.protocol import ROW, Rows
from shoal.engines.steps.part_statistics import CLASS, TOLD, Told
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.release.storage.audit import WHAT, another_link, audit_head, refuse_existing_audit
from shoal.release.storage.private_file import written_privately
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.files.small_file import refuse_not_plain

INPUT = "shoal:input"
AUDIT_COLUMNS = ("input_row", "output_row", "class")
INTERNAL = (ROW, CLASS, TOLD)
LINK = pa.schema([(ROW, pa.int64()), (INPUT, pa.int64()), (CLASS, pa.int64())])


@dataclass(frozen=True)
class Written:
    """``data`` is a file, or a folder of files, with these names in the release. ``link`` has the number of
    every published row in the order of the files as ROW, with its INPUT row and its CLASS; ``linked`` adds
    the INPUT row to rows that are read from these files."""

    data: Path
    files: tuple[str, ...]
    records: int
    told: Told | None
    link: Callable[[], Iterator[pa.Table]] = field(repr=False)
    linked: Callable[[Any], Rows] = field(repr=False)

    @contextmanager
    def audit(self, path: Path, key: Key, force: bool) -> Iterator[None]:
        """The owner's private file, which takes its place when the block ends well."""
        refuse_existing_audit(path, force)

        def write(file: TextIO) -> None:
            file.write(audit_head(key.tobytes()))
            file.flush()
            for table in self.link():
                file.buffer.write(_lines(table))

        with written_privately(path, WHAT, write):
            yield


def _lines(table: pa.Table) -> bytes:
    """Rows count from 1; a class is known by the first of its rows."""
    from pyarrow import csv

    columns = [pc.add(table.column(name), 1) for name in (INPUT, ROW, CLASS)]
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(columns, names=["a", "b", "c"]), sink, csv.WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def audit_batches(path: Path, records: int) -> Iterator[pa.Table]:
    """What `Written.audit` has written, some rows at a time; it has the order of the published rows."""
    from pyarrow import csv

    options = csv.ReadOptions(skip_rows=2)  # who it is, and the secret
    kinds = csv.ConvertOptions(column_types={name: pa.int64() for name in AUDIT_COLUMNS})
    done = 0
    refuse_not_plain(path, "an audit file")
    try:
        with csv.open_csv(path, read_options=options, convert_options=kinds) as reader:
            for batch in reader:
                given, number, class_of = (pc.subtract(batch.column(name), 1) for name in AUDIT_COLUMNS)
                if not number.equals(_from(done, len(batch))) or given.null_count or class_of.null_count:
                    raise another_link()
                done += len(batch)
                if done > records:
                    raise another_link()
                yield pa.table([number, given, class_of], schema=LINK)
    except (OSError, pa.ArrowInvalid, KeyError):
        raise ShoalError(f"{str(path)!r} is not an audit file", "give the file that --audit wrote.") from None
    if done != records:
        raise another_link()


def _from(first: int, count: int) -> pa.Array:
    return arrow_from_numpy(np.arange(first, first + count))


def shown(table: pa.Table) -> pa.Table:
    """What everybody may see."""
    return table.drop_columns(list(INTERNAL))


def shown_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([kind for kind in schema if kind.name not in INTERNAL])
