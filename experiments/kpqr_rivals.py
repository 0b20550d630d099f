"""Groups that grow from records drawn at random: what the (k,p,q,r) paper compares with, and another reading
of its own heuristic.

Arrays only. Both begin a group with a random record and add the nearest that bring another confidential
value until there are p of them. Rows are looked at one by one, so this is for small tables.
"""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.methods.means.mdav import mdav
from shoal.methods.means.vmdav import join_nearest


def random_start(points: Floats, values: Ints, k: int, p: int, random: np.random.Generator) -> Ints:
    """p-sensitive k-anonymity, "random initial point variant". The paper gives no steps; decided here: when
    there are p values, the nearest records fill the group up to k. Records that are left when no more group
    can be formed join the nearest centroids."""
    group_of, groups = np.full(len(points), -1), 0
    for start in random.permutation(len(points)):
        left = np.flatnonzero(group_of < 0)
        if len(left) < k or len(np.unique(values[left])) < p:
            break
        if group_of[start] < 0:
            _grow(points, values, start, k, p, 0.0, group_of, groups)
            groups += 1
    join_nearest(points, group_of, groups)
    return group_of


def nearest_value(
    points: Floats, values: Ints, k: int, p: int, q: float, r: float, random: np.random.Generator
) -> Ints:
    """The printed heuristic for (k,p,q,r), but for one step (4 d i): the nearest record with another value is
    taken, whether or not it raises the variance. Nothing is repaired, so the result need not be valid."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    is_rare = counts[codes] < q * len(values)
    least = r * float(values[is_rare].var()) if is_rare.any() else 0.0
    group_of, groups = np.full(len(points), -1), 0
    for start in random.permutation(np.flatnonzero(is_rare)):
        if group_of[start] < 0:
            _grow(points, values, start, k, p, least, group_of, groups)
            _end(values, is_rare, p, least, group_of, groups)
            groups += 1
    rest = np.flatnonzero(group_of < 0)
    if len(rest) >= k:
        group_of[rest] = groups + mdav(points[rest], k, "one-group")
    else:
        join_nearest(points, group_of, groups)
    return group_of


def _grow(
    points: Floats, values: Ints, start: int, k: int, p: int, least: float, group_of: Ints, group: int
) -> None:
    left = np.flatnonzero(group_of < 0)
    distances = ((points[left] - points[start]) ** 2).sum(axis=1)
    distances[left == start] = -1.0  # before its equals
    near = left[np.argsort(distances, kind="stable")]
    group_of[near[grown(values[near], k, p, least)]] = group


def grown(values: Ints, k: int, p: int, least: float) -> Ints:
    """Which of these values, the nearest first, form a group with the first one: p different ones, then a
    variance of ``least``, then k. A step that finds none ends; any fills up where none keeps the variance.

    >>> grown(np.array([5, 5, 6, 9, 5]), k=4, p=2, least=2.0).tolist()
    [0, 1, 2, 3]
    """
    taken = np.arange(len(values)) == 0
    while len(np.unique(values[taken])) < p and _take(taken, ~np.isin(values, values[taken])):
        pass
    while values[taken].var() < least and _take(taken, _variances(values, taken) > values[taken].var()):
        pass
    while taken.sum() < k and (
        _take(taken, _variances(values, taken) >= least) or _take(taken, np.ones_like(taken))
    ):
        pass
    return np.flatnonzero(taken)


def _take(taken: np.ndarray, fits: np.ndarray) -> bool:
    """The first that fits, if there is one."""
    (found,) = np.nonzero(fits & ~taken)
    taken[found[:1]] = True
    return len(found) > 0


def _variances(values: Ints, taken: np.ndarray) -> Floats:
    """Of the group with each of the values added to it."""
    size = int(taken.sum()) + 1
    sums = values[taken].sum() + values
    squares = (values[taken] ** 2).sum() + values**2
    return np.asarray((size * squares - sums**2) / size**2)


def _end(values: Ints, is_rare: np.ndarray, p: int, least: float, group_of: Ints, group: int) -> None:
    """Step 4 g: rare records that could not form a group join this one, and others leave it if that spoils
    its variance."""
    left = is_rare & (group_of < 0)
    if not left.any() or (values[left].var() >= least and len(np.unique(values[left])) >= p):
        return
    group_of[left] = group
    if values[group_of == group].var() < least:
        group_of[(group_of == group) & ~is_rare] = -1
