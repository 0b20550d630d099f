"""A first look at a table: what its columns are like, and which roles they may have."""

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import ShoalError
from shoal.table.bridge import arrow_from_numpy, numpy_from_arrow
from shoal.table.numbers import Numbers, is_text
from shoal.table.table import Table

IDENTIFIERS = r"(^|[_\W])(id|name|surname|ssn|nin|email|e-mail|phone|tel|iban|passport|uuid)($|[_\W])"
SENSITIVE = r"diagnos|disease|condition|illness|religio|orientation|offen[cs]e|crime|disab|hiv|therapy"
PERSONAL = (
    r"(^|[_\W])(age|sex|gender|zip|plz|post(al)?_?code|birth\w*|dob|race|ethnic\w*|nationality|country"
    r"|alter|geschlecht|geburt\w*)($|[_\W])"
)
DECIMAL_COMMA = r"^\s*[+-]?\d+(\.\d{3})*,\d+\s*$"
MANY_VALUES = 20
LEFT_OUT = "text that few people share, left out to be safe"


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


@dataclass(frozen=True)
class Profile:
    rows: int
    columns: tuple[ColumnProfile, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "columns": [asdict(column) for column in self.columns]}


def profile(table: Table) -> Profile:
    """Kinds, missing and distinct cells, and a guess at each column's role.

    >>> import pyarrow as pa
    >>> found = profile(Table(pa.table({"name": ["Ann", "Bob"], "age": [30, 30]})))
    >>> [(column.name, column.guess) for column in found.columns]
    [('name', 'identifier'), ('age', 'quasi')]
    """
    return Profile(len(table), tuple(_column(table, name) for name in table.names))


def _column(table: Table, name: str) -> ColumnProfile:
    column = table.column(name)
    numbers = _numbers(table, name)
    counts = _counts(column if numbers is None else arrow_from_numpy(numbers.units[~numbers.missing]))
    distinct, unique = len(counts), int((counts == 1).sum())
    kind = table.kind(name) if numbers is None else "decimal" if numbers.scale else "integer"
    comma = numbers is None and is_text(column.type) and decimal_commas(column) > 0
    guess, why = _role(name, numbers is not None, comma, distinct, unique)
    additive = guess == "quasi" and numbers is not None and not _matches(PERSONAL, name)
    missing = int(numbers.missing.sum()) if numbers is not None else int(column.null_count)
    return ColumnProfile(name, kind, missing, distinct, unique, guess, why, additive)


def _counts(cells: Any) -> Any:
    """How often each different cell occurs."""
    cells = cells.drop_null()
    try:
        return numpy_from_arrow(pc.value_counts(cells).field("counts"))
    except pa.ArrowNotImplementedError:  # lists and structs
        return np.array(list(Counter(map(str, cells.to_pylist())).values()))


def _numbers(table: Table, name: str) -> Numbers | None:
    try:
        return table.numbers(name)
    except ShoalError:
        return None


def _matches(pattern: str, name: str) -> bool:
    return re.search(pattern, name, re.IGNORECASE) is not None


def _role(name: str, numeric: bool, comma: bool, distinct: int, unique: int) -> tuple[str, str]:
    """A guess and its reason; the owner decides. In doubt, a column is not published as it is."""
    if _matches(IDENTIFIERS, name):
        return "identifier", "its name looks like an identifier"
    if _matches(SENSITIVE, name):
        return "sensitive", "its name looks sensitive"
    if _matches(PERSONAL, name):
        return "quasi", "others may know this about a person"
    if comma:
        return "quasi", "looks like numbers with a decimal comma: write them with a point"
    if numeric:
        return "quasi", "numbers single people out"
    if unique or distinct > MANY_VALUES:
        return "identifier", LEFT_OUT
    return "other", "few different values, each shared"


def decimal_commas(column: Any) -> int:
    """How many cells of text look like numbers written with a decimal comma."""
    return int(pc.sum(pc.match_substring_regex(column, DECIMAL_COMMA)).as_py() or 0)
