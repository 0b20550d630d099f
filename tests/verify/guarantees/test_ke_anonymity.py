"""(k,e)-anonymity on published tables, against definitions written out."""

from decimal import Decimal
from itertools import combinations, pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.verify import verify_table


def verdict_on(groups, values, **asked):
    guarantee = KeAnonymity(**{"sensitive": "pay", "k": 2, "e": 0} | asked)
    policy = Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[guarantee])
    columns = {"age": range(len(values)), "pay": values}
    if groups is not None:
        columns["shoal_group"] = groups
    return verify_table(Table(pa.table({name: list(cells) for name, cells in columns.items()})), policy)[0]


def test_the_worst_group_decides():
    verdict = verdict_on([1, 1, 1, 2, 2], [10, 20, 35, 1, 2], k=2, e=1)
    assert verdict.holds
    assert verdict.achieved["k"] == 2
    assert verdict.achieved["e"] == 1
    assert not verdict_on([1, 1, 1, 2, 2], [10, 20, 35, 1, 2], k=3, e=1).holds
    assert not verdict_on([1, 1, 1, 2, 2], [10, 20, 35, 1, 2], k=2, e=2).holds


def test_equal_values_count_once_however_they_are_written():
    assert verdict_on([1, 1, 1], ["5", "5.0", "6"], k=2).achieved["k"] == 2
    assert not verdict_on([1, 1, 1], ["5", "5.0", "5.00"], k=2).holds


def test_decimals_reach_a_span_exactly():
    assert verdict_on([1, 1], [0.1, 0.4], e=Decimal("0.3")).holds
    assert not verdict_on([1, 1], [0.1, 0.4], e=Decimal("0.30001")).holds


def test_dates_are_days():
    days = ["2024-02-28", "2024-03-01"]
    assert verdict_on([1, 1], days, e=2).holds
    assert not verdict_on([1, 1], days, e=3).holds


def test_frequent_values_are_told():
    verdict = verdict_on([1] * 100, [1, 2, 3, *[100] * 97], k=4, e=50)
    assert verdict.holds
    assert verdict.achieved["largest_share"] == 0.97
    near = verdict_on([1] * 10, [0, 100, *range(50, 58)], k=4, e=100)
    assert near.achieved["largest_share"] == 0.1
    assert near.achieved["largest_share_near"] == 0.8


def test_without_groups_every_record_is_alone():
    verdict = verdict_on(None, [1, 2, 3])
    assert not verdict.holds
    assert verdict.achieved["k"] == 1


def test_spans_beyond_64_bits_are_exact():
    assert verdict_on([1, 1], [-(2**63), 2**63 - 1], e=2**64 - 1).holds
    assert not verdict_on([1, 1], [-(2**63), 2**63 - 1], e=2**64).holds


@pytest.mark.parametrize("column", [[1, 1, 2, 2], ["a", "a", "b", "b"]])
def test_groups_may_be_called_anything(column):
    assert verdict_on(column, [1, 2, 3, 4]).achieved["groups"] == 2


def most_apart(values, gap):
    return max(
        size
        for size in range(1, len(values) + 1)
        for some in combinations(sorted(values), size)
        if all(high - low >= gap for low, high in pairwise(some))
    )


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(-5, 5)), min_size=1, max_size=9),
    gap=st.integers(1, 4),
)
def test_figures_equal_those_of_all_choices(rows, gap):
    groups = {}
    for group, value in rows:
        groups.setdefault(group, []).append(value)
    verdict = verdict_on(*zip(*rows, strict=True), gap=gap, e=10)
    assert verdict.achieved["k"] == min(most_apart(values, gap) for values in groups.values())
    assert verdict.achieved["e"] == min(max(values) - min(values) for values in groups.values())
    assert verdict.achieved["largest_share_near"] == round(
        max(
            sum(low <= value <= low + 1 for value in values) / len(values)
            for values in groups.values()
            for low in values
        ),
        6,
    )


def test_a_group_of_many_different_values_is_counted_at_once():
    rows = 100_000
    verdict = verdict_on([1] * rows, list(range(rows)), k=rows // 2, gap=2, e=rows - 1)
    assert verdict.holds
    assert verdict.achieved["k"] == rows // 2
    assert verdict_on([1] * rows, list(range(rows)), k=rows, e=rows - 1).holds
