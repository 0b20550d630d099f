"""Read a table from a path or a frame."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import plain_types
from shoal.table.files.csv_file import read_csv
from shoal.table.files.file_states import refuse_changes
from shoal.table.files.frames import Restore, arrow_from_frame
from shoal.table.files.header import no_rows, refuse_column_names
from shoal.table.files.json_file import read_json_lines
from shoal.table.files.limits import Limits
from shoal.table.files.long_cells import refuse_long_columns
from shoal.table.files.parquet_file import read_parquet
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.files.small_file import refuse_not_plain
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.table import Table

Source = Any  # a path, or a pandas / Polars / Arrow frame, or a DuckDB relation; a `Table` has been read


def read_table(source: Source, limits: Limits | None = None, reading: Reading = AS_IT_LOOKS) -> Table:
    """A table from a file (CSV, Parquet, JSON lines; also gzipped text) or from a frame.

    A file larger than the limits, by default those of the memory there is, is refused. ``reading`` is what
    its owner says of a CSV file.

    >>> import pyarrow as pa
    >>> read_table(pa.table({"age": [30, 41]})).names
    ['age']
    """
    return read_with_restore(source, limits, reading)[0]


def read_with_restore(
    source: Source, limits: Limits | None = None, reading: Reading = AS_IT_LOOKS
) -> tuple[Table, Restore]:
    """The table, and how to give a result back in the source's own kind (paths: Arrow)."""
    restore: Restore = lambda table: table  # noqa: E731
    if isinstance(source, Table):
        return Table(source.arrow, source.lines), restore
    if isinstance(source, str | PathLike):
        table = _read_path(Path(source), limits or Limits.of_machine(), reading)
    else:
        arrow, restore = arrow_from_frame(source)
        table = Table(plain_types(arrow))
    refuse_no_table(table, source)
    return _ruled(table, reading, source), restore


def _ruled(table: Table, reading: Reading, source: Source) -> Table:
    if not reading.rules:
        return table
    try:
        rows = reading.ruled(table.arrow)
    except UnreadableCells as error:
        raise ShoalError(
            table.fault(one.column, one.rows, one.reason, one.hint) for one in error.found
        ) from None
    if not len(rows):
        raise no_rows(source_name(source))
    return Table(rows, table.lines if reading.keeps_rows else None)


def _read_path(path: Path, limits: Limits, reading: Reading) -> Table:
    reader = reader_of(path)
    try:
        with refuse_changes([path]):
            return read_csv(path, limits, reading) if reader is read_csv else reader(path, limits)
    except PermissionError:
        raise ShoalError(f"{str(path)!r} cannot be opened", "check its permissions.") from None


def file_kind(path: Path) -> str:
    """The end of a file's name that says how to read it: ``.csv`` of ``pay.CSV.gz``."""
    return (path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix).lower()


def refuse_odd_name(path: Path) -> None:
    """A name may be any bytes; the libraries that read and write files want text."""
    if any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise ShoalError(f"the name {str(path)!r} is no text in UTF-8", "rename it, or choose another.")


def reader_of(path: Path) -> Callable[[Path, Limits], Table]:
    """The function that reads a file of this name; a path that is no table file is refused."""
    refuse_odd_name(path)
    if not path.exists():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the table.")
    if path.is_dir():
        raise ShoalError(f"{str(path)!r} is a folder", "give the path of a table file.")
    refuse_not_plain(path)
    reader = READERS.get(file_kind(path))
    if reader is None:
        raise ShoalError(
            f"{path.name} has a name that does not say how to read it",
            f"save it as CSV or Parquet; shoal reads {' '.join(READERS)} (text also with .gz).",
        )
    return reader


def refuse_no_table(table: Table, source: Source) -> None:
    """Refuse a table without columns or rows, or with two columns of the same name."""
    name = source_name(source)
    refuse_column_names(table.names, name)
    refuse_long_columns(table.arrow, name)
    if len(table) == 0:
        raise no_rows(name)


def source_name(source: Source) -> str:
    """What to call a source in a fault."""
    return Path(source).name if isinstance(source, str | PathLike) else "the frame"


READERS: dict[str, Callable[[Path, Limits], Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json_lines,
}
