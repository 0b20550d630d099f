"""The partitions of (k,e)-anonymity against all partitions there are."""

import os
from pathlib import Path

import numpy as np
import pytest

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.max_groups import max_groups
from shoal.methods.permutation.min_max import min_max
from shoal.methods.permutation.min_max_exact import exact_groups, min_max_exact
from shoal.methods.permutation.min_sum import min_sum
from shoal.methods.permutation.partition import GroupDemand
from shoal.methods.permutation.random_groups import random_groups
from shoal.methods.permutation.rank_swap import rank_swap
from tests.methods.slow_partitions import (
    contiguous_partitions,
    narrow_partition_exists,
    ranges,
    set_partitions,
    valid,
)

PARTITIONS = (min_sum, min_max, min_max_exact, max_groups, random_groups)
WITH_GAP = PARTITIONS
PAPER = [1, 2, 3, 5, 5, 6, 6, 8]
DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "../shared/data"))
CAPITAL_LOSS = DATA / "adult/adult_capital_loss_1427.csv"


def groups_of(method, values, k, e, seed=0, **options):
    """The values of every group, or None."""
    values = np.array(values, np.int64)
    found = method(values, k, e, seeded_key(seed), **options)
    if found is None:
        return None
    assert found.dtype == np.int64
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    return [sorted(values[found == group].tolist()) for group in range(found.max() + 1)]


def multisets(count, largest, seed):
    """Values with ties and negative ones, and what is asked of their groups."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        spread = int(rng.choice([2, 4, 8, 15, 40]))
        size = int(rng.integers(1, largest + 1))
        values = rng.integers(-spread, spread + 1, size)
        yield values.tolist(), int(rng.integers(1, 5)), int(rng.choice([0, 0, 1, spread // 2, spread]))


def best(partitions, k, e, loss, gap=1):
    losses = [loss(parts) for parts in partitions if all(valid(group, k, e, gap) for group in parts)]
    return min(losses, default=None)


def sum_then_most(parts):
    return sum(ranges(parts)), -len(parts)


def widest(parts):
    return max(ranges(parts))


def widest_then_sum(parts):
    return widest(parts), *sum_then_most(parts)


def most(parts):
    return -len(parts)


def loss_of(method, case, loss, **options):
    parts = groups_of(method, *case, **options)
    return None if parts is None else loss(parts)


def assert_best_of_all(count, largest, seed):
    infeasible = 0
    for case in multisets(count, largest, seed):
        values, k, e = case
        anyhow, cut = list(set_partitions(values)), list(contiguous_partitions(values))
        least = best(anyhow, k, e, lambda parts: sum(ranges(parts)))
        assert loss_of(min_sum, case, lambda parts: sum(ranges(parts))) == least, case
        assert loss_of(min_sum, case, sum_then_most) == best(cut, k, e, sum_then_most), case
        assert loss_of(min_max_exact, case, widest) == best(anyhow, k, e, widest), case
        assert loss_of(max_groups, case, most) == best(cut, k, e, most), case
        if (k, e) == (1, 0):
            assert loss_of(min_max, case, widest) == 0
        else:
            assert loss_of(min_max, case, widest_then_sum) == best(cut, k, e, widest_then_sum), case
        infeasible += least is None
    assert 0 < infeasible < count / 2


def test_losses_are_the_least_of_all_partitions():
    assert_best_of_all(count=400, largest=7, seed=1)


@pytest.mark.slow
def test_losses_are_the_least_of_all_partitions_of_nine_values():
    assert_best_of_all(count=1500, largest=9, seed=2)


def test_the_papers_example_needs_groups_that_overlap():
    assert groups_of(min_max_exact, PAPER, 4, 5) == [[1, 2, 5, 6], [3, 5, 6, 8]]
    assert loss_of(min_max, (PAPER, 4, 5), widest) == 7


def chains(count, sets, seed):
    """Sums of sets of three values a gap apart, so that it matters who gets which single row."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        gap = int(rng.integers(2, 4))
        starts = np.cumsum(rng.integers(1, 2 * gap + 2, sets))
        steps = np.array([0, gap, 2 * gap + 1]) + rng.integers(0, 2, (sets, 3)) * [0, 1, 1]
        yield (starts[:, np.newaxis] + steps).ravel().tolist(), 3, int(rng.choice([0, 3 * gap])), gap


