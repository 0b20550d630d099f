"""How rare somebody of a sample is in the population, from the sizes of classes alone.

f is the size of a class in the sample, F its unknown size in the population.

Benedetti and Franconi (1998): with p = f / (estimate of F), F is the number of people to be looked at until f
of them are in the sample, each with probability p: P(F = h | f) = C(h - 1, f - 1) p^f (1 - p)^(h - f).

Zayatz (1991): the classes of the population are as large, in shares, as those of the sample, which is drawn
without replacement. Pitman (Hoshino, 2001): the classes are those of a Pitman process, fitted by maximum
likelihood. Dankar et al. (2012) found Pitman best up to a tenth of the population, Zayatz (or a third
estimate, if it is smaller) above.
"""

import numpy as np

from shoal.arrays import Floats, Ints

TERMS = 64  # of the series; what is left out is below 2 ** -60 where it is used
MANY = 20  # from this f on the series converges whatever p is
SMALL_SAMPLE = 0.1  # of the population: up to here Pitman


def expected_inverse(f: Ints, p: Floats) -> Floats:
    """E[1 / F | f] under the model of Benedetti and Franconi, for 0 < p <= 1.

    It is the integral of v^(f - 1) p / (p + (1 - p) v) over 0 <= v <= 1, for f = 1 -p log p / (1 - p).

    >>> expected_inverse(np.array([1, 1, 4]), np.array([1.0, 0.5, 1.0])).round(6).tolist()
    [1.0, 0.693147, 0.25]
    """
    by_series = (f >= MANY) | (p >= 0.5)
    found = np.empty(len(f))
    found[by_series] = _series(f[by_series], p[by_series])
    found[~by_series] = _recurrence(f[~by_series], p[~by_series])
    return found


def _series(f: Ints, p: Floats) -> Floats:
    """p / f times the sum of j! (1 - p)^j / ((f + 1) ... (f + j))."""
    term, total = np.ones(len(f)), np.ones(len(f))
    for j in range(1, TERMS):
        term = term * (1 - p) * j / (f + j)
        total += term
    return np.asarray(p / f * total)


def _recurrence(f: Ints, p: Floats) -> Floats:
    """The step from f - 1 to f: p / (1 - p) (1 / (f - 1) - risk); errors do not grow while p is below a
    half."""
    risk = -p * np.log(p) / (1 - p)
    found = risk.copy()
    for size in range(2, int(f.max(initial=1)) + 1):
        risk = p / (1 - p) * (1 / (size - 1) - risk)
        found = np.where(f == size, risk, found)
    return found


def chance_of_unique(sizes: Ints, population: int) -> tuple[float, str]:
    """How likely somebody who is alone in the sample is alone in the population, and the model behind it.

    >>> chance_of_unique(np.array([1, 1, 2, 5]), 9)
    (1.0, 'census')
    """
    if sizes.sum() == population:
        return 1.0, "census"
    if (sizes == 1).all():  # they tell nothing
        return 1.0, "worst case"
    if sizes.sum() > SMALL_SAMPLE * population:
        return zayatz(sizes, population), "zayatz"
    fitted = fit_pitman(sizes)
    if fitted is None:
        return zayatz(sizes, population), "zayatz"
    return pitman(sizes, population, *fitted), "pitman"


def zayatz(sizes: Ints, population: int) -> float:
    """P(F = 1 | f = 1), which is 1 where every class is alone.

    >>> round(zayatz(np.array([1, 2]), 6), 4)  # n = 3: half of the alone, 0.6 of the pairs show up once
    0.4545
    """
    size, often = np.unique(sizes, return_counts=True)
    if size[0] > 1:
        return 0.0
    showing_once = often * _once(size, int(sizes.sum()), population)
    return float(showing_once[0] / showing_once.sum())


def _once(size: Ints, sample: int, population: int) -> Floats:
    """How likely exactly one of so many people is drawn: size C(N - size, n - 1) / C(N, n)."""
    fits = size - 1 <= population - sample
    size = np.where(fits, size, 1)
    rest = _log_falling(population - sample, size - 1) - _log_falling(population, size)
    return np.where(fits, size * sample * np.exp(rest), 0.0)


def _log_falling(n: int, factors: Ints) -> Floats:
    """The logarithm of n (n - 1) ... with so many factors, without differences of large numbers."""
    from scipy.special import betaln, gammaln

    some = np.maximum(factors, 1)
    return np.where(factors > 0, gammaln(some) - betaln(n - some + 1.0, some), 0.0)


def pitman(sizes: Ints, population: int, alpha: float, theta: float) -> float:
    """P(F = 1 | f = 1): nobody of the rest of the population joins a class of one.

    The next person after i others joins it with probability (1 - alpha) / (theta + i).

    >>> round(pitman(np.array([1, 2]), 5, alpha=0.5, theta=1.0), 6)  # 3.5 / 4 times 4.5 / 5
    0.7875
    """
    from scipy.special import betaln

    sample = float(sizes.sum())
    # a quotient of gamma functions at distance 1 - alpha, at both ends
    gap = 1 - alpha
    ends = [betaln(theta + at - gap, gap) for at in (sample, float(population))]
    return float(np.exp(ends[1] - ends[0]))


def fit_pitman(sizes: Ints) -> tuple[float, float] | None:
    """alpha (0 to 1) and theta (above -alpha) of maximum likelihood; None where there is no best one: every
    record alone, or all in one class."""
    from scipy.optimize import minimize

    records, classes = int(sizes.sum()), len(sizes)
    if classes in (1, records):
        return None
    size, often = np.unique(sizes, return_counts=True)

    def loss(at: Floats) -> float:
        alpha, theta = _parameters(at)
        return -_likelihood(alpha, theta, size, often, records, classes)

    start = np.array([0.0, np.log(classes)])
    found = minimize(
        loss, start, method="Nelder-Mead", options={"maxiter": 400, "xatol": 1e-6, "fatol": 1e-8}
    )
    return _parameters(found.x) if np.isfinite(found.fun) else None


def _parameters(at: Floats) -> tuple[float, float]:
    """Any two numbers as alpha and theta."""
    first, second = np.clip(at, -30, 30)
    alpha = float(1 / (1 + np.exp(-first)))
    return alpha, float(np.exp(second)) - alpha


def _likelihood(alpha: float, theta: float, size: Ints, often: Ints, records: int, classes: int) -> float:
    """The logarithm of the probability of these sizes, but for what does not depend on the parameters."""
    from scipy.special import gammaln

    new = np.log(theta + alpha * np.arange(1, classes)).sum()
    joining = (often * (gammaln(size - alpha) - gammaln(1 - alpha))).sum()
    return float(new + joining - gammaln(theta + records) + gammaln(theta + 1))
