"""The answer to an aggregate query: bounds that hold the true answer, whatever the permutation was."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

import duckdb
import pyarrow as pa

from shoal.errors import ShoalError
from shoal.query.rewrite import Rewritten, rewrite
from shoal.query.schema import Schema
from shoal.query.view import arrow_of, cells_of, html_of

Figure = int | float | date  # a datetime is a date too


@dataclass(frozen=True)
class Bounds:
    """An aggregate over all permutations that the release allows.

    ``hits`` is the number of rows that fit the conditions on exact columns. A figure that does not exist or
    cannot be told is None. The ``sd`` of dates is in days.
    """

    lower: Figure | None
    expected: Figure | None
    upper: Figure | None
    sd: int | float | None
    hits: int


@dataclass(frozen=True)
class Answer:
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]  # a Bounds for an aggregate, the plain value for a key
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The answer in plain values, for JSON."""
        return {
            "columns": list(self.columns),
            "rows": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        rows = cells_of(self)
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        pairs = (zip(row, widths, strict=True) for row in rows)
        lines = ("  ".join(cell.ljust(width) for cell, width in pair).rstrip() for pair in pairs)
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_arrow(self) -> pa.Table:
        """Keys as they are, each aggregate as five columns: lower, expected, upper, sd, hits."""
        return arrow_of(self)

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        return polars.from_arrow(self.to_arrow())


def answer(connection: duckdb.DuckDBPyConnection, schema: Schema, sql: str) -> Answer:
    """Ask the tables ``data`` and ``groups`` of a connection.

    >>> import pyarrow as pa
    >>> from shoal.query.database import open_database
    >>> table = pa.table({"age": [40, 38, 35], "salary": [54, 55, 56], "shoal_group": [1, 1, 1]})
    >>> answer(*open_database(table, ["salary"]), "select sum(salary) from data where age > 36").rows
    ({'sum(salary)': Bounds(lower=109, expected=110.0, upper=111, sd=0.816496580927726, hits=2)},)
    """
    rewritten = rewrite(sql, schema)
    try:
        rows = connection.execute(rewritten.sql()).fetchall()
    except duckdb.OutOfMemoryException:
        raise ShoalError(
            "the query needs more memory than there is",
            "ask for fewer groups, or one aggregate after the other.",
        ) from None
    except duckdb.Error:
        raise ShoalError(
            "the query cannot be computed",
            "compare numbers with numbers and words with words, and keep numbers small.",
        ) from None
    return answer_from(rows, rewritten)


def answer_from(rows: Iterable[Sequence[Any]], rewritten: Rewritten) -> Answer:
    """The rows that a rewritten statement gave, in this engine or another, as an answer."""
    named = tuple(name for name, _ in rewritten.columns)
    return Answer(named, tuple(_row(row, rewritten) for row in rows), rewritten.notes)


def _row(figures: Sequence[Any], rewritten: Rewritten) -> dict[str, Any]:
    hits, *rest = figures
    row: dict[str, Any] = {}
    for name, is_key in rewritten.columns:
        count = 1 if is_key else 4
        row[name] = rest[0] if is_key else _bounds(rest[:4], int(hits), name in rewritten.dates)
        rest = rest[count:]
    return row


def _bounds(figures: list[Any], hits: int, is_date: bool) -> Bounds:
    lower, expected, upper, sd = (_number(figure) for figure in figures)
    if lower is None or upper is None:
        expected = sd = None
    else:
        lower, upper = min(lower, upper), max(lower, upper)  # sums of real floats depend on their order
        if lower == upper:
            expected, sd = lower, 0.0
        elif expected is not None:
            expected = min(max(expected, lower), upper)
    if is_date:
        lower, expected, upper = (_date(figure) for figure in (lower, expected, upper))
    return Bounds(lower, expected, upper, sd, hits)


def _number(figure: Any) -> Any:
    if isinstance(figure, Decimal):
        return int(figure) if figure.as_tuple().exponent == 0 else float(figure)
    if isinstance(figure, float) and not isfinite(figure):
        return None  # larger than floats can tell
    return figure


def _date(days: Any) -> date | None:
    """A day, or a moment of it.

    >>> _date(365), _date(0.5)
    (datetime.date(1971, 1, 1), datetime.datetime(1970, 1, 1, 12, 0))
    """
    if days is None:
        return None
    if days == int(days):
        return date(1970, 1, 1) + timedelta(days=int(days))
    return datetime(1970, 1, 1) + timedelta(days=days)


def _plain(value: Any) -> Any:
    if isinstance(value, Bounds):
        return {name: _plain(figure) for name, figure in asdict(value).items()}
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
