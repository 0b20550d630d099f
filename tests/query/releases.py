"""Small permuted releases, and all the tables that they may come from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from statistics import fmean, pstdev
from typing import TypeVar

import duckdb
import pyarrow as pa
from hypothesis import strategies as st

from shoal.query.answer import Answer, Bounds, answer
from shoal.query.permuted.database import open_database
from shoal.query.permuted.group_tables import build_group_tables
from shoal.query.schema import Schema

Value = TypeVar("Value")

NINE = pa.table(
    {
        "age": [40, 38, 35, 41, 43, 47, 52, 53, 58],
        "zipcode": ["27130", "27120", "27101", "27229", "27269", "27243", "27656", "27686", "27635"],
        "gender": list("MMMFFMMFM"),
        "salary": [54000, 55000, 56000, 65000, 70000, 75000, 75000, 80000, 85000],
        "shoal_group": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    }
)


def ask(sql: str, table: pa.Table = NINE, sensitive: tuple[str, ...] = ("salary",)) -> Answer:
    connection, schema = open_database(table, sensitive)
    with connection:
        return answer(connection, schema, sql)


def ask_each(
    engine: duckdb.DuckDBPyConnection, items: dict[str, str], drawn: "Drawn", condition: str = "true"
) -> dict[str, Bounds]:
    """Several aggregates of the rows that are met, in one query; many small releases share an engine."""
    schema = Schema(tuple(drawn.table.column_names), ("salary",), whole=("salary",))
    engine.register("given", drawn.table)
    engine.execute("CREATE OR REPLACE TABLE data AS FROM given")
    build_group_tables(engine, schema)
    named = ", ".join(f"{expression} as {name}" for name, expression in items.items())
    (row,) = answer(engine, schema, f"select {named} from data where age = 1 and {condition}").rows
    return row


def permuted(groups: list[int], values: list[Value]) -> Iterator[list[Value]]:
    """The values in every order that keeps each in its group."""
    places = [[row for row, group in enumerate(groups) if group == one] for one in set(groups)]
    for orders in product(*(permutations(rows) for rows in places)):
        world = list(values)
        for rows, order in zip(places, orders, strict=True):
            for row, source in zip(rows, order, strict=True):
                world[row] = values[source]
        yield world


@dataclass(frozen=True)
class Drawn:
    """Rows of (group, age, salary); the query meets the rows with age 1."""

    groups: list[int]
    ages: list[int]
    salaries: list[int]

    @property
    def table(self) -> pa.Table:
        return pa.table({"age": self.ages, "salary": self.salaries, "shoal_group": self.groups})

    def worlds(self) -> Iterator[list[int]]:
        """The salaries of every table that this release may come from, one for each permutation."""
        return permuted(self.groups, self.salaries)

    def truths(
        self, aggregate: Callable[[list[int]], float], fits: Callable[[int], bool] = lambda _: True
    ) -> list[float]:
        """The aggregate over the rows that are met, in every world where some row is."""
        met = [row for row, age in enumerate(self.ages) if age == 1]
        chosen = ([salaries[row] for row in met if fits(salaries[row])] for salaries in self.worlds())
        return [aggregate(values) for values in chosen if values]


@st.composite
def drawn_releases(draw: st.DrawFn, most_groups: int = 3, most_rows: int = 4) -> Drawn:
    sizes = draw(st.lists(st.integers(1, most_rows), min_size=1, max_size=most_groups))
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    count = len(groups)
    ages = draw(st.lists(st.sampled_from([1, 1, 0]), min_size=count, max_size=count))
    salaries = draw(st.lists(st.integers(-5, 9), min_size=count, max_size=count))
    return Drawn(groups, ages, salaries)


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    return fmean(values), pstdev(values)
