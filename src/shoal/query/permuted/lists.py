"""What a group says about any number of hits: its values in order, and their running sums.

A query meets some rows of a group; how many, the exact columns tell. Which sensitive values belong to
them, nobody knows: any choice of that many values of the group may be the true one. The m smallest add up
to the m-th running sum, the m largest to the last one less the one m places before (Zhang et al., ICDE
2007, section 5.2, where a help table has one row for every m). Made from the permuted table alone.
"""

from dataclasses import dataclass

from sqlglot import exp

from shoal.query.schema import GROUP, GROUPS, TABLE
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, select, trusted_sql, window


@dataclass(frozen=True)
class Lists:
    """Where the lists of a column, or of an expression of it, are found: as SQL.

    >>> Lists("groups", "net pay").at("hits")
    'groups."net pay_values"[hits]'
    """

    table: str = GROUPS
    name: str = "value"

    def figure(self, name: str) -> str:
        return sql_text(column(f"{self.name}_{name}", self.table))

    @property
    def size(self) -> str:
        return f"{self.table}.group_size"

    @property
    def mean(self) -> str:
        return self.figure("mean")

    @property
    def variance(self) -> str:
        return self.figure("variance")

    @property
    def spread(self) -> str:
        """The variance of a sum of m hits is m (N - m) times this."""
        return self.figure("spread")

    def at(self, place: str) -> str:
        """The value at a place, from 1; NULL outside."""
        return f"{self.figure('values')}[{place}]"

    def between(self, first: str, last: str) -> str:
        return f"UNNEST({self.figure('values')}[{first} : {last}])"

    def counts_between(self, first: str, last: str) -> tuple[str, str]:
        """Values, and how often each is there."""
        return self.between(first, last), "1"

    def up_to(self, place: str) -> str:
        """The sum of the values up to a place; there is no place 0 in a list."""
        return f"COALESCE({self.figure('sums')}[{place}], 0)"

    def smallest(self, count: str) -> str:
        """The sum of so many of the smallest values; at least one."""
        return f"{self.figure('sums')}[{count}]"

    def largest(self, count: str) -> str:
        return f"{self.figure('sums')}[{self.size}] - {self.up_to(f'{self.size} - {count}')}"


@dataclass(frozen=True)
class Types:
    """What stored values and sums are cast to; None leaves them as the engine computes them."""

    values: str | None = None
    sums: str | None = None


def lists_of(
    value: exp.Expression,
    name: str = "value",
    where: exp.Expression | None = None,
    types: Types | None = None,
) -> exp.Select:
    """One row per group: its size, and the lists and moments of an expression over ``data``."""
    figures = {
        "values": "ARRAY_AGG(value ORDER BY place)",
        "sums": "ARRAY_AGG(running ORDER BY place)",
        "mean": "CAST(AVG(value) AS DOUBLE)",
        "variance": "CAST(VAR_POP(value) AS DOUBLE)",
        "spread": "CAST(VAR_POP(value) AS DOUBLE) / GREATEST(COUNT(*) - 1, 1)",
        "negatives": "COUNT(CASE WHEN value < 0 THEN 1 END)",
        "positives": "COUNT(CASE WHEN value > 0 THEN 1 END)",
    }
    named = (
        exp.alias_(trusted_sql(text), f"{name}_{figure}", quoted=True) for figure, text in figures.items()
    )
    ranked = in_order(value, where, types).subquery("ranked")
    return select(GROUP, "COUNT(*) AS group_size", *named).from_(ranked).group_by(GROUP)


def in_order(
    value: exp.Expression, where: exp.Expression | None = None, types: Types | None = None
) -> exp.Select:
    """One row per row of ``data``: its group, the value, its place in the group, and the sum up to there."""
    types = types or Types()
    typed = exp.cast(value.copy(), types.values, dialect="duckdb") if types.values else value.copy()
    rows = select(column(GROUP, TABLE), exp.alias_(typed, "value")).from_(TABLE)
    rows = rows.where(where.copy()) if where is not None else rows
    over = f"OVER {window((GROUP,), 'value')}"
    running = f"CAST(SUM(value) {over} AS {types.sums})" if types.sums else f"SUM(value) {over}"
    return select(
        GROUP, "value", f"CAST(ROW_NUMBER() {over} AS INT) AS place", f"{running} AS running"
    ).from_(rows.subquery("chosen"))
