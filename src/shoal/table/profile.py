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
from shoal.table.numbers import Numbers
from shoal.table.table import Table

IDENTIFIERS = r"(^|[_\W])(id|name|surname|ssn|nin|email|e-mail|phone|tel|iban|passport|uuid)($|[_\W])"
SENSITIVE = r"diagnos|disease|condition|illness|religio|orientation|offen[cs]e|crime|disab|hiv|therapy"
PERSONAL = r"(^|[_\W])(age|sex|gender|zip|postcode|birth\w*|dob|race|ethnic\w*|nationality|country)"
MANY_VALUES = 20


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
    guess, why = _role(name, kind, distinct, len(table))
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


def _role(name: str, kind: str, distinct: int, rows: int) -> tuple[str, str]:
    """A guess and its reason; the owner decides."""
    numeric = kind in ("integer", "decimal")
    if _matches(IDENTIFIERS, name):
        return "identifier", "its name looks like an identifier"
    if _matches(SENSITIVE, name):
        return "sensitive", "its name looks sensitive"
    if _matches(PERSONAL, name):
        return "quasi", "others may know this about a person"
    if not numeric and rows >= 10 and distinct >= 0.95 * rows:
        return "identifier", "nearly every cell is different"
    if numeric and distinct > min(MANY_VALUES, rows // 2):
        return "quasi", "numbers with many values single people out"
    return "other", "few different values"


def shared_totals(totals: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For every record, how many records have the same total.

    >>> shared_totals(np.array([5, 7, 5])).tolist()
    [2, 1, 2]
    """
    _, inverse, counts = np.unique(totals, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse])
