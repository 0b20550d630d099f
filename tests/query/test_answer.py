"""Bounds, expectation and deviation against all permutations, one by one."""

from collections.abc import Callable
from dataclasses import astuple
from decimal import Decimal
from itertools import combinations
from statistics import fmean, median, pvariance, variance

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given

from shoal.query.answer import Bounds, answer
from shoal.query.permuted.database import open_database
from tests.draws import draws
from tests.query.releases import NINE, Drawn, ask, ask_each, drawn_releases, mean_and_deviation

Engine = duckdb.DuckDBPyConnection
Aggregate = Callable[[list[int]], float]

ATTAINED: dict[str, Aggregate] = {
    "sum(salary)": sum,
    "avg(salary)": fmean,
    "min(salary)": min,
    "max(salary)": max,
    "sum(2 * salary + 1)": lambda values: sum(2 * value + 1 for value in values),
    "sum(salary * salary)": lambda values: sum(value * value for value in values),
    "count(*)": len,
    "count(salary)": len,
}
MEDIANS: dict[str, Aggregate] = {"median(salary)": median, "quantile_cont(salary, 0.5)": median}
VARIANCES: dict[str, Aggregate] = {
    "var_pop(salary)": pvariance,
    "stddev_pop(salary)": lambda values: pvariance(values) ** 0.5,
    "var_samp(salary)": variance,
    "stddev(salary)": lambda values: variance(values) ** 0.5,
}


CONDITIONS: list[tuple[str, Callable[[int], bool]]] = [
    ("salary > 2", lambda value: value > 2),
    ("-3 <= salary and (salary < 4)", lambda value: -3 <= value < 4),
    ("salary between -1 and 6 and salary = 5", lambda value: value == 5),
    ("(salary < 0 or salary between 2 and 7)", lambda value: value < 0 or 2 <= value <= 7),
]


def asked(
    engine: Engine, aggregates: dict[str, Aggregate], drawn: Drawn, condition: str = "true"
) -> list[tuple[Bounds, Aggregate]]:
    items = {f"x{number}": expression for number, expression in enumerate(aggregates)}
    row = ask_each(engine, items, drawn, condition)
    return [(row[name], aggregates[expression]) for name, expression in items.items()]


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-6)


@draws(150)
@given(drawn=drawn_releases())
def test_all_figures_are_those_of_the_permutations(engine: Engine, drawn: Drawn) -> None:
    for found, aggregate in asked(engine, ATTAINED, drawn):
        truths = drawn.truths(aggregate)
        if not truths:
            assert found in (Bounds(None, None, None, None, 0), Bounds(0, 0, 0, 0.0, 0))
            continue
        expected, deviation = mean_and_deviation(truths)
        assert (found.lower, found.upper) == (close(min(truths)), close(max(truths)))
        assert (found.expected, found.sd) == (close(expected), close(deviation))
        assert found.lower <= min(truths)
        assert max(truths) <= found.upper


def test_a_discrete_quantile_keeps_every_digit() -> None:
    large = 2**53 + 1  # no float
    table = pa.table({"salary": [large, large + 2, large + 4], "shoal_group": [1, 1, 1]})
    (row,) = answer(
        *open_database(table, ["salary"]), "select quantile_disc(salary, 0.5) as x from data"
    ).rows
    assert row["x"].lower == row["x"].upper == large + 2


@draws(100)
@given(drawn=drawn_releases())
def test_the_bounds_of_a_median_are_attained(engine: Engine, drawn: Drawn) -> None:
    for found, aggregate in asked(engine, MEDIANS, drawn):
        truths = drawn.truths(aggregate)
        assert (found.lower, found.upper) == ((min(truths), max(truths)) if truths else (None, None))


@draws(100)
@given(drawn=drawn_releases())
def test_a_variance_has_an_exact_lower_and_a_safe_upper_bound(engine: Engine, drawn: Drawn) -> None:
    for found, aggregate in asked(engine, VARIANCES, drawn):
        if found.hits < 2:
            assert found.lower in (None, 0)
            continue
        truths = drawn.truths(aggregate)
        assert found.lower == pytest.approx(min(truths), rel=1e-6, abs=1e-4)
        assert found.lower <= min(truths) + 1e-12
        assert max(truths) - 1e-12 <= found.upper
        assert found.expected is None or found.expected == close(fmean(truths))


