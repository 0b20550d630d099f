"""Bounds on generalized releases against all the tables that they may come from, one by one."""

from typing import Any

import duckdb
import pytest
from hypothesis import given, settings

from shoal.query.answer import Bounds
from tests.query.generalized_releases import POLICY, Drawn, ask, drawn_releases

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
    engine: Engine, drawn: Drawn, items: dict[str, str], where: str
) -> list[tuple[str, Bounds, list[Any]]]:
    """Each bound, and the answers of all worlds in which some record matches."""
    (row,) = ask(f"select {named(items)} from data {where}", drawn.table, POLICY).rows
    worlds = drawn.truths(engine, named(items), where)
    return [
        (name, row[name], [world[at] for world in worlds if world[at] is not None])
        for at, name in enumerate(items, 1)
    ]


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("items", [ATTAINED, RANGED], ids=["exact", "ranged"])
@settings(max_examples=12, deadline=None)
@given(drawn=drawn_releases())
def test_bounds_are_the_extremes_over_all_original_tables(
    engine: Engine, items: dict[str, str], where: str, drawn: Drawn
) -> None:
    some = drawn.truths(engine, "count(*)", where)
    everywhere = len(some) == sum(1 for _ in drawn.worlds())
    for name, found, truths in compared(engine, drawn, items, where):
        if name in ("count", "pays", "bonuses", "total") and not everywhere and found.lower is not None:
            truths = [*truths, 0]  # worlds without a matching record count as 0
        if not truths:
            assert (found.lower, found.upper) in ((None, None), (0, 0)), name
            continue
        if independent(name, items, where):
            assert (found.lower, found.upper) == (close(min(truths)), close(max(truths))), name
        assert found.lower <= min(truths) + 1e-9, name
        assert max(truths) <= found.upper + 1e-9, name


def independent(name: str, items: dict[str, str], where: str) -> bool:
    """A value that is itself part of the condition may be told better by both together."""
    return not any(column in where and column in items[name] for column in ("bonus", "pay"))


@pytest.mark.parametrize("where", WHERE)
@settings(max_examples=8, deadline=None)
@given(drawn=drawn_releases())
def test_what_is_not_attained_is_safe(engine: Engine, where: str, drawn: Drawn) -> None:
    for name, found, truths in compared(engine, drawn, SAFE, where):
        if not truths:
            continue
        assert found.lower is None or found.lower <= min(truths) + 1e-9, name
        assert found.upper is None or max(truths) <= found.upper + 1e-9, name


@pytest.mark.parametrize("keys", ["city", "sex", "pay", "city, sex", "pay, city", "lower(city)"])
@pytest.mark.parametrize("where", ["", "where age > 1", "where city = 'Ulm'", "where sex = 'M' and pay > 0"])
@settings(max_examples=6, deadline=None)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds(engine: Engine, keys: str, where: str, drawn: Drawn) -> None:
    items = {"n": "count(*)", "mean": "avg(bonus)", "most": "max(bonus)"}
    rows = ask(f"select {keys}, {named(items)} from data {where} group by {keys}", drawn.table, POLICY).rows
    names = [name for name in (rows[0] if rows else {}) if name not in items]
    worlds = drawn.truths(engine, named(items), f"{where} group by {keys}")
    width = keys.count(",") + 1
    assert {tuple(row[name] for name in names) for row in rows} == {world[1 : 1 + width] for world in worlds}
    count = sum(1 for _ in drawn.worlds())
    for row in rows:
        own = [world for world in worlds if world[1 : 1 + width] == tuple(row[name] for name in names)]
        counts = [world[1 + width] for world in own] + [0] * (len(own) < count)
        assert (row["n"].lower, row["n"].upper) == (min(counts), max(counts))
        for at, name in enumerate(items):
            truths = [world[1 + width + at] for world in own]
            assert row[name].lower <= min(truths) + 1e-9
            assert max(truths) <= row[name].upper + 1e-9
