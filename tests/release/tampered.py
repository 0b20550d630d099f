"""Releases of every family and format, and what somebody does to them before sealing them again."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import csv, parquet

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.integrity.manifest import FILE_NAME, file_hash, fingerprint
from shoal.release.large_release import release_large
from shoal.table.files.data_file import write_data

ROWS = 48
PEOPLE = pa.table(
    {
        "name": [f"Zaphod-{row:03d}" for row in range(ROWS)],
        "age": [20 + row * 7 % 40 for row in range(ROWS)],
        "town": [("Ulm", "Rom", "Kiel", "Bonn", "Bern", "Gent")[row * row % 6] for row in range(ROWS)],
        "pay": [1000 + 50 * (row * 11 % 37) for row in range(ROWS)],
        "illness": [("flu", "cold", "gout", "ague")[row % 4] for row in range(ROWS)],
    }
)
ROLES = {"name": "identifier", "age": "quasi", "town": "quasi", "pay": "sensitive", "illness": "sensitive"}
NUMBERS = ROLES | {"town": "other", "pay": "quasi"}
TREE = {"south": ["Ulm", "Rom", "Bern"], "north": ["Kiel", "Bonn", "Gent", "Oslo"]}
K = {"kind": "k-anonymity", "k": 3}
DIVERSE = {"kind": "l-diversity", "l": 2, "sensitive": "illness"}


def policy_of(family: str) -> shoal.Policy:
    """A policy whose method publishes cells of this kind."""
    labels = {"age": {"intervals": [10, 20, 40]}, "town": {"tree": TREE}}
    plain: dict[str, dict[str, Any]] = {
        "ranges": {
            "columns": NUMBERS,
            "guarantees": [{"kind": "kf-anonymity", "k": 4, "knows": ["age + pay"]}],
        },
        "labels": {"hierarchies": labels, "guarantees": [K, DIVERSE], "method": {"name": "datafly"}},
        "sets": {"guarantees": [K, DIVERSE], "method": {"name": "mondrian"}},
        "local": {"hierarchies": labels, "guarantees": [K], "method": {"name": "cluster"}},
        "stars": {"guarantees": [K], "method": {"name": "suppress-cells"}},
        "means": {"guarantees": [K], "method": {"name": "mdav"}},
        "permuted": {"guarantees": [{"kind": "ke-anonymity", "k": 3, "e": 100, "sensitive": "pay"}]},
    }
    return shoal.Policy(**{"columns": ROLES} | plain[family])


def disk(temp: Path) -> DiskEngine:
    return DiskEngine.with_memory(10**9, temp, RowProgress(lambda *_: None))


def write_release(family: str, kind: str, folder: Path) -> None:
    """``kind`` is csv or parquet, from memory or (disk-csv, disk-parquet) from disk, or in parts."""
    engine, _, format = kind.rpartition("-")
    if engine:
        release_large(disk(folder.parent), PEOPLE, policy_of(family), folder, format)
    else:
        shoal.anonymize(PEOPLE, policy_of(family)).write(folder, "parquet" if format == "parts" else format)
    if format == "parts":
        _in_parts(folder)


def _in_parts(folder: Path) -> None:
    """As Spark writes it: a folder of files in place of one."""
    table = parquet.read_table(folder / "data.parquet")
    (folder / "data.parquet").unlink()
    (folder / "data.parquet").mkdir()
    for number, start in enumerate((0, 20)):
        part = table.slice(start, 20 if number == 0 else None)
        parquet.write_table(part, folder / "data.parquet" / f"part-{number:05d}.parquet")
    seal(folder)


def seal(folder: Path, change: Callable[[dict[str, Any]], Any] = lambda _: None) -> None:
    """Write the manifest again with the fingerprints of all files that are there: anybody can do that."""
    content = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != FILE_NAME]
    content["files"] = {str(path.relative_to(folder)): file_hash(path) for path in files}
    change(content)
    content.pop("sha256")
    sealed = json.dumps(content | {"sha256": fingerprint(content)}, indent=2) + "\n"
    (folder / FILE_NAME).write_text(sealed, encoding="utf-8")


def with_table(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the data, or its first part, whatever its format."""
    data = next(path for path in (folder / "data.csv", folder / "data.parquet") if path.exists())
    if data.is_dir():
        data = min(data.iterdir())
    if data.suffix == ".parquet":
        parquet.write_table(change(parquet.read_table(data)), data)
        return
    kinds = csv.ConvertOptions(
        column_types={name: pa.string() for name in csv.read_csv(data).column_names}, strings_can_be_null=True
    )
    write_data(change(csv.read_csv(data, convert_options=kinds)), data)


def in_database(folder: Path, statement: str) -> None:
    with duckdb.connect(str(folder / "release.duckdb")) as connection:
        connection.execute(statement)


