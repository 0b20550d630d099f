"""The engine on Spark: tables larger than one machine.

The work folder must be seen by the driver and by every worker, as must the files that are read and written.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from shoal.engines.csv_pieces import (
    blocks_of,
    csv_pieces,
    dialect_of,
    in_encoding,
    look_at_block,
)
from shoal.engines.file_pieces import ROW_FIELD, Piece, parquet_pieces, plain_schema
from shoal.engines.output import INPUT, LINK, EngineOutput, public_columns, public_schema
from shoal.engines.protocol import Change
from shoal.engines.spark.column_types import arrow_schema, spark_columns
from shoal.engines.spark.part_files import (
    OURS,
    PartFileView,
    file_name,
    remove_folder,
    sync_files,
    write_parts,
    write_views,
)
from shoal.engines.spark.rows import SparkRows, SparkWorkspace
from shoal.engines.spark.tasks import FromFrame, PlainColumns, WithMore
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.errors import ShoalError
from shoal.table.columns.numbered_rows import ROW
from shoal.table.databases.address import DatabaseAddress
from shoal.table.files.csv_file import release_dialect
from shoal.table.files.file_endings import CSV, PARQUET
from shoal.table.files.file_states import FileStates
from shoal.table.files.header import no_rows, refuse_column_names
from shoal.table.files.packed_text import file_kind
from shoal.table.files.parquet_file import parquet_batches, parquet_head
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.formats.registry import format_of
from shoal.table.read import table_files
from shoal.table.rules.rule_faults import joined_places, located_rule_faults, unreadable_places
from shoal.table.source import chosen_with, place_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LINK_ROWS = 500_000
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # it would bring all parts into one task
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # packets
    "spark.sql.execution.arrow.useLargeVarTypes": "true",  # those of a part may be more than 2 GB
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",  # compiling Java for each step takes longer than to move packets
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


class SparkEngine:
    """Rows on Spark; used in a ``with`` block, after which nothing of them is left in the work folder."""

    def __init__(self, session: "SparkSession", work: Path, part_rows: int) -> None:
        own = session.newSession()  # the user's settings stay as they are
        for name, value in SETTINGS.items():
            own.conf.set(name, value)
        self._place = SparkWorkspace(own, Path(tempfile.mkdtemp(prefix="shoal-", dir=work)), part_rows)

    @property
    def part_rows(self) -> int:
        return self._place.part_rows

    def __enter__(self) -> "SparkEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        remove_folder(self._place.folder)

    def read(self, source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> SparkRows:
        """A Parquet or CSV file, a folder of such files in the order of their names, or a Spark frame. Rules
        change rows where they are read, in the tasks."""
        rows = self._read(source, as_written, reading)
        if not reading.rules:
            return rows
        if not reading.keeps_rows:
            raise ShoalError(
                "[prepare] leave_out is not for Spark, where every row keeps its number",
                "leave these rows out of the table first, or use --engine disk.",
            )
        _refuse_unreadable(rows, reading)
        return rows.map(reading.ruled, reading.ruled(rows.schema.empty_table()).schema)

    def _read(self, source: Any, as_written: bool, reading: Reading) -> SparkRows:
        place = place_of(source)
        if place is None:
            return self._read_frame(source)
        files = spark_table_files(place)
        format_of(files[0]).refuse_choices(files[0].name, chosen_with(source))
        before = FileStates.of(files)
        if file_kind(files[0]) in CSV:
            return self._read_csv(files, as_written, reading, before)
        return self._read_parquet(files, before)

    def write(self, rows: SparkRows, path: Path) -> EngineOutput:
        """Parquet files in a new folder, which appears when all of them are written."""
        if path.suffix != ".parquet":
            raise ShoalError("Spark writes Parquet only", "use --format parquet.")
        link, views = self._place.new_folder(), _views(rows.schema)
        folders = zip((path, link), views, strict=True)
        found = write_views(rows, [PartFileView(folder, *view) for folder, view in folders], _statistics_of)
        files = [file_name(place) for place in range(max(len(found), 1))]
        sync_files([path / name for name in files])
        links = [link / name for name in files]
        return EngineOutput(
            path,
            tuple(f"{path.name}/{name}" for name in files),
            sum(one.rows for one in found),
            PartStatistics.read(text for one in found for text in one.statistics),
            lambda: _link_batches(links),
            partial(_linked, links),
        )

    def published_frame(self, data: Path, session: "SparkSession") -> "DataFrame":
        """What was written, on the user's own session, row by row in the order of the files."""
        rows = self.read(data)
        shown = rows.map(
            partial(pa.Table.drop_columns, columns=[ROW]), rows.schema.remove(len(rows.schema) - 1)
        )
        place = replace(self._place, session=session)
        return self.frame(replace(shown, place=place, frame=place.numbers(rows.tasks)))

    def frame(self, rows: SparkRows) -> "DataFrame":
        """The rows as a frame of Spark's, which computes them when it is used."""
        names = [f"c{place}" for place in range(len(rows.schema.names))]
        columns = spark_columns(rows.schema, names)
        frame = rows.place.mapped(rows.frame, PlainColumns(rows.tables, tuple(names)), columns)
        return frame.toDF(*rows.schema.names)

    def _read_parquet(self, files: list[Path], *before: FileStates) -> SparkRows:
        schema = plain_schema(parquet_head(files[0])[0])
        for file in files[1:]:
            if not plain_schema(parquet_head(file)[0]).equals(schema):
                raise _unlike(file, files[0])
        pieces, rows = list[Piece](), 0
        for file in files:
            pieces += parquet_pieces(file, rows)
            rows = sum(piece.rows for piece in pieces)
        return self._of_pieces(pieces, schema, files[0].name, *before)

    def _read_csv(
        self, files: list[Path], as_written: bool, reading: Reading, before: FileStates
    ) -> SparkRows:
        dialects = [release_dialect(file) if as_written else dialect_of(file, reading) for file in files]
        blocks = [blocks_of(file, dialect) for file, dialect in zip(files, dialects, strict=True)]
        found = iter(
            self._place.each([block for of_file in blocks for block in of_file], look_at_block, before)
        )
        pieces, rows, names = list[Piece](), 0, list[list[str]]()
        for of_file, dialect in zip(blocks, dialects, strict=True):
            seen = [next(found) for _ in of_file]
            encoded = in_encoding(of_file, seen, reading)
            pieces += csv_pieces(encoded, seen, rows)
            rows = sum(piece.rows for piece in pieces)
            names.append((encoded[0].dialect if encoded else dialect).columns)
        for file, columns in zip(files, names, strict=True):
            if columns != names[0]:
                raise _unlike(file, files[0])
        schema = pa.schema([(name, pa.string()) for name in names[0]])
        return self._of_pieces(pieces, schema, files[0].name, before)

    def _read_frame(self, frame: "DataFrame") -> SparkRows:
        """Stored once as it is: Spark may compute it in another order the next time."""
        schema = arrow_schema(frame.schema)
        plain = frame.toDF(*(f"c{place}" for place in range(len(schema.names))))
        before = FileStates.of(local_files(frame.inputFiles()))
        rows = SparkRows(self._place, plain, 1, FromFrame(schema), schema, 0, (before,))
        refuse_column_names(schema.names, "the frame")
        return self._read_parquet(write_parts(rows, self._place.new_folder(), OURS))

    def _of_pieces(self, pieces: list[Piece], schema: pa.Schema, name: str, *before: FileStates) -> SparkRows:
        refuse_column_names(schema.names, name)
        if not pieces:
            raise no_rows(name)
        return self._place.of_pieces(pieces, schema.append(ROW_FIELD), before)