def test_one_value_far_from_the_others_leaves_the_bounds_of_a_variance_safe() -> None:
    """It is in the first choice and not in the best one: its square is added, and taken away again."""
    values = [0, *range(10**9 + 1, 10**9 + 1000)]
    table = pa.table({"place": range(1000), "salary": values, "shoal_group": [1] * 1000})
    sql = "select var_pop(salary) as x from data where place < 100"
    (row,) = answer(*open_database(table, ["salary"]), sql).rows
    assert row["x"].lower <= pvariance(range(100))
    assert row["x"].upper >= pvariance([*values[:50], *values[-50:]])


@pytest.mark.parametrize(
    "values",
    [[2**60 + place for place in range(4)], [-2_000_000_000, 2_000_000_000] * 2, [-(2**62), 2**62, 5, 7]],
)
def test_a_variance_of_large_numbers_has_bounds_that_hold(values: list[int]) -> None:
    """Near each other they are no different floats, and far from each other no difference of 64 bits."""
    table = pa.table({"age": [1, 1, 0, 0], "salary": values, "shoal_group": [1] * 4})
    sql = "select variance(salary) as x from data where age = 1"
    (row,) = answer(*open_database(table, ["salary"]), sql).rows
    truths = [variance(pair) for pair in combinations(values, 2)]
    assert row["x"].lower <= min(truths)
    assert row["x"].lower == pytest.approx(min(truths), rel=1e-9, abs=1e-9 * max(truths))
    assert max(truths) <= row["x"].upper == pytest.approx(max(truths), rel=1e-9)


@pytest.mark.parametrize(("condition", "fits"), CONDITIONS)
@draws(70)
@given(drawn=drawn_releases())
def test_a_condition_on_the_sensitive_column_bounds_the_count_and_the_sum(
    engine: Engine, condition: str, fits: Callable[[int], bool], drawn: Drawn
) -> None:
    aggregates: dict[str, Aggregate] = {
        "count(*)": lambda values: sum(map(fits, values)),
        "sum(salary)": lambda values: sum(filter(fits, values)),
        "sum(salary - 1)": lambda values: sum(value - 1 for value in values if fits(value)),
    }
    for found, aggregate in asked(engine, aggregates, drawn, condition):
        truths = drawn.truths(aggregate) or [0]
        if found.lower is None:
            assert set(truths) == {0}
            continue
        expected, deviation = mean_and_deviation(truths)
        assert (found.lower, found.upper) == (min(truths), max(truths))
        assert (found.expected, found.sd) == (close(expected), close(deviation))


@pytest.mark.parametrize(("condition", "fits"), CONDITIONS)
@draws(70)
@given(drawn=drawn_releases())
def test_a_condition_on_the_sensitive_column_gives_attained_bounds(
    engine: Engine, condition: str, fits: Callable[[int], bool], drawn: Drawn
) -> None:
    aggregates: dict[str, Aggregate] = {"avg(salary)": fmean, "min(salary)": min, "max(salary)": max}
    for found, aggregate in asked(engine, aggregates, drawn, condition):
        truths = drawn.truths(aggregate, fits)
        ends = (close(min(truths)), close(max(truths))) if truths else (None, None)
        assert (found.lower, found.upper) == ends