@dataclass(frozen=True)
class Tampering:
    """What is done to the files, and to the manifest after that."""

    name: str
    files: Callable[[Path], Any] = lambda _: None
    manifest: Callable[[dict[str, Any]], Any] = lambda _: None

    def apply(self, original: Path, folder: Path) -> Path:
        shutil.copytree(original, folder)
        self.files(folder)
        seal(folder, self.manifest)
        return folder


def _column(name: str, cells: list[Any] | None = None) -> Callable[[Path], None]:
    def add(table: pa.Table) -> pa.Table:
        return table.append_column(name, pa.array((cells or PEOPLE["name"].to_pylist())[: len(table)]))

    return lambda folder: with_table(folder, add)


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: with_table(folder, lambda table: table.drop_columns([name]))


def _cells(name: str, cells: Callable[[pa.Table], list[Any]]) -> Callable[[Path], None]:
    """Other cells in a column."""

    def replaced(table: pa.Table) -> pa.Table:
        return table.set_column(table.column_names.index(name), name, pa.array(cells(table)))

    return lambda folder: with_table(folder, replaced)


def _first_eight(name: str, cell: str, others: str) -> Callable[[Path], None]:
    """Some records, enough to form a class, show something else than the rest."""
    return _cells(name, lambda table: [*[cell] * 8, *[others] * (len(table) - 8)])


def _first(name: str, cell: str, others: str) -> Callable[[Path], None]:
    return _cells(name, lambda table: [cell, *[others] * (len(table) - 1)])


def _database(statement: str) -> Callable[[Path], None]:
    return lambda folder: in_database(folder, statement)


def _of_another_engine(folder: Path) -> None:
    """A database that DuckDB reads with an extension only, which it would fetch."""
    (folder / "release.duckdb").unlink()
    with sqlite3.connect(folder / "release.duckdb") as connection:
        connection.execute("CREATE TABLE data (age INTEGER)")
    connection.close()


def _with_help(folder: Path) -> None:
    [path] = folder.glob("help.*")
    if path.suffix == ".csv":
        first, second, rest = path.read_text().split("\n", 2)
        path.write_text("\n".join([first, f"9{second}", rest]))
        return
    table = parquet.read_table(path)
    hits = table.column_names.index("hits")
    parquet.write_table(table.set_column(hits, "hits", pa.array([9] * len(table), table["hits"].type)), path)


def _respelled(name: str, respell: Callable[[str], str]) -> Callable[[Path], None]:
    """The first cell in which it makes a difference, in other letters for the same value."""

    def cells(table: pa.Table) -> list[Any]:
        found = table[name].to_pylist()
        row = next(row for row, cell in enumerate(found) if isinstance(cell, str) and respell(cell) != cell)
        return [*found[:row], respell(found[row]), *found[row + 1 :]]

    return _cells(name, cells)


