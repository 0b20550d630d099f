"""A first look at a table: what its columns are like, and which roles they may have."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import Uncomparable, encode
from shoal.table.columns.numbers import Numbers, is_text
from shoal.table.identifying.column_scan import scan_column
from shoal.table.profile.column_groups import ends_of_a_study, questionnaire_items, subject_of_study
from shoal.table.profile.column_names import looks_like_code
from shoal.table.profile.copies import find_copies
from shoal.table.profile.key_columns import KeyColumn, key_columns
from shoal.table.profile.role_guess import (
    KEY,
    LEFT_OUT,
    MANY_VALUES,
    MEASURED,
    NUMBERS_ROWS,
    ColumnFacts,
    RoleGuess,
    Sure,
    guess_role,
)
from shoal.table.profile.topic_words import looks_like_amount, topic_of
from shoal.table.profile.totals import find_totals
from shoal.table.table import Table

__all__ = ["KEY", "LEFT_OUT", "MANY_VALUES", "NUMBERS_ROWS", "ColumnProfile", "Profile", "profile"]

DECIMAL_COMMA = r"^\s*[+-]?\d+(\.\d{3})*,\d+\s*$"
OTHER_DATE = r"^\s*\d{1,2}([./-])\d{1,2}[./-](\d{4}|\d{2})\b"  # 17.05.2011, 5/17/2011
WRITE_NUMBERS = "looks like numbers with a decimal comma: write them with a point, or say so in [types]"
WRITE_DATES = "dates: write them as 2011-05-17, or say how they are written in [types]"
ADDS_UP = "an amount that adds up with the others to a total that people know"
MANY_AMOUNTS = 2
MOST_COMPARED = 120  # columns that are compared with each other
ROWS_COMPARED = 20_000


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
    sure: Sure = "low"

    def repeats_in(self, rows: int) -> str:
        """
        >>> ColumnProfile("patient", "integer", 0, 1200, 3, "identifier", "").repeats_in(5000)
        "the column 'patient' has 1,200 different values in 5,000 rows"
        """
        return (
            f"the column {self.name!r} has {self.distinct:,} different values in {rows - self.missing:,} rows"
        )


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


def profile(table: Table, words: Collection[str] = ()) -> Profile:
    """Kinds, missing and distinct cells, and a guess at each column's role. Some columns are of ``words``,
    whatever they look like.

    >>> import pyarrow as pa
    >>> found = profile(Table(pa.table({"name": ["Ann", "Bob"], "age": [30, 30]})))
    >>> [(column.name, column.guess) for column in found.columns]
    [('name', 'identifier'), ('age', 'quasi')]
    """
    keys = {key.name: key for key in key_columns(table, table.names)}
    columns = {name: _column(table, name, keys.get(name), name in words) for name in table.names}
    columns |= dict(_told_by_company(columns))
    columns |= dict(_told_by_others(table, columns))
    return Profile(len(table), tuple((columns | dict(_amounts(columns))).values()))


def _column(table: Table, name: str, key: KeyColumn | None, of_words: bool) -> ColumnProfile:
    column = table.column(name)
    numbers = None if of_words else table.numbers_if_any(name)
    counts = _counts(column if numbers is None else arrow_from_numpy(numbers.units[~numbers.missing]))
    distinct, unique = len(counts), int((counts == 1).sum())
    kind = "text" if of_words else table.kind(name)
    missing = int(numbers.missing.sum()) if numbers is not None else int(column.null_count)
    advice = _advice(column) if numbers is None else ""
    found = guess_role(
        ColumnFacts(
            name,
            kind,
            len(table) - missing,
            distinct,
            unique,
            scan_column(column),
            _ends(numbers),
            key is not None and key.certain,
            key is not None,
            numbers is not None and _numbers_rows(numbers),
            advice == WRITE_DATES
            or (numbers is None and distinct > 1 and days_from_arrow(column) is not None),
        )
    )
    found = _with_advice(found, advice, key)
    return ColumnProfile(
        name, kind, missing, distinct, unique, found.role, found.why, advice=advice, sure=found.sure
    )


def _holds_dates(column: Any) -> bool:
    return days_from_arrow(column) is not None


def _with_advice(found: RoleGuess, advice: str, key: KeyColumn | None) -> RoleGuess:
    """The same with what the owner can do, and a key by its rows alone."""
    if advice and found.role == "drop":
        found = RoleGuess("quasi", "others may know it", "low")
    also = [advice] if advice else []
    also += [KEY] if key is not None and not key.certain and found.role != "identifier" else []
    return replace(found, why="; ".join([found.why, *also]))


def _ends(numbers: Numbers | None) -> tuple[float, float] | None:
    if numbers is None:
        return None
    units = numbers.units[~numbers.missing]
    one = 10.0**-numbers.scale
    return (float(units.min()) * one, float(units.max()) * one) if len(units) else (0.0, 0.0)


def _told_by_company(columns: Mapping[str, ColumnProfile]) -> Iterator[tuple[str, ColumnProfile]]:
    """Columns of which nothing is known alone, and something by those beside them."""
    unknown = {name: one for name, one in columns.items() if one.guess == "quasi" and one.sure == "low"}
    numbers = [(name, one.distinct) for name, one in unknown.items() if one.kind == "integer"]
    reasons = dict.fromkeys(questionnaire_items(numbers), "answers to questions: opinions or tests")
    reasons |= dict.fromkeys(ends_of_a_study(list(columns)), "when and how a study ended for somebody")
    topics = [topic for one in columns.values() if one.guess == "sensitive" and (topic := topic_of(one.name))]
    if subject := subject_of_study(topics):
        reasons |= dict.fromkeys(unknown, f"the table is about {subject}, and this may be, too")
    for name, why in reasons.items():
        if name in unknown:
            yield name, replace(columns[name], guess="sensitive", why=why)


def _told_by_others(
    table: Table, columns: Mapping[str, ColumnProfile]
) -> Iterator[tuple[str, ColumnProfile]]:
    """Copies of other columns, and totals of them, are left out: they tell what is protected."""
    shown = [
        name
        for name, one in columns.items()
        if (one.guess in ("quasi", "sensitive") or one.sure == "low") and one.distinct > 1
    ]
    shown = shown[:MOST_COMPARED]
    numbers = {name: _floats(table, name) for name in shown if columns[name].kind in ("integer", "decimal")}
    codes = {name: found for name in shown if (found := _ranks(table, name)) is not None}
    amounts = [name for name in numbers if _is_amount(columns[name])]
    copies = find_copies(codes, numbers, amounts)
    for name, origin in copies.items():
        why = f"tells {origin!r} and is told by it, as a logarithm, a square or another word would be"
        yield name, replace(columns[name], guess="drop", why=why, sure="high")
    many = {name: one for name, one in numbers.items() if name not in copies and columns[name].distinct > 2}
    for name, addends in find_totals(many).items():
        why = f"the sum of {', '.join(addends)} in most rows: with it each of them could be told"
        yield name, replace(columns[name], guess="drop", why=why, sure="high")


def _floats(table: Table, name: str) -> Floats:
    numbers = table.numbers(name)
    found: Floats = np.where(numbers.missing, np.nan, numbers.units / 10.0**numbers.scale)
    return found[:ROWS_COMPARED]


def _ranks(table: Table, name: str) -> Ints | None:
    """Cells as ranks of numbers or codes of words, below 0 where there is none."""
    numbers = table.numbers_if_any(name)
    if numbers is not None:
        units = numbers.units[:ROWS_COMPARED]
        ranks = np.unique(units, return_inverse=True)[1]
        return np.where(numbers.missing[:ROWS_COMPARED], -1, ranks).astype(np.int64)
    try:
        found = encode(table.column(name).slice(0, ROWS_COMPARED))
    except (Uncomparable, pa.ArrowNotImplementedError):
        return None
    there = len(found.cells) - found.cells.null_count
    return np.where(found.numbers < there, found.numbers, -1).astype(np.int64)


def _amounts(columns: Mapping[str, ColumnProfile]) -> Iterator[tuple[str, ColumnProfile]]:
    """Amounts that add up to something people know, if the table is mostly about them."""
    named = [one for one in columns.values() if _is_amount(one)]
    amounts = named + [one for one in columns.values() if len(named) > MANY_AMOUNTS and _may_be_amount(one)]
    others = [one for one in columns.values() if one.guess == "quasi"]
    if len(amounts) > 1 and 2 * len(amounts) >= len(others):
        for one in amounts:
            yield one.name, replace(one, guess="quasi", why=ADDS_UP, additive=True, sure="medium")


def _may_be_amount(column: ColumnProfile) -> bool:
    """Whole numbers of which nothing is known, beside many amounts, are one more."""
    return column.why.startswith(MEASURED) and column.kind == "integer"


def _is_amount(column: ColumnProfile) -> bool:
    numeric = column.kind in ("integer", "decimal") and column.distinct > MANY_VALUES
    published = column.guess in ("quasi", "sensitive")
    return numeric and published and looks_like_amount(column.name) and not looks_like_code(column.name)


def _counts(cells: Any) -> Any:
    """How often each different cell occurs."""
    cells = cells.drop_null()
    try:
        return numpy_from_arrow(pc.value_counts(cells).field("counts"))
    except pa.ArrowNotImplementedError:  # lists and structs
        return np.array(list(Counter(map(str, cells.to_pylist())).values()))


def _numbers_rows(numbers: Numbers) -> bool:
    """Do the rows hold 1, 2, 3 and so on, or the same from 0 on, in whatever order?"""
    units = numbers.units
    if numbers.scale or len(units) < MANY_VALUES or numbers.missing.any() or units.min() not in (0, 1):
        return False
    return bool(units.max() - units.min() + 1 == len(units) == len(np.unique(units)))


def _advice(column: Any) -> str:
    if not is_text(column.type):
        return ""
    if decimal_commas(column):
        return WRITE_NUMBERS
    return WRITE_DATES if 2 * other_dates(column) > len(column) - column.null_count else ""


def decimal_commas(column: Any) -> int:
    """How many cells of text look like numbers written with a decimal comma."""
    return int(pc.sum(pc.match_substring_regex(column, DECIMAL_COMMA)).as_py() or 0)


def other_dates(column: Any) -> int:
    """How many cells of text look like dates in a notation that is not read, as 17.05.2011 or 17/05/2011."""
    return int(pc.sum(pc.match_substring_regex(column, OTHER_DATE)).as_py() or 0)
