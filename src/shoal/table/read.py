"""Read a table from a file, a folder of files, a database or a frame."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns, plain_types
from shoal.table.files.file_states import refuse_changes
from shoal.table.files.frames import Restore, arrow_from_frame
from shoal.table.files.header import no_rows, refuse_column_names
from shoal.table.files.limits import Limits
from shoal.table.files.long_cells import refuse_long_columns
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.files.small_file import refuse_not_plain
from shoal.table.formats.registry import format_of_all
from shoal.table.formats.table_format import TableFormat
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.source import Place, chosen_with, place_of, reading_of_source, source_name
from shoal.table.source import Source as Source
from shoal.table.table import Table


def read_table(source: Source, limits: Limits | None = None, reading: Reading = AS_IT_LOOKS) -> Table:
    """A table from a file, a folder of files with the same columns, a database, or a frame.

    A table larger than the limits, by default those of the memory there is, is refused. ``reading`` is what
    its owner says of it; `ChosenTable` says which sheet or table is meant where there are several.

    >>> import pyarrow as pa
    >>> read_table(pa.table({"age": [30, 41]})).names
    ['age']
    """
    return read_with_restore(source, limits, reading)[0]


def read_with_restore(
    source: Source, limits: Limits | None = None, reading: Reading = AS_IT_LOOKS
) -> tuple[Table, Restore]:
    """The table, and how to give a result back in the source's own kind (paths: Arrow)."""
    table, restore = read_unruled(source, limits, reading)
    return _ruled(table, rules_to_apply(source, reading), source), restore


def read_unruled(source: Source, limits: Limits | None, reading: Reading) -> tuple[Table, Restore]:
    """The same before the rules are applied that are still to apply."""
    restore: Restore = lambda table: table  # noqa: E731
    if isinstance(source, Table):
        return Table(source.arrow, source.lines, rules=source.rules), restore
    place = place_of(source)
    if place is None:
        arrow, restore = arrow_from_frame(source)
        table = Table(plain_types(arrow))
    else:
        table = _read_place(source, place, limits or Limits.of_machine(), reading)
    refuse_no_table(table, source_name(source))
    return table, restore


def rules_to_apply(source: Source, reading: Reading) -> Reading:
    """The reading with the rules that the rows of a source have not gone through: all of them, but none of a
    table that was read by them before. A table that was read by others is not the one that is meant."""
    applied = source.rules if isinstance(source, Table) else ()
    if not applied:
        return reading
    if applied != reading.rules:
        what = "the table was read by other [types], codes of [missing] or [prepare] than are asked for now"
        raise ShoalError(what, "give the file or the frame from which it was read.")
    return reading.as_written


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
        raise all_left_out(source)
    return Table(rows, table.lines if reading.keeps_rows else None, rules=reading.rules)


def all_left_out(source: Source) -> ShoalError:
    """The error for a table of which the rules keep no row."""
    what = f"[prepare] leave_out leaves no row of {source_name(source)}"
    return ShoalError(what, "correct the condition: rows of which it is true are left out.")


def _read_place(source: Source, place: Place, limits: Limits, reading: Reading) -> Table:
    files, meant = parts_of(place), reading_of_source(source, reading)
    of_files = format_of_all(files, place)
    of_files.refuse_choices(files[0].name, chosen_with(source))
    with refuse_changes([file for file in files if isinstance(file, Path)]):
        tables = [_read_one(of_files, file, limits, meant) for file in files]
    if len(tables) == 1:
        return tables[0]
    found = [decode_columns(table.arrow, table.names).replace_schema_metadata() for table in tables]
    refuse_different_columns(files, [one.schema for one in found])
    together = pa.concat_tables(found)
    limits.refuse_cells(place.name, together.num_rows, together.num_columns)
    limits.refuse_bytes(place.name, together.nbytes)
    return Table(together)


def _read_one(found: TableFormat, place: Place, limits: Limits, reading: Reading) -> Table:
    try:
        return found.read(place, limits, reading)
    except PermissionError:
        raise cannot_be_opened(place) from None


def cannot_be_opened(place: Place) -> ShoalError:
    """The error for a file that may not be read."""
    return ShoalError(f"{str(place)!r} cannot be opened", "check its permissions.")


def refuse_odd_name(path: Path) -> None:
    """A name may be any bytes; the libraries that read and write files want text."""
    if any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise ShoalError(f"the name {str(path)!r} is no text in UTF-8", "rename it, or choose another.")


def parts_of(place: Place) -> Sequence[Place]:
    """The files that are read one after the other, or the database."""
    return table_files(place) if isinstance(place, Path) else [place]


def table_files(path: Path) -> list[Path]:
    """The file, or the files of a folder in the order of their names; hidden ones are no part of it."""
    refuse_odd_name(path)
    if not path.exists():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the table.")
    refuse_not_plain(path)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] not in "._")
    if not files:
        raise ShoalError(f"{str(path)!r} holds no files", "give a file, or a folder of files of one kind.")
    return files


def refuse_different_columns(files: Sequence[Place], schemas: list[pa.Schema]) -> None:
    """Refuse files that are not parts of one table."""
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise ShoalError(
                f"{file.name} has other columns than {files[0].name}",
                "give a folder of files with the same columns, in the same order and of the same types.",
            )


def refuse_no_table(table: Table, name: str) -> None:
    """Refuse a table without columns or rows, or with two columns of the same name."""
    refuse_column_names(table.names, name)
    refuse_long_columns(table.arrow, name)
    if len(table) == 0:
        raise no_rows(name)
