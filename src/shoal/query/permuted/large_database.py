"""The database of a permuted table that does not fit into memory: read in batches, grouped range by range.

What it holds is what `write_database` would write of the whole table.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import duckdb
import numpy as np
import pyarrow as pa

from shoal.query.permuted.batch_column_types import (
    ColumnEvidence,
    column_evidence,
    join_evidence,
    typed_batch,
)
from shoal.query.permuted.counted_table import build_counted_table
from shoal.query.permuted.database import BATCH, with_whole_groups
from shoal.query.permuted.group_tables import (
    GroupRange,
    build_group_tables,
    group_range_condition,
    group_ranges,
    list_expression,
)
from shoal.query.permuted.help_table import help_rows, places_in_rows
from shoal.query.permuted.lists import Types, in_order
from shoal.query.schema import GROUP, TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.table.columns.arrow_numpy import arrow_from_numpy

PLACE = "shoal:place"
VALUES_AT_ONCE = 1_000_000  # of the groups whose lists are made together, in all their columns


@dataclass(frozen=True)
class LargeDatabase:
    """What was written: the types of its lists, and the ranges of groups that are worked on together."""

    schema: Schema
    types: dict[str, Types]
    ranges: list[GroupRange]


def write_large_database(
    connection: duckdb.DuckDBPyConnection,
    batches: Callable[[], Iterator[pa.Table]],
    sensitive: Sequence[str],
    values_at_once: int = VALUES_AT_ONCE,
) -> LargeDatabase:
    """``batches`` begin at the first row whenever they are asked for. The engine puts the rows in the order
    of their groups, on disk where its memory ends."""
    permuted = tuple(sensitive)
    kinds = reduce(join_evidence, (column_evidence(batch, permuted) for batch in batches()))
    given = _reader(with_whole_groups(typed_batch(kinds, batch)) for batch in batches())
    columns = tuple(name for name in given.schema.names if name != PLACE)
    schema = _schema(columns, permuted, kinds)
    connection.register("given", given)
    connection.execute(
        f'CREATE TABLE {TABLE} AS SELECT * EXCLUDE ("{PLACE}") FROM given ORDER BY {GROUP}, "{PLACE}"'
    )
    connection.unregister("given")
    ranges = group_ranges(connection, max(values_at_once // max(len(schema.listed), 1), 1))
    types = build_group_tables(connection, schema, ranges)
    counted = build_counted_table(connection, schema, types, ranges)
    return LargeDatabase(replace(schema, counted=counted), types, ranges)


def help_by_ranges(connection: duckdb.DuckDBPyConnection, written: LargeDatabase) -> Iterator[pa.RecordBatch]:
    """The help table in the order of groups and hits, a part at a time."""
    schema, types = written.schema, written.types
    for some in written.ranges:
        where = group_range_condition(some, TABLE)
        ordered = {
            name: in_order(list_expression(name, schema), where, types[name]) for name in schema.listed
        }
        rows = help_rows(schema, places_in_rows(ordered)).order_by(f"low.{GROUP}", "low.hits")
        yield from connection.sql(sql_text(rows)).to_arrow_reader(BATCH)


def _reader(tables: Iterator[pa.Table]) -> pa.RecordBatchReader:
    """One stream of all batches, every row with its place in the table."""
    numbered = _numbered(tables)
    first = next(numbered)

    def every() -> Iterator[pa.RecordBatch]:
        yield from first.to_batches()
        for table in numbered:
            yield from table.to_batches()

    return pa.RecordBatchReader.from_batches(first.schema, every())


def _numbered(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    done = 0
    for table in tables:
        yield table.append_column(PLACE, arrow_from_numpy(np.arange(done, done + len(table))))
        done += len(table)


def _schema(columns: tuple[str, ...], sensitive: tuple[str, ...], kinds: dict[str, ColumnEvidence]) -> Schema:
    return Schema(
        columns,
        sensitive,
        dates=tuple(name for name in sensitive if kinds[name].lies == "dates"),
        words=tuple(name for name in sensitive if kinds[name].lies is None),
        whole=tuple(
            name
            for name in sensitive
            if kinds[name].lies in ("dates", "whole") and not kinds[name].database_type.scale
        ),
    )
