"""Microaggregation by its definitions, over lists of rows."""

import math


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
