"""Truth: every published record describes a person of the original table.

With the owner's link, each cell must contain the value it was made from. Without it, there must be
a way to give every published record an original record of its own that it contains; that is a flow
problem between the different boxes and the different original records.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.policy.model.policy import Policy
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.containment import NumberContainment, WordContainment, on_one_scale
from shoal.verify.truth.mean_truth import verify_mean_truth
from shoal.verify.truth.originals import changed_columns
from shoal.verify.truth.permutation_truth import verify_permutation_truth
from shoal.verify.truth.truth_measures import (
    TruthColumn,
    class_column,
    verdict_of_truth,
    verify_linked_tables,
)
from shoal.verify.verdict import Verdict

MOST_PAIRS = 20_000_000  # containment tests before the question is left open
PAIRS_AT_ONCE = 4_000_000


def verify_truth(
    published: PublishedTable, original: PublishedTable, policy: Policy, input_rows: Ints | None = None
) -> Verdict:
    """Verify truth with the owner's link, or without it by what can be."""
    if input_rows is not None:
        return verify_linked_tables(published, original, policy, input_rows)
    if policy.permutes:
        return verify_permutation_truth(published, original, policy)
    columns = {name: TruthColumn.of(published, original, policy, name) for name in policy.having("quasi")}
    if policy.averages:
        means = {
            name: class_column(published, original, policy, column, name) for name, column in columns.items()
        }
        return verify_mean_truth(means, published, original, policy)
    sides = [on_one_scale(published, original, name) for name, one in columns.items() if one.shows_numbers]
    labels = [
        WordContainment.of(published, original, policy, name, one.below or {})
        for name, one in columns.items()
        if not one.shows_numbers
    ]
    untrue, changed = _untrue(sides, labels), changed_columns(published, original, policy, None)
    if untrue is None:
        sentence = (
            "Whether every published record describes an original one is too costly to decide "
            "without the owner's link; the audit file holds it."
        )
        return Verdict("truth", not changed, {}, {"decided": False}, sentence)
    return verdict_of_truth(untrue, changed, policy.hidden_labels())


def _untrue(sides: list[NumberContainment], labels: list[WordContainment]) -> int | None:
    """Records that cannot be given an original of their own; None if too costly to say."""
    sides = [*sides, *(one.side() for one in labels)]
    shown = [side.low for side in sides] + [side.high for side in sides] + [one.labels for one in labels]
    boxes, copies = np.unique(np.column_stack(shown), axis=0, return_counts=True)
    people = np.column_stack([side.points for side in sides])
    points, persons = np.unique(people, axis=0, return_counts=True)
    low, high, told = np.split(boxes, [len(sides), 2 * len(sides)], axis=1)
    words = points[:, len(sides) - len(labels) :]
    pairs = _containments(low, high, points)
    if pairs is None:
        return None
    fits = np.ones(len(pairs[0]), bool)
    for at, one in enumerate(labels):
        fits &= one.admits[told[pairs[0], at], words[pairs[1], at]]
    pairs = pairs[0][fits], pairs[1][fits]
    return int(copies.sum() - _largest_flow(pairs, copies, persons))


def _containments(low: Ints, high: Ints, points: Ints) -> tuple[Ints, Ints] | None:
    """All (box, point) pairs in which the box contains the point.

    Boxes that are exact in the same columns are looked up together: by the exact cells, and inside
    those by the ranged column that leaves fewest points to look at.
    """
    patterns, of_pattern = np.unique(low < high, axis=0, return_inverse=True)
    found: list[tuple[Ints, Ints]] = []
    tested = 0
    for number, ranged in enumerate(patterns):
        members = np.flatnonzero(of_pattern.ravel() == number)
        order, start, counts = _to_look_at(low[members], high[members], points, ranged)
        tested += int(counts.sum())
        if tested > MOST_PAIRS:
            return None
        heaps = np.cumsum(counts) // PAIRS_AT_ONCE
        for part in np.split(np.arange(len(members)), np.flatnonzero(np.diff(heaps)) + 1):
            own, places = _expanded(part, start[part], counts[part])
            boxes, candidates = members[own], order.ravel()[places]
            inside = np.ones(len(boxes), bool)
            for at in range(points.shape[1]):
                value = points[candidates, at]
                inside &= (low[boxes, at] <= value) & (value <= high[boxes, at])
            found.append((boxes[inside], candidates[inside]))
    return np.concatenate([b for b, _ in found]), np.concatenate([p for _, p in found])


def _to_look_at(low: Ints, high: Ints, points: Ints, ranged: Any) -> tuple[Ints, Ints, Ints]:
    """Where the points are that a box has to look at: order[start .. start + count - 1].

    ``order`` holds one ordering of the points per ranged column, one behind the other.
    """
    keys = np.concatenate([points, low])[:, ~ranged]
    key = np.zeros(len(keys), np.int64)  # equal exact cells get equal keys; a clash costs time only
    for at in range(keys.shape[1]):
        key = key * np.int64(1_000_003) + np.unique(keys[:, at], return_inverse=True)[1]
    key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    of_points, of_boxes = key[: len(points)], key[len(points) :]
    orders: list[Ints] = []
    starts: list[Ints] = []
    counts: list[Ints] = []
    for column in np.flatnonzero(ranged) if ranged.any() else [0]:
        values = np.unique(points[:, column])
        stride = len(values) + 1
        place = of_points * stride + np.searchsorted(values, points[:, column])
        order = np.argsort(place, kind="stable")
        place = place[order]
        begin = of_boxes * stride + np.searchsorted(values, low[:, column], "left")
        end = of_boxes * stride + np.searchsorted(values, high[:, column], "right")
        first = np.searchsorted(place, begin, "left")
        starts.append(first + len(orders) * len(points))
        counts.append(np.searchsorted(place, end, "left") - first)
        orders.append(order)
    best = np.argmin(counts, axis=0)
    rows = np.arange(len(low))
    return np.array(orders), np.array(starts)[best, rows], np.array(counts)[best, rows]


def _expanded(boxes: Ints, start: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Each box repeated for every place start .. start + count - 1."""
    total = int(counts.sum())
    offsets = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(boxes, counts), np.repeat(start, counts) + offsets


def _largest_flow(pairs: tuple[Ints, Ints], copies: Ints, people: Ints) -> int:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    boxes, points = len(copies), len(people)
    source, sink = boxes + points, boxes + points + 1
    starts = np.concatenate([np.full(boxes, source), pairs[0], boxes + np.arange(points)])
    ends = np.concatenate([np.arange(boxes), boxes + pairs[1], np.full(points, sink)])
    capacity = np.concatenate([copies, np.minimum(copies[pairs[0]], people[pairs[1]]), people])
    graph = csr_array((capacity.astype(np.int32), (starts, ends)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(graph, source, sink).flow_value)
