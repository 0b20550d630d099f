"""What was written of a release, read back as a recipient would."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from shoal.engines.memory.rows import whole_table
from shoal.engines.protocol import Engine, Rows
from shoal.policy.model.policy import Policy
from shoal.release.integrity.contents import Contents
from shoal.table.batches import batches_of
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.spreadsheet import unescape, unescape_name
from shoal.table.table import Table

ROWS_AT_ONCE = 250_000


def published_rows(engine: Engine, data: Path) -> Rows:
    """Every row with its place in the file, or in the files, as ROW."""
    rows = engine.read(data, as_written=True)
    if data.suffix != ".csv" or rows.whole:
        return rows
    schema = pa.schema([(_plain(kind.name), kind.type) for kind in rows.schema])
    return rows.map(_unescaped, schema)


def published_batches(data: Path) -> Iterator[pa.Table]:
    """The same rows without their places, on one machine."""
    for table in batches_of(data, as_written=True).read(ROWS_AT_ONCE):
        plain = table if data.suffix != ".csv" else _unescaped(table)
        if len(plain):
            yield plain


def batches_of_rows(published: Rows, data: Path) -> Iterator[pa.Table]:
    """Published rows without their places on this machine, which the file or folder holds."""
    table = whole_table(published)
    return published_batches(data) if table is None else iter([table.arrow])


def contents_of(published: Rows, policy: Policy) -> Contents:
    """What all of these rows hold, as far as a manifest states something about it."""
    if (table := whole_table(published)) is not None:
        return Contents.of(table, policy)
    names = tuple(name for name in published.schema.names if name != ROW)
    found = published.fold(partial(_contents, policy), Contents.joined)
    return found or Contents(names, 0, {}, {})


def _contents(policy: Policy, table: pa.Table) -> Contents:
    return Contents.of(Table(table.drop_columns([ROW])), policy)


def _plain(name: str) -> str:
    return name if name == ROW else unescape_name(name)


def _unescaped(table: pa.Table) -> pa.Table:
    named = zip(table.column_names, table.columns, strict=True)
    columns = [column if name == ROW else unescape(column) for name, column in named]
    return pa.table(columns, names=[_plain(name) for name in table.column_names])
