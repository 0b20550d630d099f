"""Bounds, expectation and deviation against all permutations, one by one."""

from collections.abc import Callable
from statistics import fmean, median, pvariance, variance

import pyarrow as pa
import pytest
from hypothesis import given, settings

from shoal.query.answer import Bounds
from tests.query.releases import Drawn, ask, drawn_releases, mean_and_deviation

Aggregate = Callable[[list[int]], float | None]

SUM: Aggregate = lambda values: sum(values) if values else None  # noqa: E731
AVG: Aggregate = lambda values: fmean(values) if values else None  # noqa: E731
MIN: Aggregate = lambda values: min(values, default=None)  # noqa: E731
MAX: Aggregate = lambda values: max(values, default=None)  # noqa: E731
MEDIAN: Aggregate = lambda values: median(values) if values else None  # noqa: E731
VARIANCE: Aggregate = lambda values: variance(values) if len(values) > 1 else None  # noqa: E731
VAR_POP: Aggregate = lambda values: pvariance(values) if values else None  # noqa: E731
DEVIATION: Aggregate = lambda values: variance(values) ** 0.5 if len(values) > 1 else None  # noqa: E731


def bounds_of(function: str, drawn: Drawn, condition: str = "") -> Bounds:
    (row,) = ask(f"select {function} as x from data where age = 1 {condition}", drawn.table).rows
    return row["x"]


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(
    ("function", "aggregate"),
    [
        ("sum(salary)", SUM),
        ("avg(salary)", AVG),
        ("min(salary)", MIN),
        ("max(salary)", MAX),
        ("sum(2 * salary + 1)", lambda values: sum(2 * value + 1 for value in values) if values else None),
        ("sum(salary * salary)", lambda values: sum(value * value for value in values) if values else None),
    ],
)
@settings(max_examples=60, deadline=None)
@given(drawn=drawn_releases())
def test_all_figures_are_those_of_the_permutations(function: str, aggregate: Aggregate, drawn: Drawn) -> None:
    found = bounds_of(function, drawn)
    truths = drawn.truths(aggregate)
    if not truths:
        assert found == Bounds(None, None, None, None, 0)
        return
    expected, deviation = mean_and_deviation(truths)
    assert (found.lower, found.upper) == (close(min(truths)), close(max(truths)))
    assert (found.expected, found.sd) == (close(expected), close(deviation))
    assert found.lower <= min(truths)
    assert max(truths) <= found.upper


@pytest.mark.parametrize("function", ["median(salary)", "quantile_cont(salary, 0.5)"])
@settings(max_examples=40, deadline=None)
@given(drawn=drawn_releases())
def test_the_bounds_of_a_median_are_attained(function: str, drawn: Drawn) -> None:
    found = bounds_of(function, drawn)
    truths = drawn.truths(MEDIAN)
    assert (found.lower, found.upper) == ((min(truths), max(truths)) if truths else (None, None))


@pytest.mark.parametrize(
    ("function", "aggregate"),
    [("var_samp(salary)", VARIANCE), ("var_pop(salary)", VAR_POP), ("stddev(salary)", DEVIATION)],
)
@settings(max_examples=80, deadline=None)
@given(drawn=drawn_releases())
def test_a_variance_has_an_exact_lower_and_a_safe_upper_bound(
    function: str, aggregate: Aggregate, drawn: Drawn
) -> None:
    found = bounds_of(function, drawn)
    truths = drawn.truths(aggregate)
    if not truths:
        assert found.lower is None
        assert found.upper is None
        return
    assert found.lower == pytest.approx(min(truths), rel=1e-6, abs=1e-4)
    assert found.lower <= min(truths) + 1e-12
    assert max(truths) - 1e-12 <= found.upper
    if function != "stddev(salary)":
        assert found.expected == pytest.approx(fmean(truths), rel=1e-6, abs=1e-6)


