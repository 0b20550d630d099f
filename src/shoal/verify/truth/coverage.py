"""How many published records fit each original person: coverage, and what is left of it globally.

Coverage: for a person with f = v, the published records whose F admits v. Global: the attacker knows
f of everybody; links that are part of no complete assignment of people to records fall away. A link
survives exactly when its two ends lie in one strongly connected component of the graph in which a
person points to every record that admits their f, and a record to the person it is assigned to.
"""

from heapq import heappop, heappush
from typing import Any

import numpy as np

from shoal.arrays import Ints


def coverage(points: Any, low: Any, high: Any) -> Ints:
    """For every value, the number of closed ranges that contain it.

    >>> coverage(np.array([1, 5]), np.array([0, 1]), np.array([5, 1])).tolist()
    [2, 1]
    """
    return np.asarray(
        np.searchsorted(np.sort(low), points, "right") - np.searchsorted(np.sort(high), points, "left")
    )


def assignment(points: Any, low: Any, high: Any) -> Ints | None:
    """A range for every value in ascending order, each range used once; None if there is no way.

    Greedy: of the ranges that have begun, the one that ends first is used first.
    """
    by_low = np.argsort(low, kind="stable").tolist()
    lows, highs = low.tolist(), high.tolist()
    waiting: list[tuple[int, int]] = []
    begun, chosen = 0, []
    for value in np.sort(points).tolist():
        while begun < len(by_low) and lows[by_low[begun]] <= value:
            heappush(waiting, (highs[by_low[begun]], by_low[begun]))
            begun += 1
        if not waiting or waiting[0][0] < value:
            return None
        chosen.append(heappop(waiting)[1])
    return np.array(chosen, np.int64)


def global_candidates(points: Any, low: Any, high: Any) -> Ints | None:
    """For every person (in ascending order of f), the links that survive; None without assignment."""
    assigned = assignment(points, low, high)
    if assigned is None:
        return None
    ordered = np.sort(points)
    low, high = low[assigned], high[assigned]
    component = _components(np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right"))
    return _admitting_in_component(ordered, low, high, component)


def _components(first: Ints, last: Ints) -> Ints:
    """Strong components of: pair i points to the pairs first[i]..last[i] - 1.

    Intervals of targets are covered by nodes of a binary tree, so that n ranges need O(n log n) links.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows = len(first)
    size = 1 << max(int(rows - 1).bit_length(), 0)
    inner = np.arange(1, size)
    sources, targets = [inner, inner], [2 * inner, 2 * inner + 1]
    person = np.arange(rows) + size
    left, right = first + size, last + size
    while True:
        active = left < right
        if not active.any():
            break
        for odd, node in ((active & (left % 2 == 1), left), (active & (right % 2 == 1), right - 1)):
            sources.append(person[odd])
            targets.append(node[odd])
        left, right = (left + 1) // 2, right // 2
    edges = np.concatenate(sources), np.concatenate(targets)
    graph = csr_array((np.ones(len(edges[0]), np.int8), edges), shape=(2 * size, 2 * size))
    labels = connected_components(graph, directed=True, connection="strong")[1]
    return np.asarray(labels[size : size + rows], np.int64)


def _admitting_in_component(ordered: Any, low: Any, high: Any, component: Ints) -> Ints:
    """Ranges of a person's own component that contain the person's value."""
    ranks = np.unique(np.concatenate([ordered, low, high]), return_inverse=True)[1]
    value, begin, end = np.split(ranks.astype(np.int64), 3)
    stride = int(ranks.max()) + 2
    base = component * stride
    begins, ends = np.sort(base + begin), np.sort(base + end)
    begun = np.searchsorted(begins, base + value, "right") - np.searchsorted(begins, base, "left")
    ended = np.searchsorted(ends, base + value, "left") - np.searchsorted(ends, base, "left")
    return np.asarray(begun - ended)
