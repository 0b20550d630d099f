"""Groups that grow from random records."""

import numpy as np
import pytest

from kpqr_rivals import grown, nearest_value, random_start

POINTS = np.random.default_rng(0).normal(size=(120, 3))
EVEN = np.arange(120) % 6 + 1
UNEVEN = np.where(np.arange(120) < 18, EVEN, 10)


def random() -> np.random.Generator:
    return np.random.default_rng(1)


def members(group_of: np.ndarray) -> list[np.ndarray]:
    assert group_of.min() == 0
    return [np.flatnonzero(group_of == group) for group in range(group_of.max() + 1)]


def test_a_group_takes_new_values_then_variance_then_the_nearest() -> None:
    assert grown(np.array([5, 5, 6, 7, 9]), k=3, p=3, least=0.0).tolist() == [0, 2, 3]
    assert grown(np.array([5, 6, 7, 6, 9]), k=2, p=2, least=1.5).tolist() == [0, 1, 2, 4]
    assert grown(np.array([1, 9, 5, 5, 9]), k=3, p=2, least=12.0).tolist() == [0, 1, 4]  # 5 would narrow it


def test_steps_that_find_nothing_end() -> None:
    assert grown(np.array([5, 5, 5]), k=2, p=2, least=1.0).tolist() == [0, 1]
    assert grown(np.array([5, 6]), k=4, p=2, least=0.0).tolist() == [0, 1]


@pytest.mark.parametrize("values", [EVEN, UNEVEN])
@pytest.mark.parametrize(("k", "p"), [(3, 2), (5, 4), (2, 3)])
def test_random_starts_are_p_sensitive_and_k_anonymous(values: np.ndarray, k: int, p: int) -> None:
    for rows in members(random_start(POINTS, values, k, p, random())):
        assert len(rows) >= k
        assert len(np.unique(values[rows])) >= p


def test_a_random_start_takes_the_nearest() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [22.0]])
    groups = random_start(points, np.array([1, 2, 1, 2, 1, 2]), 2, 2, random())
    assert {tuple(rows) for rows in members(groups)} == {(0, 1), (2, 3), (4, 5)}


def test_where_all_values_are_rare_nearest_values_keep_the_variance() -> None:
    found = members(nearest_value(POINTS, EVEN, 4, 3, q=0.2, r=0.5, random=random()))
    assert len(found) > 10
    for rows in found:
        assert len(rows) >= 4
        assert len(np.unique(EVEN[rows])) >= 3
        assert EVEN[rows].var() >= 0.5 * EVEN.var() - 1e-9


def test_groups_without_rare_values_are_those_of_mdav() -> None:
    found = members(nearest_value(POINTS, UNEVEN, 4, 3, q=0.2, r=0.5, random=random()))
    sizes = [len(rows) for rows in found if UNEVEN[rows].min() == 10]
    assert len(sizes) >= 15
    assert set(sizes) <= {4, 5, 6, 7}
    for rows in found:
        if UNEVEN[rows].min() < 10:
            assert len(np.unique(UNEVEN[rows])) >= 3
