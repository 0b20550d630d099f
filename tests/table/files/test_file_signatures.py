"""Files that are not what their names say."""

import bz2
import gzip
import lzma
import sqlite3
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.profile.preview import preview
from shoal.table.read import read_table

TEXT = b"a,b\n1,2\n"


def zipped(**members: bytes) -> bytes:
    content = BytesIO()
    with ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return content.getvalue()


def tarred() -> bytes:
    content = BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("t.csv"))
    return content.getvalue()


def parquet_bytes() -> bytes:
    content = BytesIO()
    parquet.write_table(pa.table({"a": [1]}), content)
    return content.getvalue()


def database(tmp_path: Path) -> bytes:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
    connection.close()
    return path.read_bytes()


def duckdb_file(tmp_path: Path) -> bytes:
    import duckdb

    duckdb.connect(str(tmp_path / "x.duckdb")).close()
    return (tmp_path / "x.duckdb").read_bytes()


MADE: dict[str, Callable[[Path], bytes]] = {
    "a zip archive": lambda _: zipped(t_csv=TEXT),
    "a spreadsheet": lambda _: zipped(xl__workbook_xml=b"<x/>"),
    "an Office document": lambda _: zipped(word__document_xml=b"<x/>"),
    "gzip": lambda _: gzip.compress(TEXT),
    "bzip2": lambda _: bz2.compress(TEXT),
    "xz": lambda _: lzma.compress(TEXT),
    "zstd": lambda _: pa.compress(TEXT, "zstd", asbytes=True),
    "Parquet": lambda _: parquet_bytes(),
    "an SQLite database": database,
    "a DuckDB database": duckdb_file,
    "a tar archive": lambda _: tarred(),
    "a web page": lambda _: b"<!DOCTYPE html>\n<title>Log in</title>\n",
    "a program": lambda _: b"\x7fELF\x02\x01\x01" + bytes(60),
    "an image": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(60),
    "a PDF document": lambda _: b"%PDF-1.7\n%secret\n",
}


@pytest.mark.parametrize("what", MADE)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
@pytest.mark.parametrize("read", [read_table, preview])
def test_a_file_of_another_kind_is_refused_by_what_it_is(
    what: str, name: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(MADE[what](tmp_path))
    with pytest.raises(ShoalError) as refused:
        read(tmp_path / name)
    assert refused.value.faults[0].what == f"{name} is {what}, not text"
    assert refused.value.faults[0].hint


def test_an_open_document_is_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(zipped(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"))
    with pytest.raises(
        ShoalError, match=r"t.csv is a spreadsheet, not text\nHint: let its name end in .xlsx"
    ):
        read_table(path)


def test_the_content_of_a_packed_file_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(zipped(t_csv=TEXT)))
    with pytest.raises(ShoalError, match=r"t.csv.gz is a zip archive, not text"):
        read_table(tmp_path / "t.csv.gz")


def test_a_zip_archive_is_not_gzip_either(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(zipped(t_csv=TEXT))
    with pytest.raises(ShoalError, match=r"t.csv.gz is a zip archive, not gzip"):
        read_table(tmp_path / "t.csv.gz")


def test_a_spreadsheet_is_not_parquet_either(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(zipped(xl__workbook_xml=b"<x/>"))
    with pytest.raises(ShoalError, match=r"t.parquet is a spreadsheet, not Parquet"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("header", ["PK,BZ,GIF", "Rar,7z", "MZ,II", "ORCID,pay", "species,DUCK", "BZhou,x"])
def test_columns_may_have_names_that_begin_alike(header: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\n" + ",".join("1" * (header.count(",") + 1)) + "\n")
    assert read_table(tmp_path / "t.csv").names == header.split(",")
