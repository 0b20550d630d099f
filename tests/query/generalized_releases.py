"""Small generalized releases, and all the tables that they may come from."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import strategies as st

from shoal.policy.model.policy import Policy
from shoal.query.answer import Answer
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.database import open_generalized

TREE = {"south": ["Ulm", "Bonn"], "north": ["Kiel"]}
POLICY = Policy(
    columns={"age": "quasi", "city": "quasi", "sex": "quasi", "pay": "sensitive", "bonus": "quasi"},
    hierarchies={"city": {"tree": TREE}},
    missing={"city": "error"},
    guarantees=[{"kind": "k-anonymity", "k": 2}],
)
CITIES = {"south": ("Ulm", "Bonn"), "*": ("Ulm", "Bonn", "Kiel"), "Ulm": ("Ulm",), "Kiel": ("Kiel",)}
SEXES: dict[str | None, tuple[str | None, ...]] = {"F": ("F",), "{F, M}": ("F", "M"), "{M, }": ("M", None)}

NINE = pa.table(
    {
        "age": ["[31, 40]"] * 3 + ["[41, 50]"] * 3 + ["[51, 60]"] * 3,
        "zipcode": ["271**"] * 3 + ["272**"] * 3 + ["276**"] * 3,
        "gender": ["*"] * 9,
        "salary": [56000, 54000, 55000, 65000, 75000, 70000, 80000, 75000, 85000],
    }
)
NINE_POLICY = Policy(
    columns={"age": "quasi", "zipcode": "quasi", "gender": "quasi", "salary": "sensitive"},
    hierarchies={
        "age": {"intervals": [10]},
        "zipcode": {"mask": "right"},
        "gender": {"tree": {"person": ["F", "M"]}},
    },
    guarantees=[{"kind": "k-anonymity", "k": 3}],
)


def ask(sql: str, table: pa.Table = NINE, policy: Policy = NINE_POLICY, suppressed: int = 0) -> Answer:
    opened = open_generalized(table, policy, suppressed)
    with opened.connection:
        return answer_generalized(opened, sql)


@dataclass(frozen=True)
class Drawn:
    """Rows of (age, city, sex, pay, bonus): lists of what each cell may be, and how it is published."""

    rows: list[tuple[Any, ...]]

    @property
    def table(self) -> pa.Table:
        ages, cities, sexes, pays, bonuses = zip(*self.rows, strict=True)
        return pa.table(
            {
                "age": pa.array([_range(age) for age in ages], pa.string()),
                "city": pa.array(cities, pa.string()),
                "sex": pa.array(sexes, pa.string()),
                "pay": pa.array(pays, pa.int64()),
                "bonus": pa.array([_range(bonus) for bonus in bonuses], pa.string()),
            }
        )

    def worlds(self) -> Iterator[list[tuple[Any, ...]]]:
        """Every table that this release may come from."""
        choices = [
            list(product(_all(age), CITIES[city], SEXES[sex], [pay], _all(bonus)))
            for age, city, sex, pay, bonus in self.rows
        ]
        for world in product(*choices):
            yield list(world)

    def write_worlds(self, engine: duckdb.DuckDBPyConnection) -> None:
        """All tables in one, for ``truths``."""
        flat = [(number, *row) for number, world in enumerate(self.worlds()) for row in world]
        names = ("world", "age", "city", "sex", "pay", "bonus")
        kinds = (pa.int64(), pa.int64(), pa.string(), pa.string(), pa.int64(), pa.int64())
        cells = zip(*flat, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(cells, kinds, strict=True)]
        engine.register("given", pa.table(dict(zip(names, arrays, strict=True))))
        engine.execute("CREATE OR REPLACE TABLE worlds AS FROM given")


def truths(engine: duckdb.DuckDBPyConnection, items: str, tail: str) -> list[tuple[Any, ...]]:
    """The answers in every world in which a record matches, by the engine itself."""
    where, _, keys = tail.partition("group by")
    keyed = f", {keys}" if keys else ""
    return engine.execute(
        f"select world{keyed}, {items} from worlds {where} group by world{keyed}"
    ).fetchall()


def _range(cell: tuple[int, int] | None) -> str | None:
    if cell is None:
        return None
    return str(cell[0]) if cell[0] == cell[1] else f"[{cell[0]}, {cell[1]}]"


def _all(cell: tuple[int, int] | None) -> list[int | None]:
    return [None] if cell is None else list(range(cell[0], cell[1] + 1))


@st.composite
def ranges(draw: st.DrawFn, missing: bool = False) -> tuple[int, int] | None:
    if missing and draw(st.integers(0, 5)) == 0:
        return None
    low = draw(st.integers(-2, 3))
    return low, low + draw(st.sampled_from([0, 0, 1, 2]))


@st.composite
def drawn_releases(draw: st.DrawFn) -> Drawn:
    rows = []
    size = 1
    for _ in range(draw(st.integers(1, 4))):
        row = (
            draw(ranges(missing=True)),
            draw(st.sampled_from(list(CITIES))),
            draw(st.sampled_from(list(SEXES))),
            draw(st.one_of(st.integers(-4, 6), st.none())),
            draw(ranges()),
        )
        count = len(_all(row[0])) * len(CITIES[row[1]]) * len(SEXES[row[2]]) * len(_all(row[4]))
        if size * count > 2_000:
            continue
        size *= count
        rows.append(row)
    return Drawn(rows or [((1, 1), "Ulm", "F", 1, (1, 1))])
