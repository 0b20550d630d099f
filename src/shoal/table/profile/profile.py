"""A first look at a table: what its columns are like, and which roles they may have."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.numbers import Numbers, is_text
from shoal.table.profile.column_names import (
    looks_identifying,
    looks_like_code,
    looks_personal,
    looks_sensitive,
)
from shoal.table.profile.key_columns import KeyColumn, key_columns
from shoal.table.table import Table

DECIMAL_COMMA = r"^\s*[+-]?\d+(\.\d{3})*,\d+\s*$"
OTHER_DATE = r"^\s*\d{1,2}([./-])\d{1,2}[./-](\d{4}|\d{2})\b"  # 17.05.2011, 5/17/2011
MANY_VALUES = 20
YEARS = (1850, 2100)  # whole numbers between them are years, not amounts
KEY = "seems to number people, households or cases"
NUMBERS_ROWS = "numbers the rows"
LEFT_OUT = "text that few people share, left out to be safe"
NOT_KNOWN = "few different values, each shared: check that it is harmless"
WRITE_NUMBERS = "looks like numbers with a decimal comma: write them with a point"
WRITE_DATES = "dates: write them as 2011-05-17"


@dataclass(frozen=True)
class ColumnProfile:
    """Counts only; a profile shows no cell."""

    name: str
    kind: str
    missing: int
    distinct: int
    unique: int  # cells that occur once
    guess: str
    why: str
    additive: bool = False  # looks like a part of a total
    advice: str = ""  # how to write its cells so that they can be generalized


@dataclass(frozen=True)
class Profile:
    """The number of rows of a table, and a look at each of its columns."""

    rows: int
    columns: tuple[ColumnProfile, ...]

    def as_dict(self) -> dict[str, Any]:
        repeating = [column.name for column in self.repeating]
        columns = [asdict(column) for column in self.columns]
        return {"rows": self.rows, "columns": columns, "repeating_identifiers": repeating}

    @property
    def repeating(self) -> list[ColumnProfile]:
        """Columns that may name people, and in which some of them stand in several rows."""
        return [
            column
            for column in self.columns
            if column.guess == "identifier" and column.unique < self.rows - column.missing
        ]


def profile(table: Table) -> Profile:
    """Kinds, missing and distinct cells, and a guess at each column's role.

    >>> import pyarrow as pa
    >>> found = profile(Table(pa.table({"name": ["Ann", "Bob"], "age": [30, 30]})))
    >>> [(column.name, column.guess) for column in found.columns]
    [('name', 'identifier'), ('age', 'quasi')]
    """
    keys = {key.name: key for key in key_columns(table, table.names)}
    return Profile(len(table), tuple(_column(table, name, keys.get(name)) for name in table.names))


def _column(table: Table, name: str, key: KeyColumn | None) -> ColumnProfile:
    column = table.column(name)
    numbers = table.numbers_if_any(name)
    counts = _counts(column if numbers is None else arrow_from_numpy(numbers.units[~numbers.missing]))
    distinct, unique = len(counts), int((counts == 1).sum())
    kind = table.kind(name) if numbers is None else "decimal" if numbers.scale else "integer"
    advice = _advice(column) if numbers is None else ""
    guess, why = _role(name, numbers is not None, advice, distinct, unique)
    if key is not None:
        guess, why = ("identifier", KEY) if key.certain else (guess, f"{why}; {KEY}")
    elif numbers is not None and not looks_like_code(name) and _numbers_rows(numbers):
        guess, why = "drop", NUMBERS_ROWS
    additive = guess == "quasi" and numbers is not None and not (looks_like_code(name) or _years(numbers))
    missing = int(numbers.missing.sum()) if numbers is not None else int(column.null_count)
    return ColumnProfile(name, kind, missing, distinct, unique, guess, why, additive, advice)


def _counts(cells: Any) -> Any:
    """How often each different cell occurs."""
    cells = cells.drop_null()
    try:
        return numpy_from_arrow(pc.value_counts(cells).field("counts"))
    except pa.ArrowNotImplementedError:  # lists and structs
        return np.array(list(Counter(map(str, cells.to_pylist())).values()))


def _years(numbers: Numbers) -> bool:
    units = numbers.units[~numbers.missing]
    first, last = YEARS
    return numbers.scale == 0 and len(units) > 0 and bool(first <= units.min() and units.max() <= last)


def _numbers_rows(numbers: Numbers) -> bool:
    """Do the rows hold 1, 2, 3 and so on, or the same from 0 on?"""
    units = numbers.units
    if numbers.scale or len(units) < MANY_VALUES or numbers.missing.any() or units[0] not in (0, 1):
        return False
    return bool(np.all(np.diff(units) == 1))


def _advice(column: Any) -> str:
    if not is_text(column.type):
        return ""
    if decimal_commas(column):
        return WRITE_NUMBERS
    return WRITE_DATES if 2 * other_dates(column) > len(column) - column.null_count else ""


def _role(name: str, numeric: bool, advice: str, distinct: int, unique: int) -> tuple[str, str]:
    """A guess and its reason; the owner decides. In doubt, a column is not published as it is."""
    if looks_identifying(name):
        return "identifier", "its name looks like an identifier"
    if looks_sensitive(name):
        return "sensitive", "its name looks sensitive"
    if looks_personal(name):
        return "quasi", "; ".join(filter(None, ("others may know this about a person", advice)))
    if advice:
        return "quasi", advice
    if numeric:
        return "quasi", "numbers single people out"
    if unique or distinct > MANY_VALUES:
        return "drop", LEFT_OUT
    return "other", NOT_KNOWN


def decimal_commas(column: Any) -> int:
    """How many cells of text look like numbers written with a decimal comma."""
    return int(pc.sum(pc.match_substring_regex(column, DECIMAL_COMMA)).as_py() or 0)


def other_dates(column: Any) -> int:
    """How many cells of text look like dates in a notation that is not read, as 17.05.2011 or 17/05/2011."""
    return int(pc.sum(pc.match_substring_regex(column, OTHER_DATE)).as_py() or 0)
