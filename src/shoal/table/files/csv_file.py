"""CSV files: the dialect is found from the first lines, every cell is read as text.

Reading text keeps what is published "as it is" to the letter: 007 stays 007, and no cell is
guessed to be a date. Columns become numbers only where a policy needs them.
"""

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import csv as arrow_csv

from shoal.display import sized
from shoal.errors import ShoalError
from shoal.table.files.bounded_text import BoundedText, bounded_lines, first_bytes, not_plain
from shoal.table.files.header import JUDGED_ROWS, column_names, no_rows, with_row_name
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.packed_text import is_packed
from shoal.table.files.quote_parity import QuoteParity
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.files.utf8_stream import Utf8Stream
from shoal.table.files.watched_text import QuoteCheck, WatchedText, joined_files_error
from shoal.table.source_lines import SourceLines
from shoal.table.table import SHOWN_ROWS, Table

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 18
BLOCK_BYTES = 8 << 20

Found = TypeVar("Found")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written: encoding, delimiter, quotes and header."""

    encoding: str
    delimiter: str
    quote: str
    names: tuple[str, ...]
    blank_lines: int = 0  # before the first row
    as_written: bool = False  # by shoal
    header: bool = True  # the first row is the names
    multiline: tuple[str, ...] = ()  # columns whose cells may hold what looks like rows

    @property
    def columns(self) -> list[str]:
        """The names without spaces around them, which only shoal itself writes on purpose."""
        return list(self.names if self.as_written else with_row_name([name.strip() for name in self.names]))

    @property
    def first_line(self) -> int:
        """The line of the first row below the names."""
        names = 1 + sum(name.count("\n") for name in self.names) if self.header else 0
        return self.blank_lines + 1 + names


def read_csv(path: Path, limits: Limits, reading: Reading = AS_IT_LOOKS) -> Table:
    """Read a CSV file as text in the first encoding that fits all of it."""

    def read(encoding: str) -> Table:
        dialect = sniff(path, encoding, reading)
        _refuse_large(path, dialect, limits)
        try:
            arrow = _load(path, dialect, limits)
        except pa.ArrowInvalid as error:
            if "UTF8" in str(error):
                raise UnicodeError from None
            raise _explained(path, dialect, limits) from None
        return Table(arrow.rename_columns(dialect.columns), SourceLines(dialect.first_line, multiline=True))

    return in_fitting_encoding(path, read)


def first_rows_of_csv(
    path: Path, limits: Limits, count: int, reading: Reading = AS_IT_LOOKS
) -> tuple[tuple[str, ...], list[list[str]]]:
    """The names and the first rows of a file, as text, without a look at the rest of it."""

    def read(encoding: str) -> tuple[tuple[str, ...], list[list[str]]]:
        dialect = sniff(path, encoding, reading)
        limits.refuse_cells(path.name, 1, len(dialect.names))
        return tuple(dialect.columns), _first_rows(path, dialect, limits, count)

    return in_fitting_encoding(path, read)


def in_fitting_encoding(path: Path, read: Callable[[str], Found], kinds: Iterable[str] = ()) -> Found:
    """What is read of a file in the first encoding that fits: of these, or of those that it may have."""
    for encoding in kinds or encodings(path):
        with suppress(UnicodeError):
            return read(encoding)
    raise not_text(path)


def not_text(path: Path) -> ShoalError:
    """The error for a file that no encoding can read."""
    return ShoalError(f"{path.name} is not text", "save the table as CSV in UTF-8.")


def _first_rows(path: Path, dialect: Dialect, limits: Limits, count: int) -> list[list[str]]:
    lines = islice(bounded_lines(path, dialect.encoding, limits), dialect.blank_lines, None)
    text = (line if at else line.removeprefix("\ufeff") for at, line in enumerate(lines))
    rows = csv.reader(text, delimiter=dialect.delimiter, quotechar=dialect.quote)
    width, found = len(dialect.names), list[list[str]]()
    try:
        if dialect.header:
            next(rows)
        for row in rows:
            cells = row or [""]
            if len(cells) == width:
                found.append(cells)
            elif row:
                line = dialect.blank_lines + rows.line_num
                one_more = not found and len(row) == width + 1
                raise _ragged(path, width, f"line {line} has {len(row)} cells", one_more)
            if len(found) == count:
                break
    except csv.Error:
        raise ShoalError(f"{path.name} cannot be read as CSV", "check its quotes and line ends.") from None
    return found


def read_plain_csv(path: Path) -> Table:
    """CSV as shoal writes it: UTF-8, commas, double quotes."""
    dialect, limits = release_dialect(path), Limits.of_machine()
    try:
        return Table(_load(path, dialect, limits), SourceLines(dialect.first_line, multiline=True))
    except pa.ArrowInvalid:
        raise _explained(path, dialect, limits) from None


def release_dialect(path: Path) -> Dialect:
    """The dialect of CSV as shoal writes it, with the names of this file."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            names = tuple(next(csv.reader(file), ()))
    except UnicodeDecodeError:
        raise not_text(path) from None
    if names and names[0].startswith("\ufeff"):  # which Arrow would take away, and then miss the name
        what = f"{path.name} begins with the mark of an encoding, which no release has"
        raise ShoalError(what, "ask for the original release.")
    return Dialect("utf-8", ",", '"', names, as_written=True)


