"""Microaggregation by its definitions, over lists of rows."""

import math
from itertools import combinations

import numpy as np


def slow_mdav(points, k, rule="two-groups"):
    """The group of every row."""
    points = [[float(cell) for cell in point] for point in points]
    whole = fixed_point(points)
    remaining, groups = list(range(len(points))), []

    def take(row):
        others = sorted(
            (other for other in remaining if other != row),
            key=lambda other: (squared_distance(points[other], points[row]), other),
        )
        groups.append([row, *others[: k - 1]])
        remaining[:] = [other for other in remaining if other not in groups[-1]]

    def farthest(target):
        return min(remaining, key=lambda row: (-squared_distance(points[row], target), row))

    while len(remaining) >= 2 * k:
        row = farthest(centroid(remaining, whole))
        take(row)
        if rule == "two-groups" and len(remaining) >= 2 * k:
            take(farthest(points[row]))
    if remaining:
        groups.append(remaining)
    return numbered(groups)


def numbered(groups):
    group_of = {row: number for number, group in enumerate(groups) for row in group}
    return [group_of[row] for row in sorted(group_of)]


def fixed_point(points):
    """Every cell as a whole multiple of a power of two, and for every column that power's inverse."""
    scales = []
    for column in zip(*points, strict=True):
        largest = max(map(abs, column))
        exponent = 62 - len(points).bit_length() - math.frexp(largest)[1] if largest else 0
        scales.append(2.0 ** min(exponent, 1000))
    return [[round(x * s) for x, s in zip(point, scales, strict=True)] for point in points], scales


def centroid(rows, whole):
    cells, scales = whole
    sums = [sum(cells[row][column] for row in rows) for column in range(len(scales))]
    return [float(total) / len(rows) / scale for total, scale in zip(sums, scales, strict=True)]


def squared_distance(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def sse(points, group_of):
    """The squared distances of all rows to the centroid of their group."""
    members = {}
    for point, group in zip(points, group_of, strict=True):
        members.setdefault(group, []).append(point)
    total = 0.0
    for group in members.values():
        centre = [math.fsum(column) / len(group) for column in zip(*group, strict=True)]
        total += math.fsum(squared_distance(point, centre) for point in group)
    return total


def slow_vmdav(points, k, gamma):
    """The group of every row."""
    points = [[float(cell) for cell in point] for point in points]
    middle = centroid(range(len(points)), fixed_point(points))
    remaining, groups = list(range(len(points))), []

    def between(a, b):
        return squared_distance(points[a], points[b])

    while len(remaining) >= k:
        row = min(remaining, key=lambda row: (-squared_distance(points[row], middle), row))
        remaining.remove(row)
        group = [row, *sorted(remaining, key=lambda other: (between(other, row), other))[: k - 1]]
        remaining = [row for row in remaining if row not in group]
        while remaining and len(group) < 2 * k - 1 and gamma > 0:
            inside, row = min((min(between(row, member) for member in group), row) for row in remaining)
            outside = min((between(row, other) for other in remaining if other != row), default=math.inf)
            if not inside < gamma * gamma * outside:
                break
            group.append(row)
            remaining.remove(row)
        groups.append(group)
    centres = [
        [sum(points[row][column] for row in sorted(group)) / len(group) for column in range(len(points[0]))]
        for group in groups
    ]
    for row in remaining:
        number = min(range(len(centres)), key=lambda at: (squared_distance(centres[at], points[row]), at))
        groups[number].append(row)
    return numbered(groups)


def slow_merge_nearest(points, group_of, holds):
    """The groups as sets of rows, those that fail merged with the nearest; None if all together fail."""
    rows_of = {}
    for row, group in enumerate(group_of):
        rows_of.setdefault(group, []).append(row)
    sums = {
        group: [sum(points[row][column] for row in rows) for column in range(len(points[0]))]
        for group, rows in rows_of.items()
    }

    def centre(group):
        return [total / len(rows_of[group]) for total in sums[group]]

    for group in sorted(rows_of):
        while group in rows_of and not holds(rows_of[group]):
            others = [
                (squared_distance(centre(other), centre(group)), other) for other in rows_of if other != group
            ]
            if not others:
                return None
            _, other = min(others)
            rows_of[group] += rows_of.pop(other)
            sums[group] = [a + b for a, b in zip(sums[group], sums[other], strict=True)]
    return {frozenset(rows) for rows in rows_of.values()}


def k_partitions(rows, k):
    """All partitions of a list into lists of at least k."""
    if not rows:
        yield []
        return
    for size in range(k - 1, len(rows)):
        for others in combinations(rows[1:], size):
            rest = [row for row in rows[1:] if row not in others]
            for parts in k_partitions(rest, k):
                yield [[rows[0], *others], *parts]


def plain_mdav(points, k, rule="two-groups"):
    """The same as slow_mdav, over all remaining rows at once: for tables of thousands of rows."""
    largest = np.abs(points).max(axis=0)
    exponents = np.where(largest > 0, 62 - len(points).bit_length() - np.frexp(largest)[1], 0)
    scale = np.ldexp(1.0, np.minimum(exponents, 1000))
    whole = np.rint(points * scale).astype(np.int64)
    group_of, remaining, groups = np.full(len(points), -1), np.arange(len(points)), 0

    def distances(target):
        found = np.zeros(len(remaining))
        for column in range(points.shape[1]):
            found += (points[remaining, column] - target[column]) ** 2
        return found

    def take(row):
        found = distances(points[row])
        found[remaining == row] = -1.0
        group_of[remaining[np.argsort(found, kind="stable")[:k]]] = groups
        return remaining[group_of[remaining] < 0], groups + 1

    while len(remaining) >= 2 * k:
        row = remaining[np.argmax(distances(whole[remaining].sum(axis=0) / len(remaining) / scale))]
        remaining, groups = take(row)
        if rule == "two-groups" and len(remaining) >= 2 * k:
            remaining, groups = take(remaining[np.argmax(distances(points[row]))])
    group_of[remaining] = groups
    return group_of
