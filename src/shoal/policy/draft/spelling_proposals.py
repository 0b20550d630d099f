"""How the cells of columns are spelled, with the evidence: lines for [types] and [missing].

Only what the cells prove is proposed: `03.04.2011` without a day above 12 anywhere says nothing of which is
the month, and `1,234` alone not whether the comma is a decimal mark. Signs such as NA among numbers mean that
nothing is known; so do numbers far outside that are all nines and occur often, or that surely do so in
another column.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.policy.toml import toml_value
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.columns.numbers import Numbers, is_text
from shoal.table.profile.topic_words import looks_nominal
from shoal.table.table import Table

SIGNS = {"na", "n/a", "#n/a", "<na>", "null", "?", ".", "..", "-", "--", "nan", "missing", "k.a.", "k. a."}
SURE_SIGNS = {"na", "n/a", "#n/a", "<na>", "null", "?", "."}  # in columns of words, too
PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
COMMA = r"[+-]?\d+(,\d+)?|[+-]?\d{1,3}(\.\d{3})+(,\d+)?"
GROUPED = r"[+-]?\d{1,3}(%s\d{3})*(\.\d+)?|[+-]?\d+(\.\d+)?"
DATE = r"(\d{1,2})([./-])(\d{1,2})[./-](\d{4})"
MARKS = {"'": "['’]", ",": ",", " ": "[ \u00a0\u202f]"}
FEWEST_CATEGORIES, MOST_CATEGORIES = 2, 60
OFTEN = 0.005  # of the rows hold a code far outside
NEGATIVE_CODE = r"-(9+|9*[6-9])"
FAR = 5  # times the next number


@dataclass(frozen=True)
class SpellingProposal:
    """What is proposed for a column: an entry of [types] (None: nothing) and why, codes of [missing] and why;
    codes that are not sure, and a hint where nothing can be said."""

    entry: Any = None
    why: str = ""
    codes: tuple[Any, ...] = ()
    unsure: tuple[Any, ...] = ()
    hint: str = ""

    @property
    def line(self) -> str:
        return f"{toml_value(self.entry)}   # {self.why}"


def propose_spellings(table: Table) -> dict[str, SpellingProposal]:
    """A proposal for every column that needs one.

    >>> found = propose_spellings(Table(pa.table({"pay": ["1.234,50", "17,25", "NA"]})))
    >>> found["pay"].entry, found["pay"].codes
    ({'kind': 'number', 'decimal': ',', 'thousands': '.'}, ('NA',))
    """
    found = {name: _of_column(table, name) for name in table.names}
    sure = {code for one in found.values() if one is not None for code in one.codes}
    return {name: _with_codes_of_others(one, sure) for name, one in found.items() if one is not None}


def _with_codes_of_others(found: SpellingProposal, sure: set[Any]) -> SpellingProposal:
    """A code that may mean missing does so where it surely does in another column of the table."""
    if not found.unsure or not sure.issuperset(found.unsure):
        return found
    return replace(found, codes=(*found.codes, *found.unsure), unsure=())


def _of_column(table: Table, name: str) -> SpellingProposal | None:
    numbers = table.numbers_if_any(name)
    if numbers is not None:
        return _of_numbers(name, numbers)
    column = table.column(name)
    if not is_text(column.type):
        return None
    try:
        counts = categories_from_arrow(column).word_counts()
    except pa.ArrowException:
        return None
    words = Counter({word: count for word, count in counts.items() if word is not None})
    return _of_words(words) if words else None


def _of_words(words: Mapping[str, int]) -> SpellingProposal | None:
    signs = tuple(word for word in words if word.strip().lower() in SIGNS)
    rest = {word: count for word, count in words.items() if word not in signs}
    if not rest:
        return None
    found = _as_numbers(rest) or _as_dates(rest)
    if found is not None:
        return SpellingProposal(found.entry, found.why, signs, hint=found.hint)
    if _all(PLAIN, rest):
        return SpellingProposal(codes=signs)
    if 2 * _cells(rest, PLAIN) > sum(rest.values()):
        return SpellingProposal("category", "numbers and words together", signs)
    sure = tuple(word for word in signs if word.strip().lower() in SURE_SIGNS)
    unsure = tuple(word for word in signs if word not in sure)
    return SpellingProposal(codes=sure, unsure=unsure) if signs else None


def _as_numbers(words: Mapping[str, int]) -> SpellingProposal | None:
    if _all(PLAIN, words):
        return None
    if _all(COMMA, words):
        proof = _cells(words, r".*,(\d{1,2}|\d{4,})|.*\.\d{3},\d+")
        if proof:
            dots = _cells(words, r".*\.\d{3}.*")
            entry = {"kind": "number", "decimal": ","} | ({"thousands": "."} if dots else {})
            return SpellingProposal(entry, f"{proof:,} cells can only have a decimal comma")
    for mark, sign in MARKS.items():
        if _all(GROUPED % sign, words):
            proof = _cells(words, rf".*{sign}\d{{3}}({sign}\d{{3}}|\.\d).*") if mark == "," else len(words)
            if proof:
                why = f"{_cells(words, f'.*{sign}.*'):,} cells have a mark between thousands"
                return SpellingProposal({"kind": "number", "thousands": mark}, why)
    return _unsure_number(words)


def _unsure_number(words: Mapping[str, int]) -> SpellingProposal | None:
    if not _all(f"{COMMA}|{GROUPED % ','}", words):
        return None
    hint = "1,234 is 1234 or 1.234: say which in [types]"
    return SpellingProposal(hint=f"no cell tells whether the comma is a decimal mark; {hint}")


def _as_dates(words: Mapping[str, int]) -> SpellingProposal | None:
    parts = [re.fullmatch(DATE, word) for word in words]
    found = [one for one in parts if one is not None]
    if len(found) < len(parts) or len({one[2] for one in found}) != 1:
        return None
    mark = found[0][2]
    first, second = ([int(one[place]) for one in found] for place in (1, 3))
    counts = list(words.values())
    for days, months, format in (
        (first, second, f"%d{mark}%m{mark}%Y"),
        (second, first, f"%m{mark}%d{mark}%Y"),
    ):
        if max(days) > 12 and max(months) <= 12:
            proof = sum(count for day, count in zip(days, counts, strict=True) if day > 12)
            return SpellingProposal(
                {"kind": "date", "format": format}, f"{proof:,} cells have a day above 12"
            )
    hint = "no cell has a day above 12: say in [types] whether the day or the month comes first"
    return SpellingProposal(hint=hint)


def _of_numbers(name: str, numbers: Numbers) -> SpellingProposal | None:
    units, counts = np.unique(numbers.units[~numbers.missing], return_counts=True)
    if len(units) < FEWEST_CATEGORIES:
        return None
    often = max(3, OFTEN * len(numbers))
    codes, rest = _far_outside(units, counts, numbers.scale, often)
    nominal = numbers.scale == 0 and len(units) <= MOST_CATEGORIES and looks_nominal(name)
    if nominal:
        why = "few whole numbers that are labels, by its name"
        return SpellingProposal("category", why, codes if rest else (), () if rest else codes)
    return SpellingProposal(codes=codes if rest else (), unsure=() if rest else codes) if codes else None


def _far_outside(units: Any, counts: Any, scale: int, often: float) -> tuple[tuple[int, ...], bool]:
    """Whole numbers that are far from all others and occur often; and whether they are sure to be codes."""
    if scale:
        return (), False
    low = [int(one) for one in units if one < 0]
    others = units[units >= 0]
    negative = bool(low) and len(others) > 1 and all(re.fullmatch(NEGATIVE_CODE, str(one)) for one in low)
    if negative:
        return tuple(low), bool(counts[: len(low)].max() >= often)
    if len(units) < 4:
        return (), False
    top, below = int(units[-1]), int(units[-2])
    nines = re.fullmatch(r"9{2,}[0-9]?|9{3,}", str(top)) is not None
    if nines and counts[-1] >= often and top > FAR * max(abs(below), 1):
        return (top,), False
    return (), False


def _all(shape: str, words: Mapping[str, int]) -> bool:
    pattern = re.compile(shape)
    return all(pattern.fullmatch(word.strip()) for word in words)


def _cells(words: Mapping[str, int], shape: str) -> int:
    """In how many cells a word of this shape stands."""
    pattern = re.compile(shape)
    return sum(count for word, count in words.items() if pattern.fullmatch(word.strip()))
