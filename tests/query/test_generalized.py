"""Bounds on generalized releases against all the tables that they may come from, one by one."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.query.answer import Bounds
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.database import GeneralizedDatabase, open_generalized
from tests.draws import draws
from tests.query.generalized_releases import POLICY, Drawn, drawn_releases, truths

Engine = duckdb.DuckDBPyConnection
WHERE = [
    "",
    "where age > 1",
    "where age between 0 and 2",
    "where not (age <= 1)",
    "where age in (0, 2)",
    "where age + pay > bonus",
    "where city = 'Ulm' and age < 2",
    "where city <> 'Kiel' or sex is null",
    "where sex = 'M'",
    "where not (sex = 'F' and age > 0)",
    "where sex like 'M%' or abs(bonus) >= 2",
    "where 2 * bonus - age < pay",
]
ATTAINED = {
    "count": "count(*)",
    "pays": "count(pay)",
    "total": "sum(pay)",
    "mean": "avg(pay)",
    "least": "min(pay)",
    "most": "max(pay)",
    "middle": "median(pay)",
    "quarter": "quantile_cont(pay, 0.25)",
    "third": "quantile_disc(pay, 0.3)",
    "high": "quantile_cont(pay, 0.9)",
}
RANGED = {
    "bonuses": "count(bonus)",
    "total": "sum(bonus)",
    "mean": "avg(bonus)",
    "least": "min(bonus)",
    "most": "max(bonus)",
    "middle": "median(bonus)",
    "third": "quantile_disc(bonus, 0.3)",
}
SAFE = {
    "a": "var_pop(pay)",
    "b": "var_samp(pay)",
    "c": "stddev_pop(bonus)",
    "d": "stddev(bonus)",
    "e": "sum(pay * bonus)",
    "f": "sum(abs(age) - bonus)",
    "g": "max(pay) - 2 * min(pay) + sum(bonus) / count(*)",
    "h": "sum(floor(bonus / 2))",
    "i": "sum(case when bonus > 0 then 1 else 0 end)",
}


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-6)


def named(items: dict[str, str]) -> str:
    return ", ".join(f"{expression} as {name}" for name, expression in items.items())


def compared(
    engine: Engine, opened: GeneralizedDatabase, items: dict[str, str], where: str
) -> list[tuple[str, Bounds, list[Any]]]:
    """Each bound, and the answers of all worlds in which some record matches."""
    (row,) = answer_generalized(opened, f"select {named(items)} from data {where}").rows
    found = truths(engine, named(items), where)
    return [(name, row[name], [world[at] for world in found]) for at, name in enumerate(items, 1)]


@pytest.mark.long
@pytest.mark.parametrize("items", [ATTAINED, RANGED], ids=["exact", "ranged"])
@draws(40)
@given(drawn=drawn_releases())
def test_bounds_are_the_extremes_over_all_original_tables(
    engine: Engine, items: dict[str, str], drawn: Drawn
) -> None:
    drawn.write_worlds(engine)
    opened = open_generalized(drawn.table, POLICY, 0)
    count = sum(1 for _ in drawn.worlds())
    for where in WHERE:
        for name, found, all_truths in compared(engine, opened, items, where):
            values = [truth for truth in all_truths if truth is not None]
            if name in ("count", "pays", "bonuses", "total") and len(values) < count:
                values.append(0)  # nothing adds up to 0
            if found.lower is None or not values:
                assert found.lower == found.upper
                assert set(values) <= {0}
                continue
            if independent(name, items, where):
                assert (found.lower, found.upper) == (close(min(values)), close(max(values))), (name, where)
            assert found.lower <= min(values) + 1e-9, (name, where)
            assert max(values) <= found.upper + 1e-9, (name, where)
    opened.connection.close()


def independent(name: str, items: dict[str, str], where: str) -> bool:
    """A value that is itself part of the condition may be told better by both together."""
    return not any(column in where and column in items[name] for column in ("bonus", "pay"))


@pytest.mark.long
@draws(40)
@given(drawn=drawn_releases())
def test_what_is_not_attained_is_safe(engine: Engine, drawn: Drawn) -> None:
    drawn.write_worlds(engine)
    opened = open_generalized(drawn.table, POLICY, 0)
    for where in WHERE:
        for name, found, all_truths in compared(engine, opened, SAFE, where):
            values = [truth for truth in all_truths if truth is not None]
            assert not values or found.lower is None or found.lower <= min(values) + 1e-9, (name, where)
            assert not values or found.upper is None or max(values) <= found.upper + 1e-9, (name, where)
    opened.connection.close()


@pytest.mark.long
@draws(40)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds(engine: Engine, drawn: Drawn) -> None:
    drawn.write_worlds(engine)
    opened = open_generalized(drawn.table, POLICY, 0)
    count = sum(1 for _ in drawn.worlds())
    wheres = ("", "where age > 1", "where city = 'Ulm'", "where sex = 'M' and pay > 0")
    for keys, where in product(("city", "sex", "city, sex", "pay, city", "lower(city)"), wheres):
        assert_keys(engine, opened, keys, where, count)
    opened.connection.close()


def assert_keys(engine: Engine, opened: GeneralizedDatabase, keys: str, where: str, count: int) -> None:
    items = {"n": "count(*)", "mean": "avg(bonus)", "most": "max(bonus)"}
    sql = f"select {keys}, {named(items)} from data {where} group by {keys}"
    rows = answer_generalized(opened, sql).rows
    worlds = truths(engine, named(items), f"{where} group by {keys}")
    width = keys.count(",") + 1
    given_keys = [tuple(value for name, value in row.items() if name not in items) for row in rows]
    assert set(given_keys) == {world[1 : 1 + width] for world in worlds}
    for key, row in zip(given_keys, rows, strict=True):
        own = [world[1 + width :] for world in worlds if world[1 : 1 + width] == key]
        counts = [world[0] for world in own] + [0] * (len(own) < count)
        assert (row["n"].lower, row["n"].upper) == (min(counts), max(counts))
        for at, name in enumerate(items):
            values = [world[at] for world in own]
            ends = (close(min(values)), close(max(values)))
            assert name == "n" or (row[name].lower, row[name].upper) == ends


@st.composite
def decimal_worlds(draw: st.DrawFn) -> tuple[int, list[int], list[tuple[int, int, int]], list[int]]:
    """The digits behind the point, exact amounts, ranges of amounts with one inside, and ages of 1 or 2."""
    digits, rows = draw(st.integers(1, 4)), draw(st.integers(2, 9))
    units = st.integers(-60, 60)
    pays = draw(st.lists(units, min_size=rows, max_size=rows))
    ranges = [tuple(sorted(draw(st.tuples(units, units, units)))) for _ in range(rows)]
    return digits, pays, ranges, draw(st.lists(st.integers(1, 2), min_size=rows, max_size=rows))


@draws(600)
@given(world=decimal_worlds(), share=st.sampled_from(["0.5", "0.25", "0.9", "0.1", "0.37", "0.731"]))
def test_quantiles_of_decimals_hold_what_plain_sql_and_what_arithmetic_says(
    engine: Engine, world: tuple[int, list[int], list[tuple[int, int, int]], list[int]], share: str
) -> None:
    digits, pays, ranges, ages = world
    cell = lambda units: str(Decimal(units).scaleb(-digits))  # noqa: E731
    published = {
        "age": ["[1, 2]"] * len(pays),
        "pay": [cell(units) for units in pays],
        "bonus": [f"[{cell(low)}, {cell(high)}]" for low, _, high in ranges],
    }
    middles = [middle for _, middle, _ in ranges]
    kind = pa.decimal128(9, digits)
    amounts = {
        name: pa.array([Decimal(cell(one)) for one in units], kind)
        for name, units in (("pay", pays), ("bonus", middles))
    }
    engine.register("plain", pa.table({"age": ages} | amounts))
    items = ", ".join(f"quantile_cont({name}, {share}) as {name}" for name in amounts)
    for where, met in (("", ages), ("where age = 1", [age for age in ages if age == 1])):
        if not met:
            continue
        (told,) = engine.execute(f"select {items} from plain {where}").fetchall()
        (row,) = answer_generalized(
            open_generalized(pa.table(published), POLICY, 0), f"select {items} from data {where}"
        ).rows
        for at, (name, units) in enumerate((("pay", pays), ("bonus", middles))):
            taken = [one for one, age in zip(units, ages, strict=True) if not where or age == 1]
            exact = _quantile(taken, Fraction(share)) / 10**digits
            lower, upper = (Fraction(str(end)) for end in (row[name].lower, row[name].upper))
            assert lower <= Fraction(str(told[at])) <= upper
            assert lower - Fraction(1, 10**12) <= exact <= upper + Fraction(1, 10**12)


def _quantile(values: list[int], share: Fraction) -> Fraction:
    """Between the two values around a place, as far as the place is from the first."""
    ordered, place = sorted(values), share * (len(values) - 1)
    first, part = floor(place), place - floor(place)
    last = min(first + 1, len(values) - 1)
    return ordered[first] + part * (ordered[last] - ordered[first])
