"""Groups are merged until they keep every demand, and no further than with a neighbour."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.diversity import DISTINCT, Diversity
from shoal.methods.permutation.merge_groups import merge_groups
from shoal.methods.permutation.partition import GroupDemand
from tests.draws import draws


def holds(values, demand):
    counted, last = 0, None
    for value in sorted(values):
        if last is None or value - last >= demand.gap:
            counted, last = counted + 1, value
    return counted >= demand.k and max(values) - min(values) >= demand.e


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(-4, 4), st.integers(0, 2)), min_size=1, max_size=14)


@draws(100)  # the first call compiles
@given(ROWS, st.integers(1, 3), st.integers(0, 4), st.integers(1, 3), st.integers(1, 3))
def test_merged_groups_keep_every_demand_and_are_unions_of_neighbours(rows, k, e, gap, l):
    groups, values, words = (np.array(column) for column in zip(*rows, strict=True))
    demand, diversity = (
        GroupDemand(k, e, gap),
        Diversity(words.reshape(-1, 1), np.array([[DISTINCT, l, 0.0]])),
    )
    merged = merge_groups(groups, [(values, demand)], diversity)
    if merged is None:
        assert not holds(values.tolist(), demand) or len(set(words.tolist())) < l
        return
    for group in set(merged.tolist()):
        members = merged == group
        assert holds(values[members].tolist(), demand)
        assert len(set(words[members].tolist())) >= l
    for old in set(groups.tolist()):
        assert len(set(merged[groups == old].tolist())) == 1
    order = np.argsort(groups, kind="stable")
    assert (np.diff(merged[order]) >= 0).all()
    assert set(merged.tolist()) == set(range(merged.max() + 1))


def test_groups_that_hold_are_left_alone():
    groups = np.array([0, 0, 1, 1])
    assert merge_groups(groups, [(np.array([1, 2, 1, 2]), GroupDemand(2, 1, 1))]).tolist() == groups.tolist()
