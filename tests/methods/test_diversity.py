"""Diversity against the definitions, in whole numbers and fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.diversity import (
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    Diversity,
    _nested_distance,
    _ordered_distance,
    diverse,
    diverse_blocks,
)
from tests.draws import draws
from tests.verify.least_work import WORDS, apart, least_work

Rule = tuple[float, float, float]

RULES = st.one_of(
    st.tuples(st.just(DISTINCT), st.integers(1, 4), st.just(0)),
    st.tuples(st.just(ENTROPY), st.sampled_from([1, 1.5, 2, 2.25, 3, 4]), st.just(0)),
    st.tuples(st.just(RECURSIVE), st.integers(1, 4), st.sampled_from([0.5, 1, 2, 3.5])),
)


def slow_diverse(values: list[int], rule: Rule) -> bool:
    """The definition for one class. Entropy >= log l is prod (n / r) ** r >= l ** n, in whole numbers."""
    kind, l, c = rule
    counts = sorted(Counter(values).values(), reverse=True)
    if kind == DISTINCT:
        return len(counts) >= l
    if kind == ENTROPY:
        size = len(values)
        return prod(Fraction(size, count) ** count for count in counts) >= Fraction(l) ** size
    return l == 1 or counts[0] < Fraction(c) * sum(counts[int(l) - 1 :])


def asked_of(columns: list[list[int]], rules: list[Rule]) -> Diversity:
    return Diversity(np.column_stack(columns).astype(np.int64), np.array(rules, np.float64))


@st.composite
def sensitive_tables(draw: st.DrawFn, most_rows: int = 12) -> tuple[list[list[int]], list[Rule]]:
    """One or two sensitive columns with a rule each."""
    rows = draw(st.integers(1, most_rows))
    count = draw(st.integers(1, 2))
    value = draw(st.sampled_from([st.integers(0, 1), st.integers(0, 4), st.sampled_from([0, 0, 0, 1, 2])]))
    columns = [draw(st.lists(value, min_size=rows, max_size=rows)) for _ in range(count)]
    return columns, [draw(RULES) for _ in range(count)]


@draws(400)
@given(table=sensitive_tables(), data=st.data())
def test_rows_are_diverse_when_every_column_satisfies_its_rule(table, data) -> None:
    columns, rules = table
    rows = data.draw(st.lists(st.sampled_from(range(len(columns[0]))), min_size=1, unique=True))
    expected = all(
        slow_diverse([column[row] for row in rows], rule) for column, rule in zip(columns, rules, strict=True)
    )
    assert asked_of(columns, rules).holds(rows) == expected


@pytest.mark.parametrize("l", range(1, 8))
@pytest.mark.parametrize("times", [1, 2, 7, 1000])
def test_l_equally_frequent_values_are_exactly_entropy_l_diverse(l: int, times: int) -> None:
    counts = np.full((1, l), times)
    assert diverse(counts, np.array([[ENTROPY, l, 0]]))
    assert not diverse(counts, np.array([[ENTROPY, l + 1e-6, 0]]))


def test_one_record_too_many_of_one_value_is_less_than_equal_shares() -> None:
    for size in (2, 10, 100):
        counts = np.array([[size, size + 1]])
        assert not diverse(counts, np.array([[ENTROPY, 2, 0]]))


def test_recursive_diversity_is_strict() -> None:
    rules = np.array([[RECURSIVE, 2, 3]])
    assert not diverse(np.array([[6, 1, 1]]), rules)  # 6 = 3 * 2
    assert diverse(np.array([[5, 1, 1]]), rules)


def test_fewer_than_l_values_are_never_recursively_diverse() -> None:
    assert not diverse(np.array([[1, 1, 0]]), np.array([[RECURSIVE, 3, 1000.0]]))
    assert not diverse(np.array([[1, 1]]), np.array([[RECURSIVE, 3, 1000.0]]))


@pytest.mark.parametrize("rule", [(DISTINCT, 1, 0), (ENTROPY, 1, 0), (RECURSIVE, 1, 0.01)])
def test_every_class_is_1_diverse(rule: Rule) -> None:
    assert asked_of([[0, 0, 0]], [rule]).holds([0, 1])


def test_nothing_asked_is_always_given() -> None:
    asked = Diversity.none(3)
    assert not asked
    assert asked.holds([0])
    assert not asked.of([1, 2])


@draws(200)
@given(table=sensitive_tables(most_rows=7))
def test_two_diverse_classes_are_diverse_together(table) -> None:
    columns, rules = table
    asked, rows = asked_of(columns, rules), range(len(columns[0]))
    parts = [part for size in rows for part in combinations(rows, size) if part and asked.holds(list(part))]
    for first, second in combinations(parts, 2):
        if not set(first) & set(second):
            assert asked.holds([*first, *second])


@draws(300)
@given(table=sensitive_tables(most_rows=20), k=st.integers(1, 4), data=st.data())
def test_blocks_cut_the_order_into_diverse_classes_of_k(table, k, data) -> None:
    columns, rules = table
    asked, rows = asked_of(columns, rules), len(columns[0])
    order = np.array(data.draw(st.permutations(range(rows))))
    starts = diverse_blocks(order, k, asked)
    assert starts[0] == 0
    assert starts[-1] == rows
    blocks = [order[begin:end] for begin, end in pairwise(starts)]
    assert all(len(block) for block in blocks)
    if rows < k or not asked.holds(order):
        assert len(blocks) == 1
        return
    for block in blocks:
        assert len(block) >= k
        assert asked.holds(block)


@draws(200)
@given(table=sensitive_tables(most_rows=20), k=st.integers(1, 4))
def test_every_block_but_the_last_is_closed_as_soon_as_it_can_be(table, k) -> None:
    columns, rules = table
    asked, order = asked_of(columns, rules), np.arange(len(columns[0]))
    for begin, end in list(pairwise(diverse_blocks(order, k, asked)))[:-1]:
        assert not any(asked.holds(order[begin:at]) for at in range(begin + k, end))


@draws(100)
@given(table=sensitive_tables(), data=st.data())
def test_a_part_of_the_rows_is_judged_as_they_were(table, data) -> None:
    columns, rules = table
    asked = asked_of(columns, rules)
    rows = data.draw(st.lists(st.sampled_from(range(len(columns[0]))), min_size=1, unique=True))
    assert asked.of(rows).holds(slice(None)) == asked.holds(rows)


@draws(200)
@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=10),
    rule=RULES,
)
def test_blocks_of_values_are_judged_one_by_one_and_empty_ones_not_at_all(rows, rule) -> None:
    codes = np.array([[known * 3 + value] for known, value in rows])
    asked = Diversity(codes, np.array([[*rule, 0.0, 3.0, *[0.0] * 18]]))
    parts = [[value for other, value in rows if other == known] for known in range(3)]
    assert asked.holds(slice(None)) == all(slow_diverse(part, rule) for part in parts if part)


COUNTS = st.lists(st.integers(0, 5), min_size=5, max_size=5)


@draws(100)
@given(here=COUNTS.filter(any), others=COUNTS)
def test_distances_are_the_least_work_as_they_are_for_verifiers(here, others) -> None:
    table = [a + b for a, b in zip(here, others, strict=True)]
    there = [word for word, count in zip(WORDS, table, strict=True) if count]
    shares = [
        [count / sum(counts) for count, all_of_them in zip(counts, table, strict=True) if all_of_them]
        for counts in (here, table)
    ]
    counts, whole = np.array(here), np.array(table, float)
    borders = np.array([3.0, 1.0, 2.0, 3.0, 1.0])  # in the order of the tree
    for distance, found in {
        "equal": _nested_distance(counts, whole, np.ones(5), 1),
        "ordered": _ordered_distance(counts, whole, 0),
        "hierarchical": _nested_distance(counts, whole, borders, 3),
    }.items():
        assert found == pytest.approx(least_work(apart(distance, there), *shares), abs=1e-9), distance