def encodings(path: Path) -> tuple[str, ...]:
    """UTF-16 by its mark; otherwise UTF-8, and Windows-1252 for what is not UTF-8."""
    start = first_bytes(path, 2)
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return ("utf-16",)
    return ("utf-8", "cp1252")


def sniff(path: Path, encoding: str = "utf-8", reading: Reading = AS_IT_LOOKS) -> Dialect:
    """Delimiter and quote from the sample's most regular reading, names from the first line or the owner."""
    sample = first_bytes(path, SAMPLE_BYTES)
    text = codecs.getincrementaldecoder(encoding)().decode(sample).removeprefix("\ufeff")
    if "\0" in text:
        raise not_plain(path)
    if not text.strip():
        raise ShoalError(f"{path.name} is empty", "give a CSV file with a header line and rows.")
    lines = list(StringIO(text, newline=""))
    blank = next(place for place, line in enumerate(lines) if line.strip("\r\n"))
    lines = lines[blank:]
    if len(sample) == SAMPLE_BYTES:
        lines = lines[:-1]
    if not lines:
        what = f"the first line of {path.name} is longer than {sized(SAMPLE_BYTES)}"
        raise ShoalError(what, "give a header line with the names of the columns, and one line per row.")
    quote = "'" if lines[0].lstrip().startswith("'") and '"' not in lines[0] else '"'
    delimiter = max(DELIMITERS, key=lambda mark: _regularity(lines, mark, quote))
    rows = csv.reader(lines, delimiter=delimiter, quotechar=quote)
    try:
        first = tuple(next(rows))
    except csv.Error:
        what = f"the first line of {path.name} cannot be read"
        raise ShoalError(what, "close every quote in the first line.") from None
    _refuse_long_names(path, first, delimiter)
    if len(first) == 1 and not (reading.header or reading.names) and _are_apart_by_blanks(lines):
        what = f"the delimiter of {path.name} was not recognized: its lines look separated by blanks"
        raise ShoalError(what, "shoal reads commas, semicolons, tabs and vertical bars: write it with one of "
                               "these, in R by write.csv. If it is one column, say --header.")  # fmt: skip
    names = column_names(path.name, first, _rows_below(rows), reading)
    return Dialect(
        encoding,
        delimiter,
        quote,
        names,
        blank,
        header=not reading.without_header,
        multiline=reading.multiline,
    )


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


