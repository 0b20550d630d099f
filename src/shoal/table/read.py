"""Read a table from a path or a frame."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.csv_file import read_csv
from shoal.table.frames import Restore, arrow_from_frame
from shoal.table.table import Table

Source = Any  # a path, or a pandas / Polars / Arrow frame, or a DuckDB relation


def read_table(source: Source) -> Table:
    """A table from a file (CSV, Parquet, JSON lines; also gzipped text) or from a frame.

    >>> read_table(pa.table({"age": [30, 41]})).names
    ['age']
    """
    return read_with_restore(source)[0]


def read_with_restore(source: Source) -> tuple[Table, Restore]:
    """The table, and how to give a result back in the source's own kind (paths: Arrow)."""
    restore: Restore = lambda table: table  # noqa: E731
    if isinstance(source, str | PathLike):
        table = _read_path(Path(source))
    else:
        arrow, restore = arrow_from_frame(source)
        table = Table(arrow)
    _refuse_empty(table, source)
    return table, restore


def _read_path(path: Path) -> Table:
    if not path.exists():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the table.")
    if path.is_dir():
        raise ShoalError(f"{str(path)!r} is a folder", "give the path of a table file.")
    kind = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    reader = READERS.get(kind.lower())
    if reader is None:
        raise ShoalError(
            f"{path.name} has a name that does not say how to read it",
            f"save it as CSV or Parquet; shoal reads {' '.join(READERS)} (text also with .gz).",
        )
    try:
        return reader(path)
    except PermissionError:
        raise ShoalError(f"{str(path)!r} cannot be opened", "check its permissions.") from None


def _read_parquet(path: Path) -> Table:
    from pyarrow import parquet

    try:
        return Table(parquet.ParquetFile(path).read())
    except pa.ArrowException:
        raise ShoalError(f"{path.name} is not a Parquet file", "export the table again.") from None


def _read_json_lines(path: Path) -> Table:
    from pyarrow import json

    def load(schema: pa.Schema | None = None) -> pa.Table:
        return json.read_json(path, parse_options=json.ParseOptions(explicit_schema=schema))

    try:
        arrow = load()
        dates = [field for field in arrow.schema if pa.types.is_timestamp(field.type)]
        if dates:  # text that only looks like a date stays the text it was
            texts = pa.schema([pa.field(field.name, pa.string()) for field in dates])
            arrow = load(texts).select(arrow.column_names)
    except pa.ArrowException:
        if path.stat().st_size == 0:
            raise ShoalError(f"{path.name} is empty", "give one JSON object per line.") from None
        raise ShoalError(
            f"{path.name} cannot be read as JSON lines",
            "give one JSON object per line, each column with values of one kind.",
        ) from None
    return Table(arrow, first_line=1)


def _refuse_empty(table: Table, source: Source) -> None:
    name = Path(source).name if isinstance(source, str | PathLike) else "the frame"
    if not table.names:
        raise ShoalError(f"{name} has no columns", "give a table with a header and rows.")
    twice = sorted({column for column in table.names if table.names.count(column) > 1})
    if twice:
        raise ShoalError(
            f"{name} has more than one column named {', '.join(map(repr, twice))}",
            "give every column a name of its own.",
        )
    if len(table) == 0:
        raise ShoalError(f"{name} has a header but no rows", "give a table with rows.")


READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".json": _read_json_lines,
}
