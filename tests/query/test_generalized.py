"""Bounds on generalized releases against all the tables that they may come from, one by one."""

from itertools import product
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings

from shoal.query.answer import Bounds
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.opened import Opened, open_generalized
from tests.query.drawn import times
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
    engine: Engine, opened: Opened, items: dict[str, str], where: str
) -> list[tuple[str, Bounds, list[Any]]]:
    """Each bound, and the answers of all worlds in which some record matches."""
    (row,) = answer_generalized(opened, f"select {named(items)} from data {where}").rows
    found = truths(engine, named(items), where)
    return [(name, row[name], [world[at] for world in found]) for at, name in enumerate(items, 1)]


@pytest.mark.parametrize("items", [ATTAINED, RANGED], ids=["exact", "ranged"])
@settings(max_examples=times(4), deadline=None)
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


@settings(max_examples=times(4), deadline=None)
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


@settings(max_examples=times(4), deadline=None)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds(engine: Engine, drawn: Drawn) -> None:
    drawn.write_worlds(engine)
    opened = open_generalized(drawn.table, POLICY, 0)
    count = sum(1 for _ in drawn.worlds())
    wheres = ("", "where age > 1", "where city = 'Ulm'", "where sex = 'M' and pay > 0")
    for keys, where in product(("city", "sex", "city, sex", "pay, city", "lower(city)"), wheres):
        check_keys(engine, opened, keys, where, count)
    opened.connection.close()


def check_keys(engine: Engine, opened: Opened, keys: str, where: str, count: int) -> None:
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