def _linked(link: list[Path], published: SparkRows) -> SparkRows:
    """The files of the link have the rows of the published files, in the same groups."""
    more = tuple(piece for file in link for piece in parquet_pieces(file, first=None))
    schema = pa.schema([*published.schema, *LINK_KEPT])
    return replace(published, tables=WithMore(published.tables, more), schema=schema).map(
        partial(pa.Table.drop_columns, columns=[CLASS]), published.schema.append(LINK_KEPT.field(INPUT))
    )


LINK_KEPT = pa.schema([(INPUT, pa.int64()), (CLASS, pa.int64())])


def _refuse_unreadable(rows: SparkRows, reading: Reading) -> None:
    found = rows.fold(partial(unreadable_places, reading), joined_places) or {}
    if found:
        raise ShoalError(located_rule_faults(found, rows.rows))


def _views(schema: pa.Schema) -> list[tuple[Change, pa.Schema]]:
    """What everybody may see, and beside it row by row what is the owner's."""
    return [(public_columns, public_schema(schema)), (_link, LINK_KEPT)]


def _link(table: pa.Table) -> pa.Table:
    return pa.table([table.column(ROW), table.column(CLASS)], schema=LINK_KEPT)


def _statistics_of(table: pa.Table) -> list[str]:
    return list(table.column(STATISTICS).drop_null().to_pylist())


def _link_batches(files: list[Path]) -> Iterator[pa.Table]:
    """Batches of the link, in the order of the published rows."""
    done = 0
    for file in files:
        for table in parquet_batches(file, LINK_ROWS):
            numbers = pa.array(range(done, done + len(table)), pa.int64())
            done += len(table)
            yield pa.table([numbers, *table.columns], schema=LINK)


def spark_table_files(place: Path | DatabaseAddress) -> list[Path]:
    """The file, or those of a folder in the order of their names."""
    files = table_files(place) if isinstance(place, Path) else []
    kinds = {"text" if (kind := file_kind(file)) in CSV else kind for file in files}
    if len(kinds) != 1 or not kinds <= {"text", *PARQUET}:
        raise ShoalError(
            f"{place.name} is no table that Spark reads",
            "give CSV or Parquet files, of one kind; --engine disk reads the others.",
        )
    return files


def local_files(addresses: Iterable[str]) -> list[Path]:
    """Files of a frame that this machine sees, by Spark's addresses.

    >>> local_files(["file:///no/such%20table.csv", "s3://store/table.csv"])
    []
    """
    found = (urlsplit(address) for address in addresses)
    files = [Path(unquote(one.path)) for one in found if one.scheme in ("", "file")]
    return [file for file in files if file.is_file()]


def _unlike(file: Path, first: Path) -> ShoalError:
    hint = "the files of a folder are one table: each needs the same columns in the same order."
    return ShoalError(f"{file.name} does not have the columns of {first.name}", hint)
