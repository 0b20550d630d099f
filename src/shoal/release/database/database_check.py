"""The database and the help table of a permuted release, made again from its data and compared.

Whoever changes a release can change these files too. So nothing in them is believed: tables, views, types and
every cell must be what the data gives. Views in a file that came from elsewhere are compared as text,
and never run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import sqlglot
from duckdb import DuckDBPyConnection
from sqlglot.errors import SqlglotError

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.permuted.database import attach, closed_engine, lock
from shoal.query.schema import COUNTED
from shoal.query.sql_text import sql_text
from shoal.release.data.parquet_form import parquet_faults
from shoal.release.database.database_file import DATABASE, Batches, write_database_files
from shoal.release.postgres.columns import quote_name

Declared = dict[str, list[tuple[object, ...]]]
CLOSE = 1e-9  # averages that were added up in another order
CATALOGUE = {
    "tables": ("duckdb_tables()", "table_name, comment"),
    "columns": (
        "duckdb_columns()",
        "table_name, column_index, column_name, data_type, column_default, comment",
    ),
    "views": ("duckdb_views()", "view_name, comment, sql"),
    "schemas": ("duckdb_schemas()", "schema_name"),
    "functions": ("duckdb_functions()", "function_name"),
    "types": ("duckdb_types()", "type_name"),
    "sequences": ("duckdb_sequences()", "sequence_name"),
    "indexes": ("duckdb_indexes()", "index_name"),
    "constraints": ("duckdb_constraints()", "table_name, constraint_text"),
}
UNMARKED = ("sequences", "indexes", "constraints")  # which are never internal
REAL = ("DOUBLE", "FLOAT")
HEADS = 3 * 4096  # bytes before the first block
BLOCKS = "SELECT block_size, total_blocks FROM pragma_database_size() WHERE database_name = $name"
IN_CATALOGUE = "SELECT block_id FROM pragma_metadata_info($name)"
IN_TABLE = (
    "SELECT [block_id] || coalesce(additional_block_ids, []) FROM pragma_storage_info($name) WHERE persistent"
)


def database_faults(folder: Path, batches: Batches, whole: bool, policy: Policy, format: str) -> list[str]:
    """How the files beside the data differ from what the data gives. The database of a table beyond memory
    counts values that repeat, so it is made again as such."""
    in_memory = whole and not _has_counts(folder / DATABASE)
    with TemporaryDirectory(prefix="shoal-verify-") as temporary:
        place = Path(temporary)
        write_database_files(batches, in_memory, policy, place, format)
        help_name = f"help.{format}"
        faults = [] if _same_database(folder / DATABASE, place / DATABASE) else [DATABASE]
        faults += [] if _same_help(folder / help_name, place / help_name) else [help_name]
    return [f"{name} is not what the data gives" for name in faults]


def _same_help(given: Path, rebuilt: Path) -> bool:
    if given.stat().st_size == rebuilt.stat().st_size and given.read_bytes() == rebuilt.read_bytes():
        return True
    if given.suffix != ".parquet":
        return False
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(given) as one, parquet.ParquetFile(rebuilt) as other:
            if parquet_faults(given):
                return False
            same = one.schema_arrow.equals(other.schema_arrow, check_metadata=True)
            if not same or one.metadata.num_rows != other.metadata.num_rows:
                return False
            pairs = zip(one.iter_batches(), other.iter_batches(), strict=True)
            return all(left.equals(right) for left, right in pairs)
    except (pa.ArrowException, OSError, ValueError):
        return False


@contextmanager
def _attached(**files: Path) -> Iterator[DuckDBPyConnection]:
    """Databases by their names here, closed to everything else before anything is looked at."""
    with closed_engine() as connection:
        for name, path in files.items():
            attach(connection, path, name)
        lock(connection)
        yield connection


def _has_counts(database: Path) -> bool:
    try:
        with _attached(given=database) as connection:
            return COUNTED in _tables(connection, "given")
    except duckdb.Error:
        return False  # which the comparison finds


def _same_database(given: Path, rebuilt: Path) -> bool:
    try:
        with _attached(given=given, rebuilt=rebuilt) as connection:
            tables = _tables(connection, "given")
            without = "" if COUNTED in tables else COUNTED  # a database made in memory does without
            declared = _catalogue(connection, "given"), _catalogue(connection, "rebuilt", without)
            if declared[0] != declared[1] and _in_one_spelling(declared[0]) != _in_one_spelling(declared[1]):
                return False
            files = {"given": given, "rebuilt": rebuilt}
            spare = [_spare_bytes(connection, name, file.stat().st_size) for name, file in files.items()]
            if spare[0] > spare[1]:
                return False
            return all(_same_rows(connection, name) for name in tables)
    except duckdb.OutOfMemoryException:
        raise ShoalError(
            "the database of the release is too large to be compared", "free some memory, then try again."
        ) from None
    except duckdb.Error:
        return False


def _spare_bytes(connection: DuckDBPyConnection, database: str, size: int) -> int:
    """How much of a file holds neither rows nor the catalogue: blocks that are free, and what lies behind the
    last one. Something else could be there."""
    [(block, blocks)] = connection.execute(BLOCKS, {"name": database}).fetchall()
    used = {number for (number,) in connection.execute(IN_CATALOGUE, {"name": database}).fetchall()}
    for table in _tables(connection, database):
        place = {"name": f"{database}.main.{quote_name(table)}"}
        used |= {number for row in connection.execute(IN_TABLE, place).fetchall() for number in row[0]}
    return size - HEADS - int(block) * len(used & set(range(blocks)))


def _catalogue(connection: DuckDBPyConnection, database: str, without: str = "") -> Declared:
    """Everything that a database declares, but one table; views by their text."""
    found = {}
    for what, (table, columns) in CATALOGUE.items():
        own = "" if what in UNMARKED else "AND NOT internal"
        statement = f"SELECT {columns} FROM {table} WHERE database_name = $database {own} ORDER BY ALL"
        rows = connection.execute(statement, {"database": database}).fetchall()
        found[what] = [row for row in rows if row[0] != without]
    return found


def _in_one_spelling(declared: Declared) -> Declared:
    """Another version of the engine may write the same views with other spaces and parentheses."""
    return declared | {"views": [(*row[:-1], _spelled(str(row[-1]))) for row in declared["views"]]}


def _spelled(text: str) -> str:
    try:
        return sql_text(sqlglot.parse_one(text, read="duckdb"))
    except SqlglotError:
        return text


def _tables(connection: DuckDBPyConnection, database: str) -> list[str]:
    statement = "SELECT table_name FROM duckdb_tables() WHERE database_name = $database AND NOT internal"
    return [name for (name,) in connection.execute(statement, {"database": database}).fetchall()]


def _same_rows(connection: DuckDBPyConnection, table: str) -> bool:
    """Row by row: both were written in the order of their groups."""
    places = [f"{database}.main.{quote_name(table)}" for database in ("given", "rebuilt")]
    counts = [connection.execute(f"SELECT count(*) FROM {place}").fetchall() for place in places]
    if counts[0] != counts[1]:
        return False
    described = connection.execute(f"DESCRIBE {places[1]}").fetchall()
    differs = " OR ".join(_differs(quote_name(name), kind) for name, kind, *_ in described)
    joined = f"{places[0]} AS one POSITIONAL JOIN {places[1]} AS other"
    found = connection.execute(f"SELECT 1 FROM {joined} WHERE {differs} LIMIT 1").fetchall()
    return not found


def _differs(column: str, kind: str) -> str:
    one, other = f"one.{column}", f"other.{column}"
    differs = f"{one} IS DISTINCT FROM {other}"
    if kind not in REAL:
        return differs
    far = f"abs({one} - {other}) > {CLOSE} * greatest(abs({one}), abs({other}))"
    return f"({differs} AND coalesce({far}, true))"
