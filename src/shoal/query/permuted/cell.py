"""One answer of a query, before it is computed: its figures as expressions over the rewritten query."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from shoal.query.syntax import UNKNOWN, trusted_sql

FIGURES = ("lower", "expected", "upper", "sd", "cut_lower", "cut_upper")


@dataclass(frozen=True)
class Cell:
    """Bounds, expectation and standard deviation over all permutations.

    ``exact`` when the exact columns alone decide it. A figure that cannot be told is NULL. A ``date`` is
    counted in days since 1970. Of a ``mean`` the figures are those of the sum, to be divided by the hits.
    Where the engine rounds what lies between two decimals, ``cut`` are its own two ends.
    """

    lower: exp.Expression
    expected: exp.Expression
    upper: exp.Expression
    sd: exp.Expression
    exact: bool = False
    date: bool = False
    mean: bool = False
    cut: tuple[exp.Expression, ...] = ()

    def figures(self) -> tuple[exp.Expression, ...]:
        return (self.lower, self.expected, self.upper, self.sd, *self.cut)


def cell_from_figures(figures: Iterable[exp.Expression], exact: bool) -> Cell:
    """A cell from its lower end, expectation, upper end and deviation, in this order."""
    lower, expected, upper, sd = figures
    return Cell(lower, expected, upper, sd, exact)


def cell(lower: str, expected: str, upper: str, sd: str) -> Cell:
    """A cell whose four figures are SQL texts of our own."""
    return cell_from_figures((trusted_sql(text) for text in (lower, expected, upper, sd)), exact=False)


def bounds(lower: str, upper: str) -> Cell:
    """Nothing is told about what is expected."""
    return cell(lower, UNKNOWN, upper, UNKNOWN)


def exactly(value: exp.Expression) -> Cell:
    """A cell without doubt: both ends are the value, and the deviation is 0."""
    return Cell(value, value, value, exp.Literal.number(0), exact=True)
