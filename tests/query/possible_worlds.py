"""Generalized releases drawn around a table, and tables drawn from inside the published cells.

Each cell is published exactly, as a range, label, set, beginning or star, and always stands for what it was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import pyarrow as pa

from shoal.policy.model.policy import Policy
from shoal.table.columns.word_set import cell_of

CITIES = {"south": ("Ulm", "Bonn"), "north": ("Kiel", "D'Arc")}
JOBS = ("a", "b, c", 'd"e', "it's", "1,5")
STEP = Decimal("0.05")
DAYS = (date(2010, 12, 30), 400)  # the first, and how many there are
POLICY = Policy(
    columns={
        "age": "quasi", "bonus": "quasi", "city": "quasi", "job": "quasi", "zip": "quasi", "day": "quasi",
        "pay": "sensitive",
    },
    hierarchies={
        "city": {"tree": {name: list(cities) for name, cities in CITIES.items()}},
        "zip": {"mask": "right"},
        "day": {"dates": ["month", "year"]},
    },
    missing={"city": "error"},
    guarantees=[{"kind": "k-anonymity", "k": 2}],
)  # fmt: skip
KINDS = {
    "age": pa.int64(), "bonus": pa.decimal128(9, 2), "city": pa.string(), "job": pa.string(),
    "zip": pa.string(), "day": pa.date32(), "pay": pa.int64(),
}  # fmt: skip
Again = Callable[[Random], Any]  # another value that the cell may stand for


@dataclass(frozen=True)
class Cell:
    """What was there, how it is published, and how other values of the same cell are drawn."""

    value: Any
    published: Any
    again: Again


@dataclass(frozen=True)
class Around:
    """A release as rows of cells."""

    rows: list[dict[str, Cell]]
    kinds: dict[str, pa.DataType]

    @property
    def table(self) -> pa.Table:
        columns = {name: [row[name].published for row in self.rows] for name in self.kinds}
        return pa.table(
            {
                name: pa.array(cells, self.kinds["pay"]) if name == "pay" else self._published(name, cells)
                for name, cells in columns.items()
            }
        )

    def _published(self, name: str, cells: list[Any]) -> pa.Array:
        if not isinstance(next((cell for cell in cells if cell is not None), ""), tuple):
            return pa.array(cells, pa.string())
        kind = self.kinds[name]
        pairs = [None if cell is None else {"lo": cell[0], "hi": cell[1]} for cell in cells]
        return pa.array(pairs, pa.struct([("lo", kind), ("hi", kind)]))

    def write_worlds(self, engine: duckdb.DuckDBPyConnection, draw: Random, count: int) -> None:
        """The original as world 0, and so many others, as the table ``worlds``."""
        drawings = [lambda cell: cell.value] + [lambda cell: cell.again(draw)] * count
        worlds = [
            [{name: value(cell) for name, cell in row.items()} for row in self.rows] for value in drawings
        ]
        flat = [(number, row) for number, world in enumerate(worlds) for row in world]
        columns = {name: pa.array([row[name] for _, row in flat], kind) for name, kind in self.kinds.items()}
        engine.register("given", pa.table({"world": [number for number, _ in flat]} | columns))
        engine.execute("CREATE OR REPLACE TABLE worlds AS FROM given")


def around(draw: Random) -> Around:
    """A handful of records, in some tables with stars and missing cells."""
    structs, decimals = draw.random() < 0.3, draw.random() < 0.4
    open_cells = draw.choice((0.0, 0.0, 0.15))  # stars and missing cells spoil most bounds of their column
    kinds = KINDS | ({"pay": pa.decimal128(9, 2)} if decimals else {})
    rows = []
    for _ in range(draw.randint(1, 7)):
        pay = None if draw.random() < open_cells else draw.randint(-4, 9)
        amount = Decimal(draw.randint(-400, 900)).scaleb(-2) if decimals and pay is not None else pay
        rows.append(
            {
                "age": _range(draw, draw.randint(-2, 6), 1, structs, open_cells),
                "bonus": _range(draw, draw.randint(-30, 90) * STEP, STEP, structs, open_cells),
                "city": _city(draw),
                "job": _job(draw, open_cells),
                "zip": _zip(draw, open_cells),
                "day": _day(draw, open_cells),
                "pay": Cell(amount, amount, lambda _, amount=amount: amount),
            }
        )
    return Around(rows, kinds)


def _range(draw: Random, value: Any, step: Any, structs: bool, open_cells: float) -> Cell:
    if draw.random() < open_cells:
        return Cell(None, None, lambda _: None)
    if draw.random() < open_cells and not structs:
        return Cell(value, "*", lambda draw: draw.choice((None, value, value + 7 * step, -40 * step)))
    below, above = (draw.choice((0, 0, 1, 2, 5)) * step for _ in range(2))
    low, high = value - below, value + above
    ends = (low, high) if structs else str(low) if low == high else f"[{low}, {high}]"
    steps = int((high - low) / step)
    return Cell(value, ends, lambda draw: low + step * draw.choice((0, steps, draw.randint(0, steps))))


def _city(draw: Random) -> Cell:
    label = draw.choice(list(CITIES))
    city = draw.choice(CITIES[label])
    words = {city: (city,), label: CITIES[label], "*": sum(CITIES.values(), ())}
    published = draw.choice(list(words))
    return Cell(city, published, lambda draw: draw.choice(words[published]))


def _job(draw: Random, open_cells: float) -> Cell:
    words: list[str | None] = list(draw.sample(JOBS, draw.choice((1, 1, 2, 3))))
    if draw.random() < open_cells:
        words.append(None)
    if draw.random() < open_cells:
        return Cell(words[0], "*", lambda draw: draw.choice((None, "another", *words)))
    return Cell(words[0], cell_of(words), lambda draw: draw.choice(words))


def _zip(draw: Random, open_cells: float) -> Cell:
    word = "".join(draw.choice("123") for _ in range(3))
    if draw.random() < open_cells:
        return Cell(None, None, lambda _: None)
    kept = draw.randint(1, 3)
    hidden = 3 - kept
    return Cell(
        word,
        word[:kept] + "*" * hidden,
        lambda draw: word[:kept] + "".join(draw.choice("1239") for _ in range(hidden)),
    )


def _day(draw: Random, open_cells: float) -> Cell:
    first, count = DAYS
    day = first + timedelta(days=draw.randrange(count))
    if draw.random() < open_cells:
        return Cell(day, "*", lambda draw: draw.choice((None, day, first + timedelta(days=7 * count))))
    level = draw.choice((10, 10, 7, 4))
    published = day.isoformat()[:level]
    days = [first + timedelta(days=at) for at in range(count)]
    inside = [one for one in days if one.isoformat()[:level] == published]
    return Cell(day, published, lambda draw: draw.choice(inside))
