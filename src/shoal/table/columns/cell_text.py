"""Cells of programs that give every cell a kind of its own, spelled as CSV of the same table would have them.

Workbooks and SQLite know kinds of cells, not of columns. As text, a column is what it looks like, as in CSV:
a whole number has no point, a day is written YYYY-MM-DD, and an empty cell is missing.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

WHOLE = 2.0**53  # from here on not every whole number is a float


def text_column(cells: Sequence[Any]) -> pa.Array:
    """
    >>> text_column([12.0, 0.5, True, date(2024, 2, 29), " ann", "", None]).to_pylist()
    ['12', '0.5', 'true', '2024-02-29', ' ann', None, None]
    """
    return pa.array([SPELLINGS[type(cell)](cell) for cell in cells], pa.string())


def _of_float(cell: float) -> str:
    return str(int(cell)) if cell.is_integer() and abs(cell) < WHOLE else repr(cell)


def _of_moment(cell: datetime) -> str:
    return cell.date().isoformat() if cell.time() == time() and not cell.tzinfo else cell.isoformat(" ")


def _of_duration(cell: timedelta) -> str:
    """Hours may be more than a day has."""
    seconds = round(abs(cell).total_seconds())
    sign = "-" if cell < timedelta() else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


SPELLINGS: dict[type, Callable[[Any], str | None]] = {
    str: lambda cell: cell or None,
    float: _of_float,
    int: str,
    bool: lambda cell: "true" if cell else "false",
    date: date.isoformat,
    datetime: _of_moment,
    time: time.isoformat,
    timedelta: _of_duration,
    Decimal: "{:f}".format,
    type(None): lambda _: None,
}
