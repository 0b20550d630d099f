"""What was written of a release, read back as a recipient would."""

from pathlib import Path

import pyarrow as pa

from shoal.engines.rows import ROW, Engine, Rows
from shoal.release.spreadsheet import unescape, unescape_name


def published_rows(engine: Engine, data: Path) -> Rows:
    """Every row with its place in the file, or in the files, as ROW."""
    rows = engine.read(data)
    if data.suffix != ".csv":
        return rows
    schema = pa.schema([(_plain(kind.name), kind.type) for kind in rows.schema])
    return rows.map(_unescaped, schema)


def _plain(name: str) -> str:
    return name if name == ROW else unescape_name(name)


def _unescaped(table: pa.Table) -> pa.Table:
    named = zip(table.column_names, table.columns, strict=True)
    columns = [column if name == ROW else unescape(column) for name, column in named]
    return pa.table(columns, names=[_plain(name) for name in table.column_names])
