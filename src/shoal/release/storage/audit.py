"""The owner's private link between input and output, never part of a release.

Whoever holds it can undo the release, so the file is readable by its owner alone. It also keeps the
secret behind the random choices: a later release made with it opens the same cells.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.engines.output import INPUT, LINK, another_link
from shoal.engines.steps.part_statistics import CLASS
from shoal.errors import ShoalError
from shoal.release.storage.private_file import private_file_write, refuse_existing_file
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.small_file import plain_file, refuse_not_plain

WHAT = "audit file"
COLUMNS = ("input_row", "output_row", "class")
HEADER = "# shoal audit: PRIVATE, undoes the release"
LONGEST_LINE = 1000  # characters of the lines before the rows
SECRET_BYTES = 16


@dataclass(frozen=True)
class Audit:
    """Input row and class of every published row, in published order; rows count from 1."""

    secret: bytes
    input_rows: Ints  # from 0
    class_of: Ints

    @contextmanager
    def written(self, path: Path, force: bool = False) -> Iterator[None]:
        """A file that takes its place when the block ends well; its owner's alone from the start."""
        refuse_existing_audit(path, force)
        with private_file_write(path, WHAT, self._write_to):
            yield

    def _write_to(self, file: TextIO) -> None:
        output_rows = np.arange(1, len(self.input_rows) + 1)
        rows = np.column_stack([self.input_rows + 1, output_rows, self.class_of + 1])
        file.write(audit_head(self.secret))
        np.savetxt(file, rows, fmt="%d", delimiter=",")

    @classmethod
    def load(cls, path: Path) -> "Audit":
        try:
            with plain_file(path, "an audit file") as content, TextIOWrapper(content, "utf-8") as file:
                if file.readline(LONGEST_LINE).rstrip("\n") != HEADER:
                    raise ValueError
                secret = bytes.fromhex(file.readline(LONGEST_LINE).removeprefix("# secret "))
                file.readline(LONGEST_LINE)
                rows = np.loadtxt(file, dtype=np.int64, delimiter=",", ndmin=2)
            if len(secret) != SECRET_BYTES or rows.shape[1] != 3 or rows.min() < 1:
                raise ValueError
        except FileNotFoundError:
            raise ShoalError(
                f"there is no audit file {str(path)!r}", "give the file that --audit wrote."
            ) from None
        except (OSError, ValueError):
            raise ShoalError(
                f"{str(path)!r} is not an audit file", "give the file that --audit wrote."
            ) from None
        rows = rows[np.argsort(rows[:, 1])]
        return cls(secret, rows[:, 0] - 1, rows[:, 2] - 1)


def audit_head(secret: bytes) -> str:
    """The lines before the first row."""
    return f"{HEADER}\n# secret {secret.hex()}\ninput_row,output_row,class\n"


def input_rows_of(path: Path, published: int, original: int) -> Ints:
    """The link of a release of so many records to a table of so many rows."""
    rows = Audit.load(path).input_rows
    if len(rows) != published or rows.max() >= original:
        raise another_link()
    return rows


@contextmanager
def link_written(
    link: Callable[[], Iterator[pa.Table]], path: Path, secret: bytes, force: bool
) -> Iterator[None]:
    """The same file, of a link that comes some rows at a time."""
    refuse_existing_audit(path, force)

    def write(file: TextIO) -> None:
        file.write(audit_head(secret))
        file.flush()
        for table in link():
            file.buffer.write(_lines(table))

    with private_file_write(path, WHAT, write):
        yield


def _lines(table: pa.Table) -> bytes:
    """Rows count from 1; a class is known by the first of its rows."""
    from pyarrow import csv

    columns = [pc.add(table.column(name), 1) for name in (INPUT, ROW, CLASS)]
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(columns, names=["a", "b", "c"]), sink, csv.WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def audit_batches(path: Path, records: int) -> Iterator[pa.Table]:
    """The link in an audit file, some rows at a time, in the order of the published rows."""
    from pyarrow import csv

    options = csv.ReadOptions(skip_rows=2)  # who it is, and the secret
    kinds = csv.ConvertOptions(column_types={name: pa.int64() for name in COLUMNS})
    done = 0
    refuse_not_plain(path, "an audit file")
    try:
        with csv.open_csv(path, read_options=options, convert_options=kinds) as reader:
            for batch in reader:
                given, number, class_of = (pc.subtract(batch.column(name), 1) for name in COLUMNS)
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


def refuse_existing_audit(path: Path, force: bool) -> None:
    """Raise where an audit file would write over another file."""
    refuse_existing_file(path, WHAT, HEADER, force)