def _parquet(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        data = folder / "data.parquet"
        data = min(data.iterdir()) if data.is_dir() else data
        data.write_bytes(change(data.read_bytes()))

    return apply


def _lines(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Other bytes of data.csv."""

    def apply(folder: Path) -> None:
        data = folder / "data.csv"
        data.write_bytes(change(data.read_bytes()))

    return apply


def _footer(content: bytes) -> int:
    """Where the footer of a Parquet file begins."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def _before_footer(content: bytes) -> bytes:
    return content[: _footer(content)] + b"Zaphod" + content[_footer(content) :]


def _before_footer_of_another(content: bytes) -> bytes:
    """The same in a file that says that it is of another version."""
    version = re.search(rb"parquet-cpp-arrow version \d+", content)
    assert version is not None
    return _before_footer(content).replace(version[0], version[0][:-1] + b"1")


def _unused_entry(type_is_stored: bool) -> Callable[[Path], None]:
    """Somebody in the dictionary of a column whom no row refers to."""

    def apply(folder: Path) -> None:
        data = folder / "data.parquet"
        data = min(data.iterdir()) if data.is_dir() else data
        table = parquet.read_table(data)
        cells = table["illness"].combine_chunks().dictionary_encode()
        words = pa.concat_arrays([cells.dictionary, pa.array(["Zaphod"])])
        column = pa.DictionaryArray.from_arrays(cells.indices, words)
        changed = table.set_column(table.column_names.index("illness"), "illness", column)
        parquet.write_table(changed, data, store_schema=type_is_stored)

    return apply


def _with_quotes(content: bytes) -> bytes:
    """Around the last cell of a row that needs none."""
    header, rows = content.split(b"\n", 1)
    return header + b"\n" + re.sub(rb"(?m),(\w+)$", rb',"\1"', rows, count=1)


def _metadata(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata({"who": "Zaphod"})


def _field_metadata(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([field.with_metadata({"who": "Zaphod"}) for field in table.schema]))


def _behind_the_blocks(folder: Path) -> None:
    with (folder / "release.duckdb").open("ab") as file:
        file.write(b"Zaphod")


def _set(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content.update(values)


def _first_verdict(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["verdicts"][0].update(values)


def _better(content: dict[str, Any]) -> None:
    content["verdicts"][0]["achieved"]["k"] += 40


def _more_asked(content: dict[str, Any]) -> None:
    """A promise that the table does not keep, with the verdict that belongs to it."""
    content["policy"]["guarantees"][0]["k"] = 47
    for one in (content["verdicts"][0]["asked"], content["verdicts"][0]["achieved"]):
        one["k"] = 47


def _label(content: dict[str, Any]) -> None:
    """A leaf that nobody shows, as manifests once named all."""
    shown = content["policy"]["hierarchies"]["town"]["shown"]
    shown["labels"].append({"label": "Ulm-Wiblingen", "leaves": 1, "groups": [9] * shown["height"]})


def _all_leaves(content: dict[str, Any]) -> None:
    content["policy"]["hierarchies"]["town"] = {"tree": TREE}


def _published_identifier(content: dict[str, Any]) -> None:
    content["policy"]["columns"]["name"] = "other"


WOULD_READ = (
    "CREATE MACRO pg_read_file(name) AS name; "
    "CREATE VIEW leak AS SELECT pg_read_file('/etc/hostname') AS read"
)
EMPTIED = """
    CREATE TABLE people AS SELECT md5('Zaphod' || i) AS name FROM range(50000) AS r(i); CHECKPOINT;
    CREATE TABLE kept AS FROM data; DROP TABLE data; ALTER TABLE kept RENAME TO data; CHECKPOINT;
    DROP TABLE people; CHECKPOINT
"""
SWAP = "CREATE TABLE kept AS FROM data; DROP TABLE data; CREATE VIEW data AS FROM kept"
ANY_FAMILY = (
    Tampering("an identifier is added", _column("name")),
    Tampering("an unknown column is added", _column("diagnosis")),
    Tampering("a column is gone", _without("illness")),
    Tampering("a record is gone", lambda f: with_table(f, lambda table: table.slice(1))),
    Tampering("a record is twice there", lambda f: with_table(f, lambda t: pa.concat_tables([t, t[:1]]))),
    Tampering("the records are 5", manifest=_set(records=5)),
    Tampering("the records are no number", manifest=_set(records=float("nan"))),
    Tampering("the records are true", manifest=_set(records=True)),
    Tampering("more were suppressed than allowed", manifest=_set(suppressed=1000)),
    Tampering("less than nobody was suppressed", manifest=_set(suppressed=-1)),
    Tampering("the verdict tells more", manifest=_better),
    Tampering("the sentence tells more", manifest=_first_verdict(sentence="Everybody is safe.")),
    Tampering("the worst classes are larger", manifest=_first_verdict(worst=[47, 48])),
    Tampering("there is no verdict", manifest=_set(verdicts=[])),
    Tampering("the limits are gone", manifest=_set(does_not_protect_against=[])),
    Tampering(
        "another version tells more",
        manifest=lambda content: (content.update(software="shoal 0.0.1"), _better(content)),
    ),
    Tampering("another method is named", manifest=_set(method="rank-swap")),
    Tampering("more is asked than is kept", manifest=_more_asked),
    Tampering("a file of somebody else is listed", lambda f: (f / "names.csv").write_text("name\nZaphod\n")),
    Tampering("the manifest tells something else", manifest=_set(certified="by nobody")),
    Tampering("an identifier is said to be published", manifest=_published_identifier),
)
OF_FORMAT = {
    "csv": (
        Tampering(
            "a cell in quotes that needs none",
            _lines(lambda c: re.sub(rb"(?m),(\w+)$", rb',"\1"', c, count=1)),
        ),
        Tampering("a mark at the start", _lines(lambda content: b"\xef\xbb\xbf" + content)),
        Tampering("another line end", _lines(lambda content: content.replace(b"\n", b"\r\n", 2))),
        Tampering("other line ends", _lines(lambda content: content.replace(b"\n", b"\r\n"))),
        Tampering("a blank line at the end", _lines(lambda content: content + b"\n")),
        Tampering("a blank line", _lines(lambda content: content.replace(b"\n", b"\n\n", 3))),
        Tampering("no line end at the end", _lines(lambda content: content[:-1])),
        Tampering("a byte of nothing at the end", _lines(lambda content: content + b"\0")),
        Tampering("a blank behind a word", _lines(lambda content: content.replace(b"flu", b"flu ", 1))),
    ),
    "parquet": (
        Tampering("metadata", lambda f: with_table(f, _metadata)),
        Tampering("metadata of columns", lambda f: with_table(f, _field_metadata)),
        Tampering("bytes before the footer", _parquet(_before_footer)),
        Tampering("bytes before the footer of another version", _parquet(_before_footer_of_another)),
        Tampering(
            "another writer", _parquet(lambda content: content.replace(b"parquet-cpp", b"Zaphod-cpp-"[:11]))
        ),
        Tampering("an unused entry of a dictionary", _unused_entry(type_is_stored=False)),
        Tampering("an unused entry of a dictionary that Arrow knows", _unused_entry(type_is_stored=True)),
        Tampering("a blank behind a word", _respelled("illness", lambda cell: f"{cell}\u200b")),
    ),
}
OF_FAMILY = {
    "ranges": (
        Tampering("names among ranges", _first_eight("age", "Zaphod", "[20, 59]")),
        Tampering("a range is wider", _first("pay", "[0, 99999]", "[1000, 2800]")),
        Tampering("another spelling of a range", _respelled("age", lambda cell: cell.replace(", ", ","))),
    ),
    "labels": (
        Tampering("a leaf is named that nobody shows", manifest=_label),
        Tampering("all leaves are named", manifest=_all_leaves),
        Tampering("a cell is no label", _cells("town", lambda t: ["Zaphod"] * len(t))),
        Tampering("another spelling of a range", _respelled("age", lambda cell: cell.replace("]", ".0]"))),
    ),
    "local": (
        Tampering("a leaf is named that nobody shows", manifest=_label),
        Tampering("a cell is no label", _cells("town", lambda t: ["Zaphod"] * len(t))),
        Tampering("names among intervals", _first_eight("age", "Zaphod", "[20, 59]")),
        Tampering("another spelling of an interval", _respelled("age", lambda cell: cell.replace("[", "[ "))),
        Tampering("a label as a set of one", _respelled("town", lambda cell: f"{{{cell}}}")),
    ),
    "sets": (
        Tampering("names among ranges", _first_eight("age", "Zaphod", "[20, 59]")),
        Tampering("an exact town in one record", _first("town", "Ulm", "*")),
        Tampering("another spelling of a range", _respelled("age", lambda cell: cell.replace(", ", ".."))),
        Tampering("a word as a set of one", _respelled("town", lambda cell: f"{{{cell}}}")),
    ),
    "stars": (
        Tampering("ranges in place of stars", _cells("age", lambda t: [{"lo": 20, "hi": 59}] * len(t))),
        Tampering("a star is lifted", _first("town", "Oslo", "*")),
    ),
    "means": (
        Tampering("ranges among means", _first_eight("age", "[20, 59]", "30")),
        Tampering("a mean of its own", _first("age", "7", "30")),
        Tampering("another spelling of a mean", _respelled("age", lambda cell: f"+{cell}")),
    ),
    "permuted": (
        Tampering(
            "another spelling of a group",
            _cells(
                "shoal_group",
                lambda t: [f"0{t['shoal_group'][0]}", *map(str, t["shoal_group"].to_pylist()[1:])],
            ),
        ),
        Tampering("bytes behind the blocks", _behind_the_blocks),
        Tampering("empty blocks", _database(EMPTIED)),
        Tampering("no groups", _without("shoal_group")),
        Tampering("groups without numbers", _cells("shoal_group", lambda t: ["x"] * len(t))),
        Tampering("one group", _cells("shoal_group", lambda t: [1] * len(t))),
        Tampering("a foreign table", _database("CREATE TABLE people AS SELECT 'Zaphod' AS name")),
        Tampering("a foreign view", _database("CREATE VIEW leak AS SELECT 1 AS one FROM data")),
        Tampering(
            "a view that reads a file",
            _database("CREATE OR REPLACE VIEW mapping AS FROM read_text('/etc/hostname')"),
        ),
        Tampering("a view that would run in PostgreSQL", _database(WOULD_READ)),
        Tampering(
            "a view in the place of the data",
            _database(SWAP),
        ),
        Tampering("a foreign function", _database("CREATE MACRO told() AS 'Zaphod'")),
        Tampering("a foreign column", _database("ALTER TABLE data ADD COLUMN name VARCHAR")),
        Tampering("a comment", _database("COMMENT ON TABLE data IS 'Zaphod'")),
        Tampering("another cell", _database("UPDATE data SET age = 99 WHERE rowid = 0")),
        Tampering("other lists", _database("UPDATE groups SET pay_mean = pay_mean + 1")),
        Tampering("no lists", _database("DELETE FROM groups")),
        Tampering("the data alone is changed", _cells("age", lambda t: [44] * len(t))),
        Tampering("no database", lambda f: (f / "release.duckdb").unlink()),
        Tampering("the help table is changed", _with_help),
        Tampering("a database of another engine", _of_another_engine),
    ),
}