def _are_apart_by_blanks(lines: list[str]) -> bool:
    """Do all lines have as many parts, as R's write.table writes them? The first one may lack the name of the
    rows. Two words without quotes may be a name, in a table of one column."""
    try:
        rows = csv.reader(lines, delimiter=" ", skipinitialspace=True)
        widths = [len([cell for cell in row if cell]) for row in rows if row]
    except csv.Error:
        return False
    if len(widths) < 2 or len(set(widths[1:])) != 1 or widths[1] - widths[0] not in (0, 1):
        return False
    return widths[1] > 2 or (widths[1] == 2 and lines[0].count('"') == 2 * widths[0])


def _refuse_long_names(path: Path, first: tuple[str, ...], delimiter: str) -> None:
    """Names over several lines, with as many delimiters as there are names, are rows behind a quote."""
    for place, name in enumerate(first, 1):
        if ("\n" in name or "\r" in name) and name.count(delimiter) >= len(first) - 1:
            raise ShoalError(
                f"the first line of {path.name} opens a quote at position {place} that takes in other lines",
                "close the quote, or take it away.",
            )


def _rows_below(rows: Any) -> list[list[str]]:
    try:
        return list(islice(rows, JUDGED_ROWS))
    except csv.Error:
        return []


def _refuse_large(path: Path, dialect: Dialect, limits: Limits) -> None:
    """What can be told without reading: a packed file is watched while it is read."""
    columns = len(dialect.names)
    limits.refuse_cells(path.name, 1, columns)
    if is_packed(path):
        return
    size = path.stat().st_size
    limits.refuse_bytes(path.name, size)
    refuse_odd_bytes(path, dialect)
    if size > limits.cells:  # only then can it have more cells: each takes a byte
        with BoundedText(path, limits, columns) as watched:
            while watched.read():
                pass


def refuse_odd_bytes(path: Path, dialect: Dialect) -> None:
    """Bytes that no table has: NUL, and the mark of a file's start at the start of a later line."""
    if is_packed(path) or dialect.encoding == "utf-16":
        return  # watched while it is read
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if content.find(b"\0") >= 0:
            raise not_plain(path)
        place = content.find(codecs.BOM_UTF8[:1], 1)  # a single byte is found fastest
        place = place if place < 0 else content.find(codecs.BOM_UTF8, place)
        while place > 0:
            if content[place - 1] in b"\r\n":
                raise joined_files_error(path)
            place = content.find(codecs.BOM_UTF8, place + 1)


def _load(path: Path, dialect: Dialect, limits: Limits) -> pa.Table:
    quotes = _quotes_in(path, dialect)
    return arrow_csv.read_csv(_content(path, dialect, limits, quotes), **_options(dialect, quotes))


def csv_batches(path: Path, dialect: Dialect) -> Iterator[pa.Table]:
    """The rows of a file of any length, some at a time."""
    quotes = _quotes_in(path, dialect)
    options = _options(dialect, quotes, block_size=BLOCK_BYTES)
    try:
        with arrow_csv.open_csv(_content(path, dialect, UNLIMITED, quotes), **options) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch]).rename_columns(dialect.columns)
    except pa.ArrowInvalid:
        raise _explained(path, dialect, UNLIMITED) from None


def _content(path: Path, dialect: Dialect, limits: Limits, quotes: bool) -> Any:
    if not quotes and dialect.encoding == "utf-8":
        return path.absolute()  # ~ is a name
    return text_of(path, dialect, limits)


def text_of(path: Path, dialect: Dialect, limits: Limits) -> pa.PythonFile:
    """The text of a file in UTF-8, for Arrow, watched while it is read."""
    content: Any
    if is_packed(path):
        content = BoundedText(path, limits, len(dialect.names), plain=dialect.encoding != "utf-16")
    else:
        content = path.open("rb")
    text = Utf8Stream(content, dialect.encoding)
    return pa.PythonFile(WatchedText(text, path, quote_check(path, dialect), dialect.as_written), mode="r")


