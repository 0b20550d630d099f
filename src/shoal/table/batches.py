"""Tables of any size, some rows at a time: a file, a folder of files with the same columns, or a frame."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.table.files.file_states import FileStates
from shoal.table.files.header import refuse_column_names
from shoal.table.files.limits import UNLIMITED
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.formats.csv_format import CSV_FORMAT, release_batches
from shoal.table.formats.registry import format_of_all
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import TableFormat
from shoal.table.read import (
    all_left_out,
    cannot_be_opened,
    parts_of,
    read_unruled,
    refuse_different_columns,
    rules_to_apply,
)
from shoal.table.rules.rule_faults import rule_faults
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.source import Place, chosen_with, place_of, reading_of_source, source_name


def batches_of(source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> Batches:
    """``as_written``: CSV is that of a release, whose dialect is known. ``reading`` is what the owner says of
    other tables.

    >>> batches_of(pa.table({"age": [30, 41]})).rows
    2
    """
    place, left = place_of(source), rules_to_apply(source, reading)
    found = (
        Batches.of_table(read_unruled(source, None, reading)[0])
        if place is None
        else _of_place(source, place, as_written, reading_of_source(source, reading))
    )
    refuse_column_names(found.schema.names, source_name(source))
    return _ruled(found, left, source) if left.rules else found


def _ruled(found: Batches, reading: Reading, source: Any) -> Batches:
    def read(rows_at_once: int) -> Iterator[pa.Table]:
        given = kept = 0
        try:
            for batch in found.read(rows_at_once):
                rows = reading.ruled(batch)
                given, kept = given + len(batch), kept + len(rows)
                yield rows
        except UnreadableCells:
            raise rule_faults(reading, partial(found.read, rows_at_once), found.lines) from None
        if given and not kept:
            raise all_left_out(source)

    schema = reading.ruled(found.schema.empty_table()).schema
    if reading.keeps_rows:
        return replace(found, schema=schema, read=read)
    return replace(found, schema=schema, rows=None, read=read, lines=None)


def _of_place(source: Any, place: Place, as_written: bool, reading: Reading) -> Batches:
    files = parts_of(place)
    before = FileStates.of([file for file in files if isinstance(file, Path)])
    of_files = format_of_all(files, place)
    of_files.refuse_choices(files[0].name, chosen_with(source))
    parts = [_of_one(of_files, file, as_written, reading) for file in files]
    refuse_different_columns(files, [part.schema for part in parts])
    counts = [part.rows for part in parts]

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        for part in parts:
            yield from part.read(rows_at_once)
            before.insist()

    rows = None if None in counts else sum(count or 0 for count in counts)
    lines = parts[0].lines if len(parts) == 1 else None
    return Batches(parts[0].schema, rows, read, lines, all(part.repeats for part in parts))


def _of_one(found: TableFormat, place: Place, as_written: bool, reading: Reading) -> Batches:
    if as_written and found is CSV_FORMAT and isinstance(place, Path):
        return release_batches(place)
    try:
        return found.batches(place, UNLIMITED, reading)
    except PermissionError:
        raise cannot_be_opened(place) from None
