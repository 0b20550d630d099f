"""Means rounded down or up that keep the total, beside all ways to round them."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means.split_means import split_means
from tests.draws import draws


def all_ways(values, group_of):
    """The least squared distance of any way to round every mean down or up that keeps the total."""
    groups = [values[group_of == group] for group in range(group_of.max() + 1)]
    ends = [{int(np.floor(group.mean())), int(np.ceil(group.mean()))} for group in groups]
    sizes = [len(group) for group in groups]
    kept = [
        sum(size * (mean - group.mean()) ** 2 for size, mean, group in zip(sizes, means, groups, strict=True))
        for means in product(*ends)
        if sum(size * mean for size, mean in zip(sizes, means, strict=True)) == values.sum()
    ]
    return min(kept, default=None)


@draws(100)
@given(st.lists(st.lists(st.integers(-6, 6), min_size=1, max_size=6), min_size=1, max_size=7))
def test_the_least_of_all_ways_is_found(drawn):
    values = np.array([value for group in drawn for value in group])
    group_of = np.repeat(np.arange(len(drawn)), [len(group) for group in drawn])
    found, least = split_means(values, group_of), all_ways(values, group_of)
    if least is None:
        assert found is None
        return
    sizes = np.bincount(group_of)
    means = np.bincount(group_of, values) / sizes
    assert int(sizes @ found) == values.sum()
    assert np.abs(found - means).max() < 1
    assert np.isclose(sizes @ (found - means) ** 2, least)


def test_many_groups_take_no_time():
    rng = np.random.default_rng(1)
    group_of = np.sort(np.append(np.arange(50_000).repeat(4), rng.integers(0, 50_000, 7)))
    values = rng.integers(0, 2, len(group_of))
    found = split_means(values, group_of)
    assert int(np.bincount(group_of) @ found) == values.sum()
    assert set(found) <= {0, 1}