def quote_check(path: Path, dialect: Dialect) -> QuoteCheck:
    """What looks at the quotes of a file."""
    if dialect.as_written:
        return QuoteParity(path.name)
    from shoal.table.files.csv_quotes import QuotedCells  # which loads Numba: only where there are quotes

    return QuotedCells(path.name, dialect.columns, dialect.quote, dialect.delimiter, dialect.multiline)


def _options(dialect: Dialect, quotes: bool, block_size: int | None = None) -> dict[str, Any]:
    return {
        "read_options": arrow_csv.ReadOptions(
            skip_rows=dialect.blank_lines,
            block_size=block_size,
            column_names=None if dialect.header else dialect.names,
        ),
        "parse_options": parse_options(dialect, quotes),
        "convert_options": convert_options(dialect.names),
    }


def parse_options(dialect: Dialect, newlines_in_cells: bool) -> arrow_csv.ParseOptions:
    """The options with which Arrow parses a file of this dialect."""
    return arrow_csv.ParseOptions(
        delimiter=dialect.delimiter,
        quote_char=dialect.quote,
        newlines_in_values=newlines_in_cells,
        ignore_empty_lines=len(dialect.names) > 1,  # in a single column they are missing cells
    )


def convert_options(names: Iterable[str]) -> arrow_csv.ConvertOptions:
    """Every cell as text; an empty one that is not in quotes is missing."""
    return arrow_csv.ConvertOptions(
        column_types={name: pa.string() for name in names},
        strings_can_be_null=True,
        null_values=[""],
        quoted_strings_can_be_null=False,
    )


def _quotes_in(path: Path, dialect: Dialect) -> bool:
    """Only a cell in quotes can hold a line end; without any, a file is read in parts at once."""
    if is_packed(path):
        return True
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(dialect.quote.encode()) >= 0


def _explained(path: Path, dialect: Dialect, limits: Limits) -> ShoalError:
    """Read once more, slowly, to say which lines are ragged; never what they hold."""
    width, lines, ragged, one_more, shown = len(dialect.names), 0, 0, 0, []
    try:
        refuse_quotes(path, dialect, limits)
        text = bounded_lines(path, dialect.encoding, limits)
        rows = csv.reader(text, delimiter=dialect.delimiter, quotechar=dialect.quote)
        for row in rows:
            lines += bool(row)
            if row and len(row) != width:
                ragged += 1
                one_more += len(row) == width + 1
                if ragged <= SHOWN_ROWS:
                    shown.append(f"line {rows.line_num} has {len(row)}")
    except ShoalError as too_much:
        return too_much
    except (csv.Error, UnicodeDecodeError):
        ragged = 0
    if lines == 1 and dialect.header:
        return no_rows(path.name)
    if not ragged:
        return ShoalError(f"{path.name} cannot be read as CSV", "check its quotes and line ends.")
    more = f" and {ragged - SHOWN_ROWS:,} more" if ragged > SHOWN_ROWS else ""
    return _ragged(path, width, "; ".join(shown) + f" cells{more}", one_more == lines - 1)


def refuse_quotes(path: Path, dialect: Dialect, limits: Limits) -> None:
    """Look for a quote that is at fault, where Arrow has given up before the stream came to its end."""
    with text_of(path, dialect, limits) as text:
        while text.read(BLOCK_BYTES):
            pass


def _ragged(path: Path, width: int, lines: str, one_more: bool = False) -> ShoalError:
    """With ``one_more`` cell in all rows than there are names, R wrote names of rows without a header."""
    what = f"the header of {path.name} has {width} columns, but {lines}"
    if one_more:
        return ShoalError(
            f"{what}: the first column, of row names perhaps, has no name",
            "put a name and a delimiter in front of the first line; in R, write.table(..., col.names = NA) "
            "or row.names = FALSE does it.",
        )
    return ShoalError(
        what,
        "every row needs as many cells as the header; quote cells that contain the delimiter, "
        "and close every quote.",
    )
