"""CSV files: the dialect is found from the first lines, every cell is read as text.

Reading text keeps what is published "as it is" to the letter: 007 stays 007, and no cell is
guessed to be a date. Columns become numbers only where a policy needs them.
"""

import codecs
import csv
import gzip
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
from pyarrow import csv as arrow_csv

from shoal.errors import Fault, ShoalError
from shoal.table.table import SHOWN_ROWS, Table

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 18


@dataclass(frozen=True)
class Dialect:
    encoding: str
    delimiter: str
    quote: str
    names: tuple[str, ...]
    blank_lines: int = 0  # before the header

    @property
    def first_line(self) -> int:
        """The line of the first row."""
        return self.blank_lines + 2 + sum(name.count("\n") for name in self.names)


def read_csv(path: Path) -> Table:
    for encoding in _encodings(path):
        try:
            dialect = sniff(path, encoding)
            arrow = _load(path, dialect)
        except UnicodeDecodeError:
            continue
        except pa.ArrowInvalid as error:
            if "UTF8" in str(error):
                continue
            raise _explained(path, dialect) from None
        names = [name.strip() for name in dialect.names]
        return Table(arrow.rename_columns(names), dialect.first_line, multiline=True)
    raise ShoalError(f"{path.name} is not text", "save the table as CSV in UTF-8.")


def read_plain_csv(path: Path) -> Table:
    """CSV as shoal writes it: UTF-8, commas, double quotes."""
    with path.open(encoding="utf-8", newline="") as file:
        names = tuple(next(csv.reader(file), ()))
    dialect = Dialect("utf-8", ",", '"', names)
    try:
        return Table(_load(path, dialect), dialect.first_line, multiline=True)
    except pa.ArrowInvalid:
        raise _explained(path, dialect) from None


def _encodings(path: Path) -> tuple[str, ...]:
    """UTF-16 by its mark; otherwise UTF-8, and Windows-1252 for what is not UTF-8."""
    start = _first_bytes(path, 2)
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return ("utf-16",)
    return ("utf-8", "cp1252")


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with _opened(path) as file:
            return file.read(count)
    except (gzip.BadGzipFile, EOFError):
        raise ShoalError(
            f"{path.name} ends in .gz but is not gzip", "rename the file, or compress it again."
        ) from None


def sniff(path: Path, encoding: str = "utf-8") -> Dialect:
    """Delimiter and quote from the sample's most regular reading, names from the first line."""
    sample = _first_bytes(path, SAMPLE_BYTES)
    text = codecs.getincrementaldecoder(encoding)().decode(sample).removeprefix("\ufeff")
    if not text.strip():
        raise ShoalError(f"{path.name} is empty", "give a CSV file with a header line and rows.")
    lines = list(StringIO(text, newline=""))
    blank = next(place for place, line in enumerate(lines) if line.strip("\r\n"))
    lines = lines[blank:]
    if len(sample) == SAMPLE_BYTES and len(lines) > 1:
        lines = lines[:-1]
    quote = "'" if lines[0].lstrip().startswith("'") and '"' not in lines[0] else '"'
    delimiter = max(DELIMITERS, key=lambda mark: _regularity(lines, mark, quote))
    names = tuple(next(csv.reader(lines, delimiter=delimiter, quotechar=quote)))
    _check_names(path, [name.strip() for name in names])
    return Dialect(encoding, delimiter, quote, names, blank)


def _regularity(lines: list[str], delimiter: str, quote: str) -> tuple[float, int]:
    """Share of rows with as many cells as the header, then how many cells that is."""
    try:
        rows = csv.reader(lines, delimiter=delimiter, quotechar=quote)
        widths = [len(row) for row in rows if row]
    except csv.Error:
        return (-1.0, 0)
    if widths[0] < 2:
        return (0.0, 1)
    return (sum(width == widths[0] for width in widths) / len(widths), widths[0])


def _check_names(path: Path, names: list[str]) -> None:
    faults = []
    unnamed = [str(place) for place, name in enumerate(names, 1) if not name]
    if unnamed:
        what = f"the header of {path.name} has no name at position {', '.join(unnamed)}"
        faults.append(Fault(what, "name every column in the first line."))
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        what = f"the header of {path.name} names {', '.join(map(repr, twice))} more than once"
        faults.append(Fault(what, "give every column a name of its own."))
    if faults:
        raise ShoalError(faults)


def _load(path: Path, dialect: Dialect) -> pa.Table:
    return arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(encoding=dialect.encoding, skip_rows=dialect.blank_lines),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            newlines_in_values=_quotes_in(path, dialect),
            ignore_empty_lines=len(dialect.names) > 1,  # in a single column they are missing cells
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in dialect.names},
            strings_can_be_null=True,
            null_values=[""],
            quoted_strings_can_be_null=False,
        ),
    )


def _quotes_in(path: Path, dialect: Dialect) -> bool:
    """Only a cell in quotes can hold a line end; without any, a file is read in parts at once."""
    if path.suffix == ".gz":
        return True
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(dialect.quote.encode()) >= 0


def _explained(path: Path, dialect: Dialect) -> ShoalError:
    """Read once more, slowly, to say which lines are ragged; never what they hold."""
    width = len(dialect.names)
    try:
        with TextIOWrapper(_opened(path), dialect.encoding, newline="") as file:
            rows = csv.reader(file, delimiter=dialect.delimiter, quotechar=dialect.quote)
            cells = [(rows.line_num, len(row)) for row in rows if row]
    except (csv.Error, UnicodeDecodeError):
        cells = []
    if len(cells) == 1:
        return ShoalError(f"{path.name} has a header but no rows", "give a table with rows.")
    ragged = [(line, count) for line, count in cells if count != width]
    if not ragged:
        return ShoalError(f"{path.name} cannot be read as CSV", "check its quotes and line ends.")
    shown = "; ".join(f"line {line} has {count}" for line, count in ragged[:SHOWN_ROWS])
    more = f" and {len(ragged) - SHOWN_ROWS:,} more" if len(ragged) > SHOWN_ROWS else ""
    return ShoalError(
        f"the header of {path.name} has {width} columns, but {shown} cells{more}",
        "every row needs as many cells as the header; quote cells that contain the delimiter, "
        "and close every quote.",
    )
