"""A kd-tree (Bentley, 1975) from which points are taken away, and whose boxes shrink as they go.

Distances are squared and summed column by column, in this order, in float64. The bounds of a box are computed
by the same operations, and rounding never reverses an order, so no point is closer or farther than the bound
of its box says: what is left out is left out exactly, and equal distances are decided by the lower row
number.

The farthest point from y is also sought with a second bound. For a centre c of all points, |x - y|² is
|x - c|² + |y - c|² + 2 (x - c)(c - y). If R is the largest |x - c|² of a box, that is at most
(1 + p) R + |y - c|² + 2 (x - c)(c - y) - p |x - c|² for every price p >= 0, and the last two terms are
largest column by column. This bound gets a margin for rounding.

Queries cost O(log n) where the points have few columns or lie in heaps, up to O(n) where they do not.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, inlined

LEAF = 16  # points in a leaf, at most
DEEPEST = 128  # nodes that a walk has to remember, at most
GONE, NO_ROW = -1, 2**62
GOOD_PRICE = 0.7  # times the one that would be best if boxes were large
MARGIN, TINY = 1e-11, 1e-300  # relative error of the second bound, and what it may be besides, at most


class KdTree(NamedTuple):
    """Node i has the children 2i + 1 and 2i + 2; the last nodes are the leaves."""

    points: Any  # leaf by leaf
    rows: Any  # the row of every point
    places: Any  # where the point of every row is now, or GONE
    starts: Any  # where the leaves begin
    counts: Any  # how many points of each leaf are still there: its first ones
    boxes: Any  # the two ends of the box of every node in every column
    first: Any  # the lowest row below every node
    centre: Any
    norms: Any  # the distance of every point to the centre
    reach: Any  # the largest of them below every node


def kd_tree(points: Floats, rows: Ints) -> KdTree:
    """A tree of these rows of the points.

    >>> tree = kd_tree(np.array([[0.0], [5.0], [6.0], [9.0]]), np.arange(4))
    >>> remove(tree, 3)
    >>> int(farthest(tree, np.array([1.0])))
    2
    """
    leaves = 1
    while leaves * LEAF < len(rows):
        leaves *= 2
    chosen = points[rows]
    tree = KdTree(
        points=np.ascontiguousarray(chosen),
        rows=rows.copy(),
        places=np.full(len(points), GONE),
        starts=np.zeros(leaves + 1, np.int64),
        counts=np.zeros(leaves, np.int64),
        boxes=np.empty((2 * leaves - 1, points.shape[1], 2)),
        first=np.full(2 * leaves - 1, NO_ROW),
        centre=chosen.mean(axis=0),
        norms=np.empty(len(rows)),
        reach=np.zeros(2 * leaves - 1),
    )
    _build(tree)
    return tree


@compiled
def _build(tree: Any) -> None:
    leaves = len(tree.counts)
    tree.starts[leaves] = len(tree.rows)
    step = leaves
    while step > 1:
        for leaf in range(0, leaves, step):
            begin, end = tree.starts[leaf], tree.starts[leaf + step]
            middle = (begin + end) // 2
            _halve(tree.points[begin:end], tree.rows[begin:end], middle - begin)
            tree.starts[leaf + step // 2] = middle
        step //= 2
    for place in range(len(tree.rows)):
        tree.places[tree.rows[place]] = place
        tree.norms[place] = squared_distance(tree.points, place, tree.centre)
    for leaf in range(leaves):
        tree.counts[leaf] = tree.starts[leaf + 1] - tree.starts[leaf]
        _fit_leaf(tree, leaf)
    for node in range(leaves - 2, -1, -1):
        _fit_node(tree, node)


@compiled
def _halve(points: Any, rows: Any, middle: int) -> None:
    """Bring the points before the median of the widest column to the front; equal points by their row."""
    column = _widest(points)
    begin, end = 0, len(rows) - 1
    while begin < end:
        at = (begin + end) // 2
        pivot, pivot_row = points[at, column], rows[at]
        i, j = begin, end
        while i <= j:
            while points[i, column] < pivot or (points[i, column] == pivot and rows[i] < pivot_row):
                i += 1
            while points[j, column] > pivot or (points[j, column] == pivot and rows[j] > pivot_row):
                j -= 1
            if i <= j:
                for other in range(points.shape[1]):
                    points[i, other], points[j, other] = points[j, other], points[i, other]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            end = j
        elif middle >= i:
            begin = i
        else:
            return


@compiled
def _widest(points: Any) -> int:
    columns = points.shape[1]
    low, high = points[0].copy(), points[0].copy()
    for i in range(1, len(points)):
        for column in range(columns):
            low[column] = min(low[column], points[i, column])
            high[column] = max(high[column], points[i, column])
    widest = 0
    for column in range(1, columns):
        if high[column] - low[column] > high[widest] - low[widest]:
            widest = column
    return widest


@compiled
def _fit_leaf(tree: Any, leaf: int) -> bool:
    """Shrink the box of a leaf to its points; did it change?"""
    node, begin = len(tree.counts) - 1 + leaf, tree.starts[leaf]
    end = begin + tree.counts[leaf]
    first, reach = NO_ROW, -np.inf
    for place in range(begin, end):
        first = min(first, tree.rows[place])
        reach = max(reach, tree.norms[place])
    changed = first != tree.first[node] or reach != tree.reach[node]
    tree.first[node], tree.reach[node] = first, reach
    for column in range(tree.points.shape[1]):
        low, high = np.inf, -np.inf  # nothing is far from an empty box, and nothing near
        for place in range(begin, end):
            low = min(low, tree.points[place, column])
            high = max(high, tree.points[place, column])
        changed |= low != tree.boxes[node, column, 0] or high != tree.boxes[node, column, 1]
        tree.boxes[node, column, 0], tree.boxes[node, column, 1] = low, high
    return bool(changed)


@compiled
def _fit_node(tree: Any, node: int) -> bool:
    """Shrink the box of a node to those of its children; did it change?"""
    left, right = 2 * node + 1, 2 * node + 2
    first, reach = min(tree.first[left], tree.first[right]), max(tree.reach[left], tree.reach[right])
    changed = first != tree.first[node] or reach != tree.reach[node]
    tree.first[node], tree.reach[node] = first, reach
    for column in range(tree.points.shape[1]):
        low = min(tree.boxes[left, column, 0], tree.boxes[right, column, 0])
        high = max(tree.boxes[left, column, 1], tree.boxes[right, column, 1])
        changed |= low != tree.boxes[node, column, 0] or high != tree.boxes[node, column, 1]
        tree.boxes[node, column, 0], tree.boxes[node, column, 1] = low, high
    return bool(changed)


@compiled
def remove(tree: Any, row: int) -> None:
    """Take a row away: the last point of its leaf takes its place."""
    place = tree.places[row]
    leaf = np.searchsorted(tree.starts, place, side="right") - 1
    tree.counts[leaf] -= 1
    last = tree.starts[leaf] + tree.counts[leaf]
    for column in range(tree.points.shape[1]):
        tree.points[place, column] = tree.points[last, column]
    tree.rows[place], tree.norms[place] = tree.rows[last], tree.norms[last]
    tree.places[tree.rows[last]] = place
    tree.places[row] = GONE
    node = len(tree.counts) - 1 + leaf
    changed = _fit_leaf(tree, leaf)
    while changed and node > 0:
        node = (node - 1) // 2
        changed = _fit_node(tree, node)


@inlined
def squared_distance(points: Any, at: int, target: Any) -> float:
    """Squared Euclidean distance of a point to a target."""
    total = 0.0
    for column in range(len(target)):
        apart = points[at, column] - target[column]
        total += apart * apart
    return total


@inlined
def _least_distance(tree: Any, node: int, target: Any) -> float:
    """No point of the node is closer."""
    total = 0.0
    for column in range(len(target)):
        apart = max(
            tree.boxes[node, column, 0] - target[column], target[column] - tree.boxes[node, column, 1]
        )
        apart = max(apart, 0.0)
        total += apart * apart
    return total


@inlined
def _most_distance(tree: Any, node: int, target: Any, norm: float, price: float, wished: Any) -> float:
    """No point of the node is farther."""
    total, product = 0.0, 0.0
    for column in range(len(target)):
        low, high, centre = tree.boxes[node, column, 0], tree.boxes[node, column, 1], tree.centre[column]
        apart = max(target[column] - low, high - target[column])
        total += apart * apart
        at = min(max(wished[column], low - centre), high - centre)
        product += at * (2.0 * wished[column] - at)
    most = (tree.reach[node] * (1.0 + price) + norm) * (1.0 + MARGIN) + price * product + TINY
    return float(min(total, most))


@compiled
def farthest(tree: Any, target: Any) -> int:
    """The row that is farthest from a target."""
    best, row, norm = -1.0, NO_ROW, 0.0
    wished = tree.centre - target
    for column in range(len(target)):
        norm += wished[column] ** 2
    price = GOOD_PRICE * np.sqrt(norm / tree.reach[0]) if tree.reach[0] > 0 else 0.0
    if not 1e-100 < price < 1e100:
        price = 1.0
    wished /= price
    nodes, bounds = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    nodes[0], bounds[0], waiting = 0, np.inf, 1
    while waiting:
        waiting -= 1
        node, bound = nodes[waiting], bounds[waiting]
        if bound < best or (bound == best and tree.first[node] > row):
            continue
        if node >= len(tree.counts) - 1:
            leaf = node - len(tree.counts) + 1
            for place in range(tree.starts[leaf], tree.starts[leaf] + tree.counts[leaf]):
                distance = squared_distance(tree.points, place, target)
                if distance > best or (distance == best and tree.rows[place] < row):
                    best, row = distance, tree.rows[place]
            continue
        left, right = 2 * node + 1, 2 * node + 2
        left_bound = _most_distance(tree, left, target, norm, price, wished)
        right_bound = _most_distance(tree, right, target, norm, price, wished)
        if left_bound > right_bound:
            left, right, left_bound, right_bound = right, left, right_bound, left_bound
        if not left_bound < best:  # where squares overflow, a bound may be no number: look there
            nodes[waiting], bounds[waiting] = left, left_bound
            waiting += 1
        if not right_bound < best:
            nodes[waiting], bounds[waiting] = right, right_bound
            waiting += 1
    return row


@compiled
def nearest(tree: Any, target: Any, distances: Any, rows: Any) -> int:
    """Fill rows and their distances with the nearest ones, as a heap with the last of them on top; how many
    there were."""
    nodes, bounds = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    nodes[0], bounds[0], waiting, found = 0, 0.0, 1, 0
    while waiting:
        waiting -= 1
        node, bound = nodes[waiting], bounds[waiting]
        if found == len(rows) and (
            bound > distances[0] or (bound == distances[0] and tree.first[node] > rows[0])
        ):
            continue
        if node >= len(tree.counts) - 1:
            leaf = node - len(tree.counts) + 1
            for place in range(tree.starts[leaf], tree.starts[leaf] + tree.counts[leaf]):
                distance, row = squared_distance(tree.points, place, target), tree.rows[place]
                if found < len(rows):
                    _rise(distances, rows, found, distance, row)
                    found += 1
                elif _before(distance, row, distances[0], rows[0]):
                    _sink(distances, rows, distance, row)
            continue
        left, right = 2 * node + 1, 2 * node + 2
        left_bound, right_bound = _least_distance(tree, left, target), _least_distance(tree, right, target)
        if left_bound < right_bound or (left_bound == right_bound and tree.first[left] < tree.first[right]):
            left, right, left_bound, right_bound = right, left, right_bound, left_bound
        worst = distances[0] if found == len(rows) else np.inf
        if left_bound <= worst:
            nodes[waiting], bounds[waiting] = left, left_bound
            waiting += 1
        if right_bound <= worst:
            nodes[waiting], bounds[waiting] = right, right_bound
            waiting += 1
    return found


@compiled
def equally_near(tree: Any, target: Any, distance: float) -> int:
    """How many points are exactly this far from a target; none if another is nearer."""
    nodes = np.empty(DEEPEST, np.int64)
    nodes[0], waiting, found = 0, 1, 0
    while waiting:
        waiting -= 1
        node = nodes[waiting]
        if node >= len(tree.counts) - 1:
            leaf = node - len(tree.counts) + 1
            for place in range(tree.starts[leaf], tree.starts[leaf] + tree.counts[leaf]):
                apart = squared_distance(tree.points, place, target)
                if apart < distance:
                    return 0
                found += apart == distance
            continue
        left, right = 2 * node + 1, 2 * node + 2
        left_bound, right_bound = _least_distance(tree, left, target), _least_distance(tree, right, target)
        if left_bound < right_bound:
            left, right, left_bound, right_bound = right, left, right_bound, left_bound
        if left_bound <= distance:
            nodes[waiting] = left
            waiting += 1
        if right_bound <= distance:
            nodes[waiting] = right
            waiting += 1
    return found


@inlined
def _before(distance: float, row: int, other: float, other_row: int) -> bool:
    return distance < other or (distance == other and row < other_row)


@compiled
def _rise(distances: Any, rows: Any, at: int, distance: float, row: int) -> None:
    while at > 0:
        above = (at - 1) // 2
        if not _before(distances[above], rows[above], distance, row):
            break
        distances[at], rows[at] = distances[above], rows[above]
        at = above
    distances[at], rows[at] = distance, row


@compiled
def _sink(distances: Any, rows: Any, distance: float, row: int) -> None:
    """Replace the top."""
    at = 0
    while True:
        below = 2 * at + 1
        if below >= len(rows):
            break
        if below + 1 < len(rows) and _before(
            distances[below], rows[below], distances[below + 1], rows[below + 1]
        ):
            below += 1
        if not _before(distance, row, distances[below], rows[below]):
            break
        distances[at], rows[at] = distances[below], rows[below]
        at = below
    distances[at], rows[at] = distance, row