def assert_best_with_gaps(cases):
    """The widest group against all partitions; how often overlaps help."""
    narrower = 0
    for values, k, e, gap in cases:
        parts = groups_of(min_max_exact, values, k, e, gap=gap)
        least = best(set_partitions(values), k, e, widest, gap)
        assert (None if parts is None else widest(parts)) == least, (values, k, e, gap)
        if parts is not None:
            assert all(valid(group, k, e, gap) for group in parts), (values, k, e, gap)
            narrower += widest(parts) < loss_of(min_max, (values, k, e), widest, gap=gap)
    return narrower


def test_with_a_gap_the_widest_group_is_the_narrowest_of_all_partitions():
    assert widest(groups_of(min_max_exact, [1, 3, 3, 4, 4, 4, 5, 6, 7], 2, 2, gap=3)) == 3
    gaps = np.random.default_rng(6).integers(2, 5, 80).tolist()
    assert_best_with_gaps((*case, gap) for case, gap in zip(multisets(80, 7, 5), gaps, strict=True))
    assert assert_best_with_gaps(chains(count=25, sets=2, seed=7)) > 0


@pytest.mark.slow
def test_with_a_gap_the_widest_group_is_the_narrowest_of_all_partitions_of_nine_values():
    gaps = np.random.default_rng(8).integers(2, 5, 600).tolist()
    assert_best_with_gaps((*case, gap) for case, gap in zip(multisets(600, 9, 9), gaps, strict=True))
    assert assert_best_with_gaps(chains(count=200, sets=3, seed=10)) > 50


def test_where_not_all_partitions_can_be_tried_nothing_is_called_proved(monkeypatch):
    values, demand = np.arange(60) ** 2 % 97, GroupDemand(3, 5, 2)
    proved = exact_groups(values, demand, seeded_key(0))
    monkeypatch.setattr("shoal.methods.permutation.min_max_gap.MOST_PAIRS", 1)
    found = exact_groups(values, demand, seeded_key(0))
    assert (proved.proved, found.proved) == (True, False)
    groups = [values[found.groups == group].tolist() for group in range(found.groups.max() + 1)]
    assert all(valid(group, 3, 5, 2) for group in groups)