@draws(100)
@given(drawn=drawn_releases())
def test_arithmetic_is_safe(engine: Engine, drawn: Drawn) -> None:
    aggregates: dict[str, Aggregate] = {
        "(max(salary) - min(salary)) * -2 + sum(salary) / count(*)": (
            lambda values: (max(values) - min(values)) * -2 + fmean(values)
        ),
        "7 - 3 * avg(salary)": lambda values: 7 - 3 * fmean(values),
        "min(salary) * max(salary)": lambda values: min(values) * max(values),
        "100 / (sum(salary * salary) + 1)": lambda values: 100 / (sum(value * value for value in values) + 1),
    }
    for found, aggregate in asked(engine, aggregates, drawn):
        truths = drawn.truths(aggregate)
        if not truths:
            assert found.lower is None
            continue
        assert found.lower <= min(truths) + 1e-9
        assert max(truths) <= found.upper + 1e-9
        assert found.expected is None or found.expected == close(fmean(truths))
        assert found.sd is None or found.sd == close(mean_and_deviation(truths)[1])


@draws(40)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds(engine: Engine, drawn: Drawn) -> None:
    items = {"n": "count(*)", "s": "sum(salary)", "low": "min(salary)", "sd": "stddev_pop(salary)"}
    named = ", ".join(f"{expression} as {name}" for name, expression in items.items())
    rows = {
        row.pop("age"): row for row in ask(f"select age, {named} from data group by age", drawn.table).rows
    }
    assert set(rows) == set(drawn.ages)
    for age, row in rows.items():
        alone = ask_each(
            engine, items, Drawn(drawn.groups, [int(other == age) for other in drawn.ages], drawn.salaries)
        )
        for name, found in row.items():
            assert found.lower == close(alone[name].lower)
            assert found.upper == close(alone[name].upper)
            assert found.expected == (None if alone[name].expected is None else close(alone[name].expected))
            assert found.hits == drawn.ages.count(age)


@draws(40)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds_under_a_condition_on_the_sensitive_column(
    engine: Engine, drawn: Drawn
) -> None:
    items = {
        "n": "count(*)",
        "s": "sum(salary)",
        "a": "avg(salary)",
        "low": "min(salary)",
        "high": "max(salary)",
    }
    named = ", ".join(f"{expression} as {name}" for name, expression in items.items())
    sql = f"select age, {named} from data where salary > 2 group by age"
    rows = {row.pop("age"): row for row in ask(sql, drawn.table).rows}
    for age in set(drawn.ages):
        mirrored = Drawn(drawn.groups, [int(other == age) for other in drawn.ages], drawn.salaries)
        alone = ask_each(engine, items, mirrored, "salary > 2")
        for name, found in rows.get(age, {}).items():
            for figure, other in zip(astuple(found), astuple(alone[name]), strict=True):
                assert figure == (None if other is None else close(other))
        assert (age in rows) == (alone["n"].upper > 0)


def test_rounding_keeps_bounds() -> None:
    (row,) = ask("select round(avg(salary) / 1000, 0) as x from data where age > 40 and age < 55").rows
    assert (row["x"].lower, row["x"].expected, row["x"].upper, row["x"].sd) == (73, None, 75, None)


def test_a_missing_key_is_a_key() -> None:
    table = pa.table({"age": [None, None, 1], "salary": [5, 7, 9], "shoal_group": [1, 1, 1]})
    rows = ask(
        "select age, sum(salary) as s, var_pop(salary) as v, min(salary) as m from data group by age", table
    ).rows
    assert [(row["age"], row["s"].lower, row["s"].upper, row["m"].upper) for row in rows] == [
        (1, 5, 9, 9),
        (None, 12, 16, 7),
    ]


def test_decimals_and_floats_are_added_exactly() -> None:
    table = pa.table({"age": [1, 1, 1], "salary": [0.1, 0.2, 0.3], "shoal_group": [1, 1, 1]})
    (row,) = ask("select sum(salary) as s from data", table).rows
    assert row["s"] == Bounds(*[Decimal("0.6")] * 3, 0.0, 3)


def test_a_median_of_decimals_holds_the_number_between_them_and_what_the_engine_cuts_it_to() -> None:
    table = pa.table({"age": [1, 1], "salary": [0.01, 0.02], "shoal_group": [1, 1]})
    (row,) = ask(
        "select median(salary) as m, quantile_disc(salary, 0.5) as d, avg(age) as a from data", table
    ).rows
    assert (row["m"].lower, row["m"].upper, row["m"].hits) == (Decimal("0.01"), Decimal("0.015"), 2)
    assert (row["d"].lower, row["a"].lower) == (Decimal("0.01"), 1)


