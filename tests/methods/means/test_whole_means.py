"""Whole means against fractions, and against all whole means there are."""

from fractions import Fraction
from itertools import product
from math import gcd, lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means import whole_means as module
from shoal.methods.means.whole_means import nearest_means, total_keeping_means
from tests.draws import draws

VALUES = st.integers(-5, 5) | st.integers(-1000, 1000) | st.integers(-(2**62), 2**62)
GROUPS = st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=4)
LIMITS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1])


def laid_out(groups):
    """Values and groups, in an order where groups do not lie together."""
    rows = [
        (place, value, group) for group, values in enumerate(groups) for place, value in enumerate(values)
    ]
    rows.sort()
    return np.array([row[1] for row in rows]), np.array([row[2] for row in rows])


def loss(groups, means):
    return sum(
        len(group) * (mean - Fraction(sum(group), len(group))) ** 2
        for group, mean in zip(groups, means, strict=True)
    )


def least_loss(groups):
    """Of all whole means that keep the total: the last group's follows from the others'."""
    sizes = [len(group) for group in groups]
    rests = [sum(group) % len(group) for group in groups]
    far, scale = 2 * max(sizes), lcm(*sizes)
    best = None
    for steps in product(range(-far, far + 1), repeat=len(groups) - 1):
        left = sum(rests) - sum(size * step for size, step in zip(sizes, steps, strict=False))
        if left % sizes[-1] == 0:
            pairs = zip(sizes, rests, (*steps, left // sizes[-1]), strict=True)
            found = sum((size * step - rest) ** 2 * (scale // size) for size, rest, step in pairs)
            best = found if best is None else min(best, found)
    return None if best is None else Fraction(best, scale)


@draws(200)
@given(groups=st.lists(st.lists(VALUES | LIMITS, min_size=1, max_size=7), min_size=1, max_size=5))
def test_means_are_rounded_like_fractions(groups):
    expected = [round(Fraction(sum(group), len(group))) for group in groups]
    assert nearest_means(*laid_out(groups)).tolist() == expected


@draws(100)
@given(
    groups=st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=7), min_size=1, max_size=5),
    more=st.integers(1, 12),
)
def test_means_on_a_finer_grid_are_rounded_like_fractions(groups, more):
    expected = [round(Fraction(sum(group) * 10**more, len(group))) for group in groups]
    assert nearest_means(*laid_out(groups), more).tolist() == expected


def test_halves_go_to_even():
    groups = [[0, 1], [1, 2], [-1, 0], [-2, -1], [7, 7]]
    assert nearest_means(*laid_out(groups)).tolist() == [0, 2, 0, -2, 7]


@draws(150)
@given(groups=GROUPS)
def test_no_whole_means_that_keep_the_total_are_nearer(groups):
    found = total_keeping_means(*laid_out(groups))
    expected = least_loss(groups)
    assert (found is None) == (expected is None)
    if found is not None:
        assert sum(len(group) * mean for group, mean in zip(groups, found.tolist(), strict=True)) == sum(
            map(sum, groups)
        )
        assert loss(groups, found.tolist()) == expected


@draws(100)
@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=40),
    seed=st.integers(0, 10**6),
    wide=st.booleans(),
)
def test_searches_of_every_kind_keep_the_total(sizes, seed, wide):
    rng = np.random.default_rng(seed)
    group_of = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    values = rng.integers(-(10**9), 10**9, len(group_of)) if wide else rng.integers(0, 3, len(group_of))
    losses = []
    for work, reach in ((module.WORK, module.NARROW), (0, module.NARROW), (0, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_search", limited(module._search, work, reach))
            found = total_keeping_means(values, group_of)
        if int(values.sum()) % gcd(*sizes):
            assert found is None
            return
        assert int((np.bincount(group_of) * found).sum()) == int(values.sum())
        members = [values[group_of == group].tolist() for group in range(len(sizes))]
        losses.append(loss(members, found.tolist()))
    assert losses == sorted(losses)


def limited(search, work, reach):
    """The exact search only with work, the narrow one only with reach."""

    def searched(*how):
        *rest, asked = how
        if asked == module.NEVER:
            return search(*how) if work else None
        return search(*rest, reach) if reach else None

    return searched


@pytest.mark.parametrize("k", [2, 3, 10])
def test_groups_of_one_size_keep_only_its_multiples(k):
    group_of = np.repeat(np.arange(5), k)
    values = np.arange(5 * k) ** 2
    values[0] += -values.sum() % k
    found = total_keeping_means(values, group_of)
    assert k * found.sum() == values.sum()
    values[0] += 1
    assert total_keeping_means(values, group_of) is None


def test_whole_means_stay_as_they_are():
    assert total_keeping_means(np.array([1, 3, 5, 5, 5]), np.array([0, 0, 1, 1, 1])).tolist() == [2, 5]


def test_steps_beyond_one_unit_are_taken_where_they_are_needed():
    groups = [[0] * 10, [0] * 9 + [5], [0] * 11]
    found = total_keeping_means(*laid_out(groups))
    assert 10 * (found[0] + found[1]) + 11 * found[2] == 5
    assert abs(found[2]) == 5


def test_means_that_do_not_fit_are_none():
    most = 2**63 - 1
    assert (
        total_keeping_means(np.array([most, most, most, most - 1, most]), np.repeat([0, 1], [2, 3])) is None
    )


def test_many_groups_keep_the_total_and_hardly_move():
    rng = np.random.default_rng(0)
    sizes = rng.integers(5, 10, 20_000)
    group_of = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    values = rng.lognormal(10, 1, len(group_of)).astype(np.int64)
    found = total_keeping_means(values, group_of)
    assert (sizes * found).sum() == values.sum()
    nearest = nearest_means(values, group_of)
    assert np.abs(found - nearest).max() <= 1
    means = np.bincount(group_of, values) / sizes
    assert (sizes * (found - means) ** 2).sum() < 1.01 * (sizes * (nearest - means) ** 2).sum()
