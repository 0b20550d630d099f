"""(k,e)-anonymous partitions by trying all of them."""

from itertools import combinations, pairwise


def valid(group, k, e, gap=1):
    """At least k values pairwise ``gap`` apart, tried one choice after the other, and a range of e."""
    values = sorted(set(group))
    apart = any(all(b - a >= gap for a, b in pairwise(chosen)) for chosen in combinations(values, k))
    return apart and values[-1] - values[0] >= e


def set_partitions(items):
    """All partitions of a list into non-empty lists."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in set_partitions(rest):
        yield [[first], *parts]
        for at in range(len(parts)):
            yield [*parts[:at], [first, *parts[at]], *parts[at + 1 :]]


def contiguous_partitions(items):
    """All ways to cut the sorted list."""
    items = sorted(items)
    for count in range(len(items)):
        for cuts in combinations(range(1, len(items)), count):
            yield [items[start:stop] for start, stop in pairwise((0, *cuts, len(items)))]


def ranges(parts):
    return [max(group) - min(group) for group in parts]


def narrow_partition_exists(values, k, e, width):
    """Whether groups that may overlap can all be valid and at most this wide: every value in turn joins each
    open group, or opens one, and all the states that can come of it are kept."""
    states = {()}  # of every open group its smallest and largest value and its distinct values, up to k
    for value in sorted(values):
        states = {after for before in states for after in _joined(before, value, k, e, width)}
    return any(all(_done(group, k, e) for group in state) for state in states)


def _joined(groups, value, k, e, width):
    if not all(_done(group, k, e) for group in groups if value - group[0] > width):
        return
    groups = tuple(group for group in groups if value - group[0] <= width)
    yield tuple(sorted((*groups, (value, value, 1))))
    for at, (low, high, distinct) in enumerate(groups):
        joined = (low, value, min(k, distinct + (value > high)))
        yield tuple(sorted((*groups[:at], joined, *groups[at + 1 :])))


def _done(group, k, e):
    return group[2] >= k and group[1] - group[0] >= e
