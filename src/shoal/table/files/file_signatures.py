"""Files that are not what their names say: archives, documents and programs named like tables."""

import re
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from shoal.errors import ShoalError

UNPACK = "unpack it, and give the table inside."
EXPORT = "export its table as CSV or Parquet."
NO_TABLE = "give a table: CSV, Parquet or JSON lines."

SIGNS: tuple[tuple[bytes, str, str], ...] = (  # how it begins, what it is, what to do
    (rb"PK\x03\x04", "a zip archive", UNPACK),
    (rb"PK\x05\x06", "an empty zip archive", UNPACK),
    (rb"\x1f\x8b", "gzip", "let its name end in .gz, or unpack it."),
    (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "bzip2", UNPACK),
    (rb"\xfd7zXZ\x00", "xz", UNPACK),
    (rb"\x28\xb5\x2f\xfd", "zstd", UNPACK),
    (rb"\x04\x22\x4d\x18", "lz4", UNPACK),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (rb"Rar!\x1a\x07", "a rar archive", UNPACK),
    (rb".{257}ustar[\x00 ]", "a tar archive", UNPACK),
    (rb"PAR1", "Parquet", "let its name end in .parquet."),
    (rb"ARROW1\x00\x00", "an Arrow file", "let its name end in .arrow or .feather."),
    (rb"ORC[\x00-\x08\x0e-\x1f\x80-\xff]", "an ORC file", EXPORT),
    (rb"Obj\x01", "an Avro file", EXPORT),
    (rb"SQLite format 3\x00", "an SQLite database", "let its name end in .sqlite."),
    (rb".{8}DUCK..\x00\x00", "a DuckDB database", "let its name end in .duckdb."),
    (rb"\x89HDF\r\n", "an HDF5 file", EXPORT),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document", "save its sheet as CSV or .xlsx."),
    (rb"\$FL[23]", "an SPSS file", "let its name end in .sav."),
    (rb".{8}ENCRYPTEDSAV", "an SPSS file with a password", "save it without one."),
    (rb"<stata_dta>", "a Stata file", "let its name end in .dta."),
    (rb"\x00{12}\xc2\xea\x81\x60", "a SAS file", "let its name end in .sas7bdat."),
    (rb"HEADER RECORD\*{7}LIB", "a SAS transport file", "let its name end in .xpt."),
    (rb"%PDF-", "a PDF document", EXPORT),
    (rb"\{\\rtf", "a text document (RTF)", EXPORT),
    (rb"\s*<(?i:!doctype html|html)[\s>]", "a web page", "download the file itself, not the page about it."),
    (rb"\x89PNG\r\n", "an image", NO_TABLE),
    (rb"\xff\xd8\xff", "an image", NO_TABLE),
    (rb"GIF8[79]a", "an image", NO_TABLE),
    (rb"RIFF.{4}WEBP", "an image", NO_TABLE),
    (rb"II\*\x00|MM\x00\*", "an image", NO_TABLE),
    (rb"\x7fELF", "a program", NO_TABLE),
    (rb"MZ.[\x00-\x08]", "a program", NO_TABLE),
    (rb"\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe", "a program", NO_TABLE),
)
START = 512  # bytes that are enough to tell
SHEETS = ("xl/workbook.xml", "xl/workbook.bin")
OPEN_DOCUMENT = "application/vnd.oasis.opendocument.spreadsheet"


def refuse_disguised(path: Path, start: bytes, expected: str = "text") -> None:
    """Refuse a file whose content begins as another kind of file does; ``start`` may be unpacked content.

    >>> refuse_disguised(Path("pay.csv"), b"%PDF-1.7")
    Traceback (most recent call last):
    shoal.errors.ShoalError: pay.csv is a PDF document, not text
    Hint: export its table as CSV or Parquet.
    """
    for sign, what, hint in SIGNS:
        if what == expected or not re.match(sign, start, re.DOTALL):
            continue
        if what == "a zip archive":
            what, hint = _kind_of_zip(path, hint)
        raise ShoalError(f"{path.name} is {what}, not {expected}", hint)


def _kind_of_zip(path: Path, hint: str) -> tuple[str, str]:
    """Office documents are zip archives too; only the list of names is read, and one short file."""
    try:
        with ZipFile(path) as archive:
            names = set(archive.namelist())
            if names.intersection(SHEETS) or _declared(archive, names) == OPEN_DOCUMENT:
                return "a spreadsheet", "let its name end in .xlsx or .ods, or save its sheet as CSV."
            if "word/document.xml" in names or "ppt/presentation.xml" in names:
                return "an Office document", EXPORT
    except (OSError, ValueError, NotImplementedError, RuntimeError, BadZipFile):
        pass
    return "a zip archive", hint


def _declared(archive: ZipFile, names: set[str]) -> str:
    if "mimetype" not in names:
        return ""
    with archive.open("mimetype") as file:
        return file.read(len(OPEN_DOCUMENT) + 1).decode("ascii", "replace").strip()
