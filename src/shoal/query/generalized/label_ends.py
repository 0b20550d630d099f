"""The first and the last value that a label can stand for, where these have an order: dates, beginnings."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from shoal.hierarchy.build import EMPTY
from shoal.policy.model.hierarchy_spec import HierarchySpec
from shoal.table.columns.word_set import words_in

Ends = tuple[Any, Any]
LAST = "\U0010ffff"  # no word that begins alike comes behind it


def ends_by(spec: HierarchySpec | None) -> Callable[[str], Ends | None] | None:
    """How labels of this hierarchy are read; None if they have no ends of this kind."""
    if spec is None:
        return None
    if spec.dates is not None:
        return lambda cell: _of_set(cell, date_ends)
    return (lambda cell: _of_set(cell, prefix_ends)) if spec.mask is not None else None


def _of_set(cell: str, read: Callable[[str], Ends | None]) -> Ends | None:
    """The ends of a set, from its first to its last word."""
    words = words_in(cell)
    if words is None:
        return read(cell)
    found = [read(word) if word else None for word in words]
    ends = [pair for pair in found if pair is not None]
    if len(ends) < len(found):
        return None
    return min(low for low, _ in ends), max(high for _, high in ends)


def prefix_ends(cell: str) -> Ends | None:
    """
    >>> prefix_ends("27130"), prefix_ends("271**") == ("271", "271" + LAST), prefix_ends("**130")
    (('27130', '27130'), True, None)
    """
    if cell == EMPTY or cell.startswith("*"):
        return None
    prefix = cell.rstrip("*")
    return (cell, cell) if prefix == cell else (prefix, prefix + LAST)


def date_ends(cell: str) -> Ends | None:
    """
    >>> [day.isoformat() for day in date_ends("2011-Q2")]
    ['2011-04-01', '2011-06-30']
    """
    try:
        return _date_ends(cell.strip())
    except ValueError:
        return None


def _date_ends(cell: str) -> Ends | None:
    if found := re.fullmatch(r"(\d{4})-W(\d\d)", cell):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return monday, monday + timedelta(days=6)
    if found := re.fullmatch(r"(\d{4})-Q(\d)", cell):
        return _months(int(found[1]), 3 * int(found[2]) - 2, 3 * int(found[2]))
    if found := re.fullmatch(r"(\d{4})-(\d\d)", cell):
        return _months(int(found[1]), int(found[2]), int(found[2]))
    if found := re.fullmatch(r"(\d{1,4})", cell):
        return _years(int(cell), int(cell))
    if found := re.fullmatch(r"(\d{1,4})s", cell):
        return _years(int(found[1]), int(found[1]) + 9)
    if found := re.fullmatch(r"(\d{1,4}) to (\d{1,4})", cell):
        return _years(int(found[1]), int(found[2]))
    day = date.fromisoformat(cell[:10])
    return day, day


def _months(year: int, first: int, last: int) -> Ends:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _years(first: int, last: int) -> Ends:
    return date(max(first, 1), 1, 1), date(last, 12, 31)