@settings(max_examples=80, deadline=None)
@given(drawn=drawn_releases())
def test_a_condition_on_the_sensitive_column_bounds_the_count_and_the_sum(drawn: Drawn) -> None:
    count = bounds_of("count(*)", drawn, "and salary > 2")
    counts = drawn.truths(lambda values: sum(value > 2 for value in values))
    expected, deviation = mean_and_deviation(counts)
    assert (count.lower, count.upper) == (min(counts), max(counts))
    assert (count.expected, count.sd) == (close(expected), close(deviation))
    total = bounds_of("sum(salary)", drawn, "and salary > 2")
    totals = drawn.truths(lambda values: sum(value for value in values if value > 2))
    expected, deviation = mean_and_deviation(totals)
    if not max(counts):
        assert total.lower is None
        return
    assert (total.lower, total.upper) == (min(totals), max(totals))
    assert (total.expected, total.sd) == (close(expected), close(deviation))


@pytest.mark.parametrize(("function", "aggregate"), [("avg", AVG), ("min", MIN), ("max", MAX)])
@settings(max_examples=80, deadline=None)
@given(drawn=drawn_releases())
def test_a_condition_on_the_sensitive_column_gives_attained_bounds(
    function: str, aggregate: Aggregate, drawn: Drawn
) -> None:
    found = bounds_of(f"{function}(salary)", drawn, "and (salary < 0 or salary between 2 and 7)")
    truths = drawn.truths(
        lambda values: aggregate([value for value in values if value < 0 or 2 <= value <= 7])
    )
    assert (found.lower, found.upper) == (
        (close(min(truths)), close(max(truths))) if truths else (None, None)
    )


@settings(max_examples=60, deadline=None)
@given(drawn=drawn_releases())
def test_arithmetic_is_safe(drawn: Drawn) -> None:
    found = bounds_of("(max(salary) - min(salary)) * -2 + sum(salary) / count(*)", drawn)
    truths = drawn.truths(lambda values: (max(values) - min(values)) * -2 + fmean(values) if values else None)
    if not truths:
        assert found.lower is None
        return
    assert found.lower <= min(truths) + 1e-9
    assert max(truths) <= found.upper + 1e-9
    assert found.expected == close(fmean(truths))
    assert found.sd is None or found.sd == close(mean_and_deviation(truths)[1])


@settings(max_examples=40, deadline=None)
@given(drawn=drawn_releases())
def test_each_key_has_its_own_bounds(drawn: Drawn) -> None:
    items = "count(*) as n, sum(salary) as s, min(salary) as low, stddev_pop(salary) as sd"
    sql = f"select age, {items} from data group by age"
    rows = {row["age"]: row for row in ask(sql, drawn.table).rows}
    assert set(rows) == set(drawn.ages)
    for age, row in rows.items():
        alone = Drawn(drawn.groups, [int(other == age) for other in drawn.ages], drawn.salaries)
        assert row["n"].lower == row["n"].upper == drawn.ages.count(age)
        assert row["s"] == bounds_of("sum(salary)", alone)
        assert row["low"] == bounds_of("min(salary)", alone)
        assert row["sd"].lower == close(bounds_of("stddev_pop(salary)", alone).lower)


def test_decimals_and_floats_are_added_exactly() -> None:
    table = pa.table({"age": [1, 1, 1], "salary": [0.1, 0.2, 0.3], "shoal_group": [1, 1, 1]})
    (row,) = ask("select sum(salary) as s from data", table).rows
    assert row["s"] == Bounds(0.6, 0.6, 0.6, 0.0, 3)


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
    answer = ask("select gender, avg(salary) as mean from data group by gender order by mean desc limit 1")
    assert [row["gender"] for row in answer.rows] == ["F"]
    assert any("expected" in note for note in answer.notes)


def test_an_answer_as_plain_values_has_the_documented_shape() -> None:
    plain = ask("select gender, sum(salary) from data where age > 50 group by gender").as_dict()
    assert plain["columns"] == ["gender", "sum(salary)"]
    first = {"lower": 75000, "expected": 80000.0, "upper": 85000, "sd": pytest.approx(4082.4829), "hits": 1}
    assert plain["rows"][0] == {"gender": "F", "sum(salary)": first}
