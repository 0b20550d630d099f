"""All formats that tables are read in, and which of them a file has."""

from collections.abc import Sequence
from pathlib import Path

from shoal.errors import ShoalError
from shoal.table.databases.address import DatabaseAddress
from shoal.table.databases.database_file import DATABASE_FILE
from shoal.table.databases.postgres_tables import POSTGRES
from shoal.table.files.file_endings import JSON_LINES, TEXT
from shoal.table.files.json_file import first_rows_of_json, read_json_lines
from shoal.table.files.packed_text import file_kind
from shoal.table.formats.arrow_format import ARROW_FORMAT
from shoal.table.formats.csv_format import CSV_FORMAT
from shoal.table.formats.excel_format import EXCEL_FORMAT
from shoal.table.formats.parquet_format import PARQUET_FORMAT
from shoal.table.formats.study_format import STUDY_FORMAT
from shoal.table.formats.table_format import TableFormat, whole

FORMATS: tuple[TableFormat, ...] = (
    CSV_FORMAT,
    PARQUET_FORMAT,
    STUDY_FORMAT,
    whole(JSON_LINES, read_json_lines, first_rows_of_json),
    ARROW_FORMAT,
    EXCEL_FORMAT,
    DATABASE_FILE,
)


def format_of(place: Path | DatabaseAddress) -> TableFormat:
    """The format of a file of this name, or of a database; one that no format has is refused."""
    if isinstance(place, DatabaseAddress):
        return POSTGRES
    kind = file_kind(place)
    if place.suffix.lower() == ".zip" and kind not in TEXT:
        what = f"{place.name} holds no table that is text"
        raise ShoalError(what, "pack CSV or JSON lines, or unpack it and give the table inside.")
    for one in FORMATS:
        if kind in one.endings:
            return one
    known = " ".join(ending for one in FORMATS for ending in one.endings)
    raise ShoalError(
        f"{place.name} has a name that does not say how to read it",
        f"save it as CSV or Parquet; shoal reads {known} (text also with .gz or .zip).",
    )


def format_of_all(places: Sequence[Path | DatabaseAddress], folder: object) -> TableFormat:
    """The format of files that are one table."""
    found = [format_of(place) for place in places]
    if any(one is not found[0] for one in found):
        hint = "give a folder of files of one format."
        raise ShoalError(f"{str(folder)!r} holds files of several kinds", hint)
    return found[0]
