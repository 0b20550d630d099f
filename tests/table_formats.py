"""One table in every format that there is, as people have it: with numbers, decimals, dates, words, gaps."""

import csv
import sqlite3
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import duckdb
import psycopg
import pyarrow as pa
import xlsxwriter
from pyarrow import feather, parquet

from tests.postgres import Server

NAMES = ("id", "age", "pay", "share", "born", "town")
KINDS = ("integer", "integer", "numeric(9, 2)", "double precision", "date", "text")
TOWNS = ("Köln", "Bern", None, 'the "Hill", east', "007", "Graz")
ROWS = tuple(
    (
        number,
        20 + number * 7 % 40,
        (100_000 + number * 137 % 1000 * 100 + 25) / 100,
        number % 8 / 8 if number % 9 else None,
        date(1950, 1, 31) + timedelta(days=37 * (number % 20)),
        TOWNS[number % len(TOWNS)],
    )
    for number in range(1, 61)
)
POLICY = """
[columns]
id    = "identifier"
age   = "quasi"
pay   = "quasi"
share = "other"
born  = "quasi"
town  = "sensitive"

[leaks]
accept = ["share", "town"]

[[guarantees]]
kind = "k-anonymity"
k = 4
"""


def write_csv(path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        for row in ROWS:
            writer.writerow([f"{cell:g}" if cell in (0.0, 1.0) else cell for cell in row])


def write_zip(path: Path) -> None:
    write_csv(path.with_suffix(".csv"))
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.write(path.with_suffix(".csv"), "folder/table.csv")


def write_xlsx(path: Path) -> None:
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet("People")
        for at, row in enumerate((NAMES, *ROWS)):
            sheet.write_row(at, 0, row)


def arrow_table() -> pa.Table:
    return pa.table(dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)))


def write_arrow(path: Path) -> None:
    table = arrow_table()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table, max_chunksize=7)


def write_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "create table people (id integer, age integer, pay real, share real, born text, town)"
        )
        rows = [tuple(cell.isoformat() if isinstance(cell, date) else cell for cell in row) for row in ROWS]
        connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", rows)
    connection.close()


def write_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        kinds = ("double" if kind.startswith("numeric") else kind for kind in KINDS)
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(NAMES, kinds, strict=True))
        connection.execute(f"create table people ({columns})")
        connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", ROWS)


WRITE: dict[str, Callable[[Path], None]] = {
    "table.csv": write_csv,
    "table.zip": write_zip,
    "table.xlsx": write_xlsx,
    "table.feather": lambda path: feather.write_feather(arrow_table(), path, chunksize=7),
    "table.arrow": write_arrow,
    "table.parquet": lambda path: parquet.write_table(arrow_table(), path, row_group_size=7),
    "table.sqlite": write_sqlite,
    "table.duckdb": write_duckdb,
}


def written(folder: Path, name: str) -> Path:
    """The table in the format of a name in WRITE."""
    WRITE[name](folder / name)
    return folder / name


def load_into(server: Server, schema: str) -> None:
    """The table ``people`` in a schema of a PostgreSQL server."""
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(NAMES, KINDS, strict=True))
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"create schema {schema}")
        connection.execute(f"create table {schema}.people ({columns})")
        with connection.cursor() as cursor:
            cursor.executemany(f"insert into {schema}.people values (%s, %s, %s, %s, %s, %s)", ROWS)
