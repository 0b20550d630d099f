"""Estimates from samples: compared with sums that are written out, and with populations that are known."""

from math import comb, log, prod
from random import Random

import numpy as np
import pytest

from shoal.risk.superpopulation import chance_of_unique, expected_inverse, fit_pitman, pitman, zayatz


def summed(f: int, p: float) -> float:
    """The sum of P(F = h | f) / h over h, term by term."""
    total, chance, h = 0.0, p**f, f
    while chance / h > 1e-18 * total or h < f / p:
        total += chance / h
        chance *= h / (h - f + 1) * (1 - p)
        h += 1
    return total


@pytest.mark.parametrize("f", [1, 2, 3, 7, 19, 20, 21, 60])
@pytest.mark.parametrize("p", [0.002, 0.05, 0.3, 0.499, 0.5, 0.7, 0.999])
def test_the_expected_inverse_is_the_sum_over_all_sizes(f: int, p: float) -> None:
    assert expected_inverse(np.array([f]), np.array([p]))[0] == pytest.approx(summed(f, p), rel=1e-9)


@pytest.mark.parametrize("p", [1e-6, 0.01, 0.4, 0.6, 0.9])
def test_closed_forms_of_one_and_two(p: float) -> None:
    q = 1 - p
    found = expected_inverse(np.array([1, 2]), np.array([p, p]))
    assert found[0] == pytest.approx(-p * log(p) / q)
    assert found[1] == pytest.approx(p / q**2 * (q + p * log(p)))


@pytest.mark.parametrize("f", [1, 2, 5, 40, 10**6])
def test_a_class_that_is_all_in_the_sample_has_its_own_size(f: int) -> None:
    near = expected_inverse(np.array([f, f]), np.array([1 - 1e-12, 1.0]))
    assert near[1] == 1 / f
    assert near[0] == pytest.approx(1 / f)


def test_the_risk_falls_with_the_size_and_rises_with_the_share() -> None:
    f, p = np.meshgrid(np.arange(1, 80), np.linspace(0.0001, 1, 200))
    found = expected_inverse(f.ravel(), p.ravel()).reshape(f.shape)
    assert (np.diff(found, axis=0) > 0).all()
    assert (np.diff(found, axis=1) < 0).all()


def test_zayatz_is_bayes_rule_with_hypergeometric_chances() -> None:
    sizes, population = np.array([1, 1, 1, 2, 2, 5, 9]), 60
    n = int(sizes.sum())
    once = {s: s * comb(population - s, n - 1) / comb(population, n) for s in (1, 2, 5, 9)}
    expected = 3 * once[1] / (3 * once[1] + 2 * once[2] + once[5] + once[9])
    assert zayatz(sizes, population) == pytest.approx(expected)


def test_zayatz_where_large_classes_cannot_show_up_once() -> None:
    assert zayatz(np.array([1, 9]), 12) == pytest.approx(1.0)  # 2 are left out: 8 of 9 cannot be


def test_pitman_is_the_chance_that_nobody_joins() -> None:
    sizes, population, alpha, theta = np.array([1, 3, 4]), 50, 0.3, 2.5
    expected = prod(1 - (1 - alpha) / (theta + people) for people in range(8, population))
    assert pitman(sizes, population, alpha, theta) == pytest.approx(expected)


def pitman_classes(people: int, alpha: float, theta: float, seed: int) -> np.ndarray:
    """The class of everybody in a Pitman process, one person after the other: a new class with probability
    (theta + alpha classes) / (theta + people), else one that exists by its size less alpha."""
    draw, classes, sizes = Random(seed), [0], [1]
    for so_far in range(1, people):
        if draw.random() * (theta + so_far) < theta + alpha * len(sizes):
            classes.append(len(sizes))
            sizes.append(1)
            continue
        joined = draw.choice(classes)
        while draw.random() * sizes[joined] < alpha:
            joined = draw.choice(classes)
        classes.append(joined)
        sizes[joined] += 1
    return np.array(classes)


@pytest.mark.parametrize(("alpha", "theta"), [(0.6, 5.0), (0.2, 30.0)])
def test_the_fit_finds_the_parameters_of_a_pitman_process(alpha: float, theta: float) -> None:
    fitted = fit_pitman(np.bincount(pitman_classes(4000, alpha, theta, seed=3)))
    assert fitted is not None
    assert fitted[0] == pytest.approx(alpha, abs=0.1)
    assert fitted[1] == pytest.approx(theta, rel=0.6)


@pytest.mark.parametrize("sizes", [[1, 1, 1], [4]])
def test_there_is_no_fit_where_all_are_alone_or_together(sizes: list[int]) -> None:
    assert fit_pitman(np.array(sizes)) is None


def estimates(people: np.ndarray, share: float, samples: int = 8) -> tuple[float, float, set[str]]:
    """Means over some samples: the estimate, the true share of those alone that are alone in the population,
    and the models."""
    found = []
    for seed in range(samples):
        sample = np.random.default_rng(seed).choice(people, int(share * len(people)), replace=False)
        kinds, sizes = np.unique(sample, return_counts=True)
        truth = (np.bincount(people)[kinds[sizes == 1]] == 1).mean()
        found.append((*chance_of_unique(sizes, len(people)), truth))
    chances, models, truths = zip(*found, strict=True)
    return float(np.mean(chances)), float(np.mean(truths)), set(models)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_small_samples_of_a_pitman_population_are_estimated_well(share: float) -> None:
    chance, truth, models = estimates(pitman_classes(20_000, 0.5, 50.0, seed=7), share)
    assert models == {"pitman"}
    assert chance == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_large_samples_are_estimated_well(share: float) -> None:
    draw = np.random.default_rng(5)
    people = draw.geometric(0.01, 40_000) * 10 + draw.integers(0, 10, 40_000)
    chance, truth, models = estimates(people, share)
    assert models == {"zayatz"}
    assert chance == pytest.approx(truth, rel=0.1)


def test_records_that_are_all_alone_count_as_alone_in_the_population() -> None:
    assert chance_of_unique(np.ones(5, np.int64), 1000) == (1.0, "worst case")


def test_nobody_is_alone_where_no_class_has_one_record() -> None:
    assert chance_of_unique(np.array([2, 3, 3]), 50) == (0.0, "zayatz")
