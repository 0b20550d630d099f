"""Questions drawn from the whole grammar of nested arithmetic, and small releases with all their originals.

Written as text, with as many or as few parentheses as come up: what a question means is what the plain engine
says of every original that the release may come from.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import prod
from random import Random

import duckdb
import pyarrow as pa

from tests.query.releases import permuted

SHARES = ("0", "0.1", "0.25", "0.29", "0.5", "0.7", "0.95", "1")
PAY = (
    "pay", "-pay", "2 * pay + 1", "pay * pay", "pay - (3 - pay)", "pay - 3 - pay * 2", "-(pay - 1) * 2",
    "(pay + 1) * (pay - 2)", "-pay - -3", "10 - (2 - (3 - pay))",
)  # fmt: skip
EXACT = ("age", "age - (3 - age)", "age * (age - 2)", "-age - (age - 1)", "age % 3 * 2", "abs(3 - age)")
NUMBERS = ("1", "2", "3", "10", "0.5", "7.25", "(2 + 2)", "100", "1e1", "-1", "(3 - (2 - 5))")
SUMS = ("sum", "avg", "min", "max")
SPREADS = ("variance", "var_samp", "var_pop", "stddev", "stddev_samp", "stddev_pop")
MOST_WORLDS = 150
AGGREGATES = 7
Number = int | float | Decimal


@dataclass(frozen=True)
class Columns:
    """What aggregates are taken of: the numbers that are not exact, and whatever can be counted."""

    numbers: tuple[str, ...] = ("pay",)
    counted: tuple[str, ...] = ("*", "pay", "age", "distinct age")


PERMUTED = Columns()
GENERALIZED = Columns(("pay", "bonus", "age"), ("*", "*", "pay", "bonus", "age", "city", "job", "zip", "day"))


def questions(draw: Random, count: int, columns: Columns = PERMUTED) -> list[str]:
    """Items of SELECT over a few aggregates: what these have in common is asked of the engine once."""
    aggregates = [aggregate(draw, columns) for _ in range(AGGREGATES)]
    return [question(draw, aggregates) for _ in range(count)]


def question(draw: Random, aggregates: list[str], depth: int = 3) -> str:
    """Aggregates and constants, nested."""
    kind = draw.choice(("leaf", "leaf", "number", "binary", "binary", "binary", "minus", "round"))
    if depth == 0 or kind == "leaf":
        return draw.choice(aggregates)
    if kind == "number":
        return draw.choice(NUMBERS)
    inner = question(draw, aggregates, depth - 1)
    if kind == "minus":
        return f"-({inner})"
    if kind == "round":
        return f"round({inner})" if draw.random() < 0.3 else f"round({inner}, {draw.randrange(4)})"
    other = question(draw, aggregates, depth - 1)
    left, right = (f"({part})" if draw.random() < 0.6 else part for part in (inner, other))
    return f"{left} {draw.choice('+-*/')} {right}"


def aggregate(draw: Random, columns: Columns) -> str:
    name = draw.choice(columns.numbers)
    match draw.randrange(9):
        case 0:
            return f"count({draw.choice(columns.counted)})"
        case 1:
            return f"{draw.choice(SUMS)}({draw.choice(EXACT)})"
        case 2:
            return f"{draw.choice(SPREADS)}({name})"
        case 3:
            share = draw.choice(SHARES)
            return draw.choice(
                (
                    f"median({name})",
                    f"quantile_cont({name}, {share})",
                    f"quantile_disc({name}, {share})",
                    f"percentile_cont({share}) within group (order by {name})",
                    f"percentile_disc({share}) within group (order by {name})",
                )
            )
    return f"{draw.choice(SUMS)}({draw.choice(PAY).replace('pay', name)})"


CONDITIONS = (
    "age {sign} {number}", "bonus {sign} {number} / 4", "pay {sign} {number}", "age + pay {sign} bonus * 2",
    "abs(age - 3) {sign} bonus", "-age * 2 {sign} {number} - pay", "floor(bonus / 2) {sign} {number}",
    "round(bonus, 1) {sign} age / 2", "coalesce(age, 0) {sign} {number}", "age % 2 = 1", "age // 2 = 1",
    "age between {number} and {number} + 2", "age in ({number}, {number}, 3)", "bonus in (0.5, {number}, -1)",
    "age not in ({number}, null)", "age is null", "pay is not null", "(age > {number}) is true",
    "bonus = age",
    "city = 'Ulm'", "city <> 'D''Arc'", "city in ('Ulm', 'Kiel')", "city like '%o%'", "length(city) > 3",
    "job = '1,5'", "job in ('a', 'd\"e')", "job is null", "job <> 'it''s'", "job = 'b, c'", "job = 'a'",
    "zip like '1%'", "zip like '12%'", "zip {sign} '21'", "left(zip, 1) = '3'", "zip like '%3'",
    "zip in ('111', '23')", "day {sign} '2011-03-05'", "year(day) {sign} 2011", "month(day) = 3",
    "day between '2011-01-01' and '2011-02-15'", "case when age > 2 then pay else bonus end {sign} 1",
    "city || job = 'Ulma'", "lower(city) {sign} 'kiel'", "pay / age {sign} {number}", "age * bonus {sign} 2",
)  # fmt: skip


def condition(draw: Random, depth: int = 2) -> str:
    """Comparisons of generalized columns, nested."""
    kind = draw.choice(("leaf", "leaf", "and", "or", "not"))
    if depth == 0 or kind == "leaf":
        sign = draw.choice(("<", "<=", "=", "<>", ">=", ">"))
        return draw.choice(CONDITIONS).format(sign=sign, number=draw.randint(-2, 6))
    if kind == "not":
        return f"not ({condition(draw, depth - 1)})"
    return f"({condition(draw, depth - 1)}) {kind} ({condition(draw, depth - 1)})"


@dataclass(frozen=True)
class Original:
    """Rows of (group, age, pay); a question meets those above an age."""

    groups: list[int]
    ages: list[int]
    pays: list[int] | list[Decimal]
    above: int

    @property
    def table(self) -> pa.Table:
        kind = pa.int64() if isinstance(self.pays[0], int) else pa.decimal128(9, 2)
        return pa.table({"age": self.ages, "pay": pa.array(self.pays, kind), "shoal_group": self.groups})

    @property
    def condition(self) -> str:
        return f"age > {self.above}"

    def write_worlds(self, engine: duckdb.DuckDBPyConnection) -> None:
        """Every table that the release may come from, one for each permutation, in one."""
        worlds = list(permuted(self.groups, self.pays))
        table = self.table
        engine.register(
            "given",
            pa.table(
                {
                    "world": [number for number in range(len(worlds)) for _ in self.ages],
                    "age": self.ages * len(worlds),
                    "pay": pa.array([pay for world in worlds for pay in world], table["pay"].type),
                }
            ),
        )
        engine.execute("CREATE OR REPLACE TABLE worlds AS FROM given")

    def truths(self, engine: duckdb.DuckDBPyConnection, items: list[str]) -> list[tuple[object, ...]]:
        """What plain SQL says in each world, item by item."""
        named = ", ".join(items)
        rows = engine.execute(f"select {named} from worlds where {self.condition} group by world").fetchall()
        return list(zip(*rows, strict=True))


def original(draw: Random, decimals: bool) -> Original:
    """Of a handful of rows, so that all permutations can be looked at; some row is always met."""
    while True:
        sizes = [draw.randint(1, 4) for _ in range(draw.randint(1, 3))]
        if prod(prod(range(1, size + 1)) for size in sizes) <= MOST_WORLDS:
            break
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    ages = [draw.randint(1, 6) for _ in groups]
    units = [draw.randint(-400, 900) if draw.random() < 0.3 else draw.randint(1, 900) for _ in groups]
    pays = [Decimal(unit).scaleb(-2) for unit in units] if decimals else [unit // 100 for unit in units]
    return Original(groups, ages, pays, draw.randrange(max(ages)))
