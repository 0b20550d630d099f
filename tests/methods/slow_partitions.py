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
