"""The answer to an aggregate query: bounds that hold the true answer, whatever the permutation was."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.answer_display import answer_arrow, answer_cells, answer_html, answer_json, plain_number
from shoal.query.arithmetic import UNKNOWN_INTERVAL, Interval, divide, expression_interval, real
from shoal.query.permuted.rewrite import OrderTerm, Rewritten, rewrite
from shoal.query.schema import SECONDS, Schema
from shoal.query.time_limit import TimeLimit

Figure = int | Decimal | float | date  # a datetime is a date too


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
    """Rows of keys and bounds that answer a query, with notes about them."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]  # a Bounds for an aggregate, the plain value for a key
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The answer in plain values. A decimal is a float where that has the same digits."""
        return {
            "columns": list(self.columns),
            "rows": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = None, ascii_only: bool = False) -> str:
        """The same as JSON, in which a decimal is a number with all its digits."""
        return answer_json(self, indent, ascii_only)

    def __str__(self) -> str:
        rows = answer_cells(self)
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        pairs = (zip(row, widths, strict=True) for row in rows)
        lines = ("  ".join(cell.ljust(width) for cell, width in pair).rstrip() for pair in pairs)
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        return answer_html(self)

    def to_arrow(self) -> pa.Table:
        """Keys as they are, each aggregate as five columns: lower, expected, upper, sd, hits."""
        return answer_arrow(self)

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        return polars.from_arrow(self.to_arrow())


def answer(
    connection: duckdb.DuckDBPyConnection, schema: Schema, sql: str, seconds: float = SECONDS
) -> Answer:
    """Ask the tables ``data`` and ``groups`` of a connection; given up after some seconds.

    >>> import pyarrow as pa
    >>> from shoal.query.permuted.database import open_database
    >>> table = pa.table({"age": [40, 38, 35], "salary": [54, 55, 56], "shoal_group": [1, 1, 1]})
    >>> answer(*open_database(table, ["salary"]), "select sum(salary) from data where age > 36").rows
    ({'sum(salary)': Bounds(lower=109, expected=110.0, upper=111, sd=0.816496580927726, hits=2)},)
    """
    with TimeLimit(connection, seconds) as limit:
        rewritten = rewrite(sql, schema)
        limit.check()
        return answer_from_rows(_rows(connection, rewritten), rewritten)


def _rows(connection: duckdb.DuckDBPyConnection, rewritten: Rewritten) -> list[tuple[Any, ...]]:
    try:
        return connection.execute(rewritten.sql()).fetchall()
    except duckdb.InterruptException:
        raise
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


def answer_from_rows(rows: Iterable[Sequence[Any]], rewritten: Rewritten) -> Answer:
    """The rows that a rewritten statement gave, in this engine or another, as an answer."""
    found = in_order([_Row(row, rewritten) for row in rows], rewritten)
    names = tuple(name for name, _ in rewritten.items)
    answers = ({name: row.item(name, tree) for name, tree in rewritten.items} for row in found)
    return Answer(names, tuple(answers), rewritten.notes)


@dataclass(frozen=True)
class _Row:
    """One row of a rewritten statement."""

    figures: Sequence[Any]
    rewritten: Rewritten

    @property
    def hits(self) -> int:
        return int(self.figures[0])

    def item(self, name: str, tree: exp.Expression) -> Any:
        place = self.rewritten.places.get(tree)
        if place is not None and place.cell is None:
            return self.figures[place.start]
        return interval_bounds(
            expression_interval(tree, self.aggregate), self.hits, name in self.rewritten.dates
        )

    def aggregate(self, call: exp.Expression) -> Interval:
        place = self.rewritten.places[call]
        if place.cell is None:
            raise TypeError("a key is no aggregate")
        width = len(place.cell.figures())
        figures = [plain_figure(one) for one in self.figures[place.start : place.start + width]]
        lower, expected, upper, sd, *cut = figures
        if lower is None or upper is None:
            return UNKNOWN_INTERVAL
        if cut and isinstance(cut[0], int | Decimal):
            lower, upper = (Decimal(repr(end)) for end in (lower, upper))
        ends = (lower, upper, *cut)  # sums of real floats depend on their order
        found = Interval(
            min(ends), max(ends), *(None if one is None else real(one) for one in (expected, sd))
        )
        return divide(found, Interval(self.hits, self.hits)) if place.cell.mean else found

    def rank(self, term: OrderTerm) -> float | int | None:
        """A key by its place among the keys, an aggregate at its expectation or between its bounds."""
        if term.rank is not None:
            place: int | None = self.figures[term.rank]
            return place
        return middle(expression_interval(term.tree, self.aggregate))


def in_order(rows: list[_Row], rewritten: Rewritten) -> list[_Row]:
    """Rows by the terms that the statement itself does not order by; then as many as are asked for."""
    for term in reversed(rewritten.order):
        ranked = [(row.rank(term), row) for row in rows]
        there = [(rank, row) for rank, row in ranked if rank is not None]
        there.sort(key=lambda pair: pair[0], reverse=term.descending)
        missing = [row for rank, row in ranked if rank is None]
        ordered = [row for _, row in there]
        rows = [*missing, *ordered] if term.nulls_first else [*ordered, *missing]
    first = rewritten.offset or 0
    return rows[first:] if rewritten.limit is None else rows[first : first + rewritten.limit]


def middle(found: Interval) -> float | None:
    """The place of an answer in an order: at its expectation, or in the middle of its bounds."""
    if found.mean is not None or found.lower is None or found.upper is None:
        return found.mean
    return real(found.lower) / 2 + real(found.upper) / 2


def interval_bounds(found: Interval, hits: int, is_date: bool = False) -> Bounds:
    """An interval as it is told: whole numbers, decimals with all their digits, and floats."""
    lower, expected, upper, sd = (
        plain_figure(figure) for figure in (found.lower, found.expected, found.upper, found.sd)
    )
    if lower is None or upper is None:
        expected = sd = None
    elif found.certain:
        expected, sd = lower, 0.0
    elif expected is not None:
        expected = real(min(max(expected, lower), upper))
    if is_date:
        lower, expected, upper = (_date(figure) for figure in (lower, expected, upper))
    return Bounds(lower, expected, upper, sd, hits)


def plain_figure(figure: Any) -> Any:
    """A decimal without digits behind the point is a whole number; what is no number is None.

    >>> plain_figure(Decimal("109")), plain_figure(Decimal("109.50")), plain_figure(float("inf"))
    (109, Decimal('109.50'), None)
    """
    if isinstance(figure, Decimal):
        return figure if int(figure.as_tuple().exponent) < 0 else int(figure)
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
        return plain_number(value)
    return value.isoformat() if isinstance(value, date) else value
