"""A generalized release in the embedded engine, closed to everything but itself.

The table ``data`` holds each column under names of our own: exact cells as ``exact_N``, ranges as ``low_N``,
``high_N`` and ``unknown_N``, words as ``code_N``; the words that a code stands for are in ``leaves_N``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

from shoal.arrays import SmallInts
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.generalized.column import ExactCells, PublishedColumn, RangeCells, WordCells, read_column
from shoal.query.parse import column_names
from shoal.query.permuted.database import lock
from shoal.query.schema import TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, select, trusted_sql
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.spelling import one_spelling

NO_DATE = "invalid date field format"  # as DuckDB says it
ONE = "one"  # keeps a table that has no other column


@dataclass(frozen=True)
class GeneralizedSchema(Schema):
    """The columns of a release in which none is permuted; ``means`` are those that show class means."""

    means: tuple[str, ...] = ()

    def resolve(self, name: str) -> str:
        """A class mean says nothing certain about a record."""
        if name in self.means:
            raise ShoalError(
                f"column {name!r} shows means, medians or modes of classes, which give no bounds",
                "ask about columns that are published as they are, or read the table with your own tools.",
            )
        return super().resolve(name)

    def __post_init__(self) -> None:
        """Any columns will do."""


@dataclass(frozen=True)
class GeneralizedDatabase:
    """What ``answer_generalized`` asks; close it by ``connection.close()``."""

    connection: duckdb.DuckDBPyConnection = field(repr=False)
    columns: dict[str, PublishedColumn] = field(repr=False)
    rows: int
    suppressed: int
    means: tuple[str, ...] = ()

    @property
    def schema(self) -> GeneralizedSchema:
        return GeneralizedSchema(tuple(self.columns), (), means=self.means)

    def place(self, name: str) -> int:
        return list(self.columns).index(name)

    def generalized(self, tree: exp.Expression) -> list[str]:
        """The columns of an expression that are not published as they were."""
        names = dict.fromkeys(column_names(tree))
        return [name for name in names if not isinstance(self.columns[name], ExactCells)]

    def words(self, tree: exp.Expression) -> str | None:
        """The column of words that an expression reads, if it reads nothing else."""
        names = set(column_names(tree))
        if len(names) == 1 and isinstance(self.columns[name := names.pop()], WordCells):
            return name
        return None

    def stored(self, tree: exp.Expression, end: str = "low") -> exp.Expression:
        """The expression over the names of our own, with one end of every range."""

        def renamed(node: exp.Expression) -> exp.Expression:
            if not isinstance(node, exp.Column):
                return node
            found = self.columns[node.name]
            if isinstance(found, ExactCells) and _all_missing(found.cells):
                return exp.null()
            kind = "exact" if isinstance(found, ExactCells) else end
            return column(f"{kind}_{self.place(node.name)}", TABLE)

        return tree.transform(renamed)

    def ask(self, *expressions: exp.Expression) -> list[pa.Array]:
        """Expressions over ``data``, one array each."""
        named = [exp.alias_(one.copy(), f"item_{number}") for number, one in enumerate(expressions)]
        return self.run(select(*named).from_(TABLE))

    def ask_leaves(self, tree: exp.Expression, name: str) -> tuple[SmallInts, pa.Array]:
        """An expression over one column of words, for each leaf; and the codes that these belong to."""
        found = self.columns[name]
        nothing = isinstance(found, WordCells) and _all_missing(found.leaves)
        word = exp.null() if nothing else trusted_sql("value")
        value = tree.transform(lambda node: word.copy() if isinstance(node, exp.Column) else node)
        told = self.run(select("code", exp.alias_(value, "item")).from_(f"leaves_{self.place(name)}"))
        return numpy_from_arrow(told[0]), told[1]

    def run(self, statement: exp.Select) -> list[pa.Array]:
        try:
            found = self.connection.sql(sql_text(statement)).to_arrow_table()
        except duckdb.InterruptException:
            raise
        except duckdb.Error as error:
            raise not_computed(error) from None
        return [one.combine_chunks() for one in found.columns]


def not_computed(error: duckdb.Error) -> ShoalError:
    """What to ask instead of a statement that the engine gave up."""
    if isinstance(error, duckdb.ConversionException) and NO_DATE in str(error):
        return ShoalError(
            "the query compares dates with a text that is no full date",
            "write year, month and day; for a month: day >= '2023-06-01' and day < '2023-07-01'.",
        )
    return ShoalError(
        f"the query cannot be computed ({type(error).__name__})",
        "compare numbers with numbers and words with words, and keep numbers small.",
    )


def open_generalized(table: pa.Table, policy: Policy, suppressed: int) -> GeneralizedDatabase:
    """The published table, ready for ``answer_generalized``; ``suppressed`` records are not in it."""
    means = tuple(policy.having("quasi")) if policy.averages else ()
    shown = [name for name in table.column_names if name not in means]
    columns = {name: read_column(one_spelling(table[name]), name, policy) for name in shown}
    connection = duckdb.connect(config={"preserve_insertion_order": True})
    stored = {ONE: arrow_from_numpy(np.ones(table.num_rows, np.int8))}
    for place, found in enumerate(columns.values()):
        stored.update(_stored(found, place))
        if isinstance(found, WordCells):
            leaves = pa.table({"code": arrow_from_numpy(found.owners), "value": found.leaves})
            _create(connection, f"leaves_{place}", leaves)
    _create(connection, TABLE, pa.table(stored))
    lock(connection)
    return GeneralizedDatabase(connection, columns, table.num_rows, suppressed, means)


def _stored(found: PublishedColumn, place: int) -> Iterator[tuple[str, pa.Array]]:
    match found:
        case ExactCells():
            yield f"exact_{place}", found.cells
        case RangeCells():
            yield f"low_{place}", found.low
            yield f"high_{place}", found.high
            yield f"unknown_{place}", found.unknown
        case WordCells():
            yield f"code_{place}", arrow_from_numpy(found.codes)


def _all_missing(cells: pa.Array) -> bool:
    """Whether all cells are missing: of such a column nobody knows whether it holds numbers or words."""
    return bool(cells.null_count == len(cells))


def _create(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    connection.register("given", table)
    connection.execute(f"CREATE TABLE {name} AS FROM given")
    connection.unregister("given")
