"""Optimal groups against all groupings."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.aggregates.optimal_groups import optimal_groups
from tests.draws import draws


def all_groupings(rows: int, k: int) -> Iterator[tuple[int, ...]]:
    """The starts of every partition into runs of at least k, however long."""
    if rows == 0:
        yield (0,)
    for size in range(k, rows + 1):
        for before in all_groupings(rows - size, k):
            yield (*before, rows)


def cost(ordered: list[int], starts: tuple[int, ...]) -> int:
    return sum((end - begin) * (ordered[end - 1] - ordered[begin]) for begin, end in pairwise(starts))


@draws(400)
@given(
    ordered=st.sampled_from([3, 40, 2**40]).flatmap(
        lambda far: st.lists(st.integers(-far, far), min_size=1, max_size=12).map(sorted)
    ),
    k=st.integers(1, 5),
)
def test_no_grouping_into_runs_of_k_or_more_costs_less(ordered: list[int], k: int) -> None:
    k = min(k, len(ordered))
    starts = tuple(optimal_groups(np.array(ordered), k).tolist())
    assert starts in set(all_groupings(len(ordered), k))
    assert cost(ordered, starts) == min(cost(ordered, others) for others in all_groupings(len(ordered), k))


def test_groups_have_fewer_than_two_k_members() -> None:
    starts = optimal_groups(np.zeros(1000, np.int64), 7)
    assert np.diff(starts).min() >= 7
    assert np.diff(starts).max() < 14


def test_as_many_values_as_k_are_one_group() -> None:
    assert optimal_groups(np.array([-5, 0, 9]), 3).tolist() == [0, 3]
