"""The published table on disk: CSV with readable ranges, or Parquet with a struct per range."""

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.release.spreadsheet import RISKY, escape, escape_name, unescape, unescape_name
from shoal.table.csv_file import read_plain_csv
from shoal.table.numbers import is_text
from shoal.table.read import read_table
from shoal.table.table import Table

FORMATS = ("csv", "parquet")


def write_data(table: pa.Table, path: Path) -> None:
    """Write ``data.csv`` or ``data.parquet`` and see it safely onto the disk."""
    writer: Callable[[pa.Table, Path], None] = (
        _write_parquet if path.suffix == ".parquet" else _write_csv
    )
    writer(table, path)
    with path.open("rb") as file:
        os.fsync(file.fileno())


def read_data(path: Path) -> Table:
    """Read a published table back, as a recipient would."""
    if path.suffix == ".parquet":
        return read_table(path)
    table = read_plain_csv(path)
    columns = [
        unescape(column) if is_text(column.type) else column for column in table.arrow.columns
    ]
    names = [unescape_name(name) if _odd(name) else name for name in table.names]
    return Table(pa.Table.from_arrays(columns, names=names), table.first_line)


def _odd(name: str) -> bool:
    return name.startswith("'")


def _write_parquet(table: pa.Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(table, path, compression="zstd")


def _write_csv(table: pa.Table, path: Path) -> None:
    import duckdb

    ready = pa.Table.from_arrays(
        [_as_text(name, table.column(name)) for name in table.column_names],
        names=[f"c{at}" for at in range(table.num_columns)],
    )
    cells = ", ".join(
        _label(f"c{at}") if pa.types.is_struct(ready.column(at).type) else f"c{at}"
        for at in range(ready.num_columns)
    )
    names = [escape_name(name) if _risky(name) else name for name in table.column_names]
    with duckdb.connect() as connection:
        connection.register("published", ready)
        select = f"SELECT {cells} FROM published"  # noqa: S608 - names are c0, c1, ...
        aliases = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        connection.execute(
            f"COPY (WITH t({aliases}) AS ({select}) SELECT * FROM t) TO ? (HEADER, DELIMITER ',')",
            [str(path)],
        )


def _risky(name: str) -> bool:
    import re

    return re.match(RISKY, name) is not None


def _label(column: str) -> str:
    """``[10, 15]`` for a range, the value itself where both ends are one."""
    lo, hi = f"{column}.lo", f"{column}.hi"
    return f"CASE WHEN {lo} = {hi} THEN {lo}::VARCHAR ELSE '[' || {lo} || ', ' || {hi} || ']' END"


def _as_text(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_struct(column.type):
        return column
    try:
        text = column if is_text(column.type) else column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ShoalError(
            f"column {name!r} of type {column.type} cannot be written as CSV",
            "use --format parquet.",
        ) from None
    return escape(text)