def test_columns_are_found_whatever_they_are_called() -> None:
    table = pa.table(
        {"select": [1, 1, 2], 'net "pay"': [5, 7, 9], "hits": [1, 1, 1], "shoal_group": [1, 1, 1]}
    )
    sql = 'select d."SELECT" as one, sum("net ""pay""") as s from data d where d.hits = 1 group by "select"'
    rows = ask(sql, table, ('net "pay"',)).rows
    assert [(row["one"], row["s"].lower, row["s"].upper) for row in rows] == [(1, 12, 16), (2, 5, 9)]


def test_several_sensitive_columns_are_answered_side_by_side() -> None:
    table = pa.table({"age": [1, 2], "salary": [10, 20], "bonus": [4, 3], "shoal_group": [1, 1]})
    (row,) = ask(
        "select sum(salary) as s, max(bonus) as b from data where age = 1", table, ("salary", "bonus")
    ).rows
    assert (row["s"].lower, row["s"].upper, row["b"].lower, row["b"].upper) == (10, 20, 3, 4)


def test_order_and_limit_follow_the_expected_values_and_say_so() -> None:
    found = ask("select gender, avg(salary) as mean from data group by gender order by mean desc limit 1")
    assert [row["gender"] for row in found.rows] == ["F"]
    assert any("expected" in note for note in found.notes)


def test_an_answer_as_plain_values_has_the_documented_shape() -> None:
    plain = ask("select gender, sum(salary) from data where age > 50 group by gender").as_dict()
    assert plain["columns"] == ["gender", "sum(salary)"]
    first = {"lower": 75000, "expected": 80000.0, "upper": 85000, "sd": pytest.approx(4082.4829), "hits": 1}
    assert plain["rows"][0] == {"gender": "F", "sum(salary)": first}


@pytest.mark.parametrize(
    "condition",
    [
        "age > 40 and not gender = 'M'",
        "age between 38 and 52 or zipcode like '271%'",
        "age in (35, 58) or gender not in ('F')",
        "age % 2 = 0 and age // 10 = 4",
        "-age + 2 * 3 < -40 and (age - 1) / 2 > 20.5",
        "left(zipcode, 3) = '276' or right(zipcode, 1) = '0'",
        "substring(zipcode, 3, 1) = '1' and lower(gender) || 'x' = 'mx'",
        "cast(zipcode as int) > 27200 and length(zipcode) = 5",
        "case when gender = 'F' then age else 100 - age end > 50",
        "coalesce(age, 0) >= 47 and gender is not null",
        "abs(age - 45) < 5 or round(age / 7) = 5 or floor(age / 7) = ceil(age / 7)",
        "upper(trim(gender)) = 'M' and zipcode ilike '%0'",
        "if(age > 50, true, false) or starts_with(zipcode, '2722')",
        "shoal_group <> 2",
    ],
)
def test_exact_conditions_mean_what_they_mean_in_the_engine(condition: str) -> None:
    connection, schema = open_database(NINE, ("salary",))
    sql = f"select count(*) as n, count(distinct zipcode) as z, avg(age) as a from data where {condition}"
    with connection:
        (row,) = answer(connection, schema, sql).rows
        (truth,) = connection.execute(sql).fetchall()
    assert tuple(bounds.lower for bounds in row.values()) == truth
    assert 0 < truth[0] < 9


@pytest.mark.parametrize(
    ("items", "group", "may_be"),
    [
        ("avg(salary)", "", True),
        ("count(*), max(salary) - 1", "", True),
        ("count(*)", "", False),
        ("gender, avg(salary)", "group by gender", False),  # such a row does not exist
    ],
)
def test_a_note_says_that_no_record_may_fit_a_condition_on_a_sensitive_column(
    items: str, group: str, may_be: bool
) -> None:
    notes = ask(f"select {items} from data where salary > 80000 and age > 55 {group}").notes
    assert any("NULL" in note for note in notes) == may_be
