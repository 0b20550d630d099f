"""How a release is exported: the spelling of a CSV file, ends of ranges, and where labels come from."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from shoal.errors import Fault, ShoalError, refuse_faults
from shoal.table.files.bounded_text import bounded_lines, first_bytes
from shoal.table.files.csv_file import Dialect, first_rows_of_csv, in_fitting_encoding, sniff
from shoal.table.files.limits import UNLIMITED
from shoal.table.files.reading import Reading

JUDGED_ROWS = 1000
NAMES_FIRST = Reading(header=True)
WITH_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
WITH_POINT = re.compile(r"\s*[+-]?\d+\.\d+\s*")


@dataclass(frozen=True)
class ExportForm:
    """``escape``: words that a spreadsheet would run as a formula get an apostrophe in front. ``ends``: the
    ends of ranges in columns of their own. ``labels``: a file of SPSS or Stata that says what codes mean.
    All but the last two are about CSV alone.

    >>> ExportForm(delimiter=";", decimal=",").is_for_csv
    True
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    escape: bool = True
    ends: bool = False
    labels: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        refuse_faults(self._faults())

    @property
    def is_for_csv(self) -> bool:
        """Does it ask for what only a CSV file has?"""
        return replace(self, ends=False, labels=None) != ExportForm()

    def spelled(self, delimiter: str | None, decimal: str | None, encoding: str | None) -> "ExportForm":
        """The form with what is given; ``tab`` is a delimiter, too.

        >>> ExportForm().spelled("tab", None, None).delimiter == chr(9)
        True
        """
        mark = "\t" if delimiter == "tab" else delimiter
        return replace(
            self,
            delimiter=mark or self.delimiter,
            decimal=decimal or self.decimal,
            encoding=encoding or self.encoding,
        )

    def _faults(self) -> Iterator[Fault]:
        if len(self.delimiter) != 1 or self.delimiter.isalnum() or self.delimiter in "\"'.- \r\n\0[]":
            yield Fault("the delimiter is not a mark that can stand between cells", "choose , ; | or a tab.")
        if self.decimal not in (".", ","):
            yield Fault("the decimal mark is neither a point nor a comma", "choose one of these.")
        if self.delimiter == self.decimal:
            hint = "choose another delimiter, such as a semicolon."
            yield Fault("the delimiter is the decimal mark as well", hint)
        if not _is_encoding(self.encoding):
            yield Fault(
                f"there is no encoding {self.encoding!r}", "choose utf-8, utf-8-sig, utf-16 or cp1252."
            )


def form_like(path: str | PathLike[str], form: ExportForm) -> ExportForm:
    """The form with the delimiter, the decimal mark and the encoding of a CSV file."""
    file = Path(path)
    if not file.is_file():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the CSV file.")
    dialect = _dialect(file)
    _, rows = first_rows_of_csv(file, UNLIMITED, JUDGED_ROWS, NAMES_FIRST)
    marked = first_bytes(file, 3) == codecs.BOM_UTF8
    return replace(
        form,
        delimiter=dialect.delimiter,
        decimal=decimal_mark([cell for row in rows for cell in row], dialect.delimiter),
        encoding="utf-8-sig" if marked else dialect.encoding,
    )


def decimal_mark(cells: list[str], delimiter: str) -> str:
    """The mark of most cells that have one; a comma cannot be it where it delimits cells.

    >>> decimal_mark(["1,5", "2,25", "Bern"], ";"), decimal_mark(["1,5"], ",")
    (',', '.')
    """
    commas, points = (sum(bool(mark.fullmatch(cell)) for cell in cells) for mark in (WITH_COMMA, WITH_POINT))
    return "," if commas > points and delimiter != "," else "."


def _dialect(file: Path) -> Dialect:
    def read(encoding: str) -> Dialect:
        for _ in bounded_lines(file, encoding, UNLIMITED):
            pass  # what is not of this encoding shows only where it stands
        return sniff(file, encoding, NAMES_FIRST)

    return in_fitting_encoding(file, read)


def _is_encoding(name: str) -> bool:
    try:
        return "a1,é".encode(name).decode(name) == "a1,é"
    except (LookupError, ValueError):
        return False