def overlapping_multisets(count, sets, seed):
    """Sums of sets that are valid and narrow, so that overlaps pay."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        k, e = int(rng.integers(2, 5)), int(rng.integers(2, 9))
        starts = np.cumsum(rng.integers(1, e + 2, sets))
        values = [start + np.append(rng.integers(0, e + 1, k - 1), [0, e]) for start in starts]
        yield np.concatenate(values).tolist(), k, e


def assert_best_overlaps(count, sets, seed):
    narrower = 0
    for case in overlapping_multisets(count, sets, seed):
        parts = groups_of(min_max_exact, *case)
        if parts is None:
            assert not valid(*case)
            continue
        assert all(valid(group, *case[1:]) for group in parts), case
        assert not narrow_partition_exists(*case, widest(parts) - 1), case
        narrower += widest(parts) < loss_of(min_max, case, widest)
    assert narrower > count / 10


def test_overlapping_groups_are_found_where_they_are_narrower():
    assert_best_overlaps(count=100, sets=2, seed=3)
    assert_best_overlaps(count=50, sets=3, seed=4)


@pytest.mark.slow
def test_overlapping_groups_are_found_in_longer_tables():
    assert_best_overlaps(count=1000, sets=3, seed=5)
    assert_best_overlaps(count=300, sets=5, seed=6)


@pytest.mark.parametrize("method", PARTITIONS)
def test_every_group_is_valid(method):
    rng = np.random.default_rng(5)
    for size, spread, k, e in ((60, 20, 3, 6), (300, 90, 7, 0), (300, 2000, 1, 50), (2000, 400, 12, 35)):
        values = rng.integers(-spread, spread, size)
        for seed in range(5):
            parts = groups_of(method, values, k, e, seed)
            assert sum(map(len, parts)) == size
            assert all(len(set(group)) >= k and max(group) - min(group) >= e for group in parts)


def test_without_overlap_the_widest_group_is_at_most_twice_as_wide():
    rng = np.random.default_rng(6)
    factors = []
    for _ in range(300):
        values = np.round(rng.exponential(40, rng.integers(8, 200))).astype(np.int64)
        case = values, int(rng.integers(2, 8)), int(rng.integers(0, 30))
        exact, apart = loss_of(min_max_exact, case, widest), loss_of(min_max, case, widest)
        if exact is not None:
            factors.append(apart / exact)
    assert len(factors) > 200
    assert min(factors) >= 1
    assert 1.2 < max(factors) <= 2


@pytest.mark.parametrize("method", PARTITIONS)
def test_the_key_alone_decides_who_of_equal_values_goes_where(method):
    values = np.random.default_rng(7).integers(0, 29, 400)  # 0 to 14 and 14 to 28
    one = method(values, 4, 14, seeded_key(1))
    assert one.tolist() == method(values, 4, 14, seeded_key(1)).tolist()
    assert one.tolist() != method(values, 4, 14, seeded_key(2)).tolist()


def test_which_of_equal_rows_stand_left_of_a_cut_is_drawn_evenly():
    values = np.array([1, 5, 5, 5, 5, 9])
    left, sizes = np.zeros(len(values)), np.zeros(7)
    for seed in range(2000):
        found = max_groups(values, 2, 1, seeded_key(seed))
        left += found == 0
        sizes[(found == 0).sum()] += 1
    assert left[[0, 5]].tolist() == [2000, 0]
    assert abs(left[1:5] - 1000).max() < 100
    assert abs(sizes - [0, 0, 500, 1000, 500, 0, 0]).max() < 100


def test_of_two_equal_rows_one_stands_on_either_side_of_a_cut():
    firsts = [max_groups(np.array([1, 5, 5, 9]), 2, 1, seeded_key(seed)).tolist() for seed in range(200)]
    assert {tuple(found) for found in firsts} == {(0, 0, 1, 1), (0, 1, 0, 1)}
    assert abs(sum(found[1] for found in firsts) - 100) < 40


def test_long_runs_of_equal_rows_are_halved_about_and_evenly():
    values = np.repeat([1, 5, 9], [1, 2001, 1])
    left = np.zeros(2001)
    for seed in range(200):
        found = max_groups(values, 2, 1, seeded_key(seed))
        assert abs(np.bincount(found) - 1001).max() < 110
        left += found[1:-1] == 0
    assert left.min() > 60
    assert left.max() < 140
    assert abs(left[:1000].mean() - 100) < 2


@pytest.mark.parametrize("method", PARTITIONS)
@pytest.mark.parametrize("least", [np.iinfo(np.int64).min, 0, -(2**62)])
def test_values_may_lie_at_the_limits_of_their_type(method, least):
    values = [least + above for above in (0, 1, 2, 2, 2**62, 2**62, 2**63 - 2, 2**63 - 1)]
    for k, e in ((2, 1), (3, 2**62), (6, 0), (2, 2**63 - 1)):
        parts = groups_of(method, values, k, e)
        assert sorted(value for group in parts for value in group) == values
        assert all(valid(group, k, e) for group in parts)
    assert groups_of(method, values, 7, 0) is None


@pytest.mark.parametrize("method", PARTITIONS)
def test_what_all_rows_together_do_not_satisfy_is_refused(method):
    assert groups_of(method, [4, 4, 4, 4], 2, 0) is None
    assert groups_of(method, [4, 4, 4, 4], 1, 1) is None
    assert groups_of(method, [1, 2, 3], 4, 0) is None
    assert groups_of(method, [1, 2, 3], 3, 3) is None
    assert groups_of(method, [], 1, 0) is None


@pytest.mark.parametrize("method", PARTITIONS)
def test_all_rows_may_just_be_enough(method):
    assert groups_of(method, [3, -1, 2], 3, 4) == [[-1, 2, 3]]
    assert groups_of(method, [-(2**62), 0, 2**62 - 1], 3, 2**63 - 1) == [[-(2**62), 0, 2**62 - 1]]


@pytest.mark.parametrize("method", PARTITIONS)
def test_values_too_far_apart_to_subtract_are_refused(method):
    with pytest.raises(OverflowError, match="63 bits"):
        groups_of(method, [-(2**62), 0, 2**62], 2, 0)


def test_one_value_is_enough_where_nothing_is_asked():
    for method in PARTITIONS:
        assert all(len(set(group)) == 1 for group in groups_of(method, [4, 7, 4, 4], 1, 0))
    assert len(groups_of(min_sum, [4, 7, 4, 4], 1, 0)) == len(groups_of(max_groups, [4, 7, 4, 4], 1, 0)) == 4


def test_with_a_gap_near_values_do_not_count():
    assert groups_of(max_groups, [1, 2, 3, 7, 8, 20], 2, 0, gap=3) == [[1, 2, 3, 7], [8, 20]]
    assert groups_of(min_sum, [1, 2, 3, 4], 2, 0, gap=4) is None


def test_losses_with_a_gap_are_the_least_of_all_partitions():
    rng = np.random.default_rng(8)
    for case in multisets(150, 7, seed=9):
        values, k, e = case
        k, gap = max(k, 2), int(rng.integers(0, 7))
        case, cut = (values, k, e), list(contiguous_partitions(values))
        apart = {"gap": gap}
        assert loss_of(min_sum, case, sum_then_most, **apart) == best(cut, k, e, sum_then_most, gap), (
            case,
            gap,
        )
        assert loss_of(min_max, case, widest_then_sum, **apart) == best(cut, k, e, widest_then_sum, gap)
        assert loss_of(max_groups, case, most, **apart) == best(cut, k, e, most, gap), (case, gap)
        parts = groups_of(random_groups, *case, **apart)
        assert parts is None or all(valid(group, k, e, gap) for group in parts)


@pytest.mark.parametrize("method", WITH_GAP)
def test_a_gap_of_one_is_no_gap(method):
    values = np.random.default_rng(10).integers(-40, 40, 300)
    plain = groups_of(method, values, 5, 7)
    assert groups_of(method, values, 5, 7, gap=0) == groups_of(method, values, 5, 7, gap=1) == plain


def test_random_groups_take_rows_in_an_order_of_their_own():
    values = np.arange(1000)
    parts = groups_of(random_groups, values, 4, 0)
    assert len(parts) == 250
    assert np.mean(ranges(parts)) > 400


def test_swapped_values_come_from_near_ranks_and_each_swaps_once():
    values = np.random.default_rng(11).permutation(500)
    source = rank_swap(values, 10, seeded_key(3))
    assert source[source].tolist() == list(range(500))
    moved = np.abs(values[source] - values)
    assert moved.max() <= 50
    assert (moved > 0).mean() > 0.98
    assert source.tolist() != rank_swap(values, 10, seeded_key(4)).tolist()


def test_partners_are_drawn_evenly_and_a_narrow_window_still_swaps():
    values = np.array([10, 20, 30, 40])
    first = np.bincount([rank_swap(values, 75, seeded_key(seed))[0] for seed in range(3000)], minlength=4)
    assert first[0] == 0
    assert abs(first[1:] - 1000).max() < 120
    assert rank_swap(values, 0, seeded_key(0)).tolist() == [1, 0, 3, 2]
    assert rank_swap(values[:1], 50, seeded_key(0)).tolist() == [0]


@pytest.mark.slow
@pytest.mark.skipif(not CAPITAL_LOSS.exists(), reason="needs the Adult table")
def test_capital_losses_of_the_paper_are_parted():
    values = np.loadtxt(CAPITAL_LOSS, np.int64, delimiter=",", skiprows=1, usecols=11)
    for k, e in ((4, 100), (4, 50), (10, 50), (40, 50)):
        case = values, k, e
        exact, apart = loss_of(min_max_exact, case, widest), loss_of(min_max, case, widest)
        assert e <= exact <= apart <= 2 * exact
        total = loss_of(min_sum, case, lambda parts: sum(ranges(parts)))
        assert all(total <= loss_of(method, case, lambda parts: sum(ranges(parts))) for method in PARTITIONS)
