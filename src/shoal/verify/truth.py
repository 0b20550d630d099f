"""Truth: every published record describes a person of the original table.

With the owner's link, each cell must contain the value it was made from. Without it, there must be
a way to give every published record an original record of its own that it contains; that is a flow
problem between the different boxes and the different original records.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.policy.policy import Policy
from shoal.table.categories import stripped
from shoal.verify.averaged_truth import verify_averaged_truth
from shoal.verify.cells import BadCells, Cells, Published
from shoal.verify.image import Image, aligned
from shoal.verify.originals import changed_columns, published_once, true_words
from shoal.verify.permuted_truth import verify_permuted_truth
from shoal.verify.sets import words_of
from shoal.verify.verdict import Verdict

Ints = NDArray[np.int64]
Below = dict[str | None, set[str | None]]
MOST_PAIRS = 20_000_000  # containment tests before the question is left open
PAIRS_AT_ONCE = 4_000_000


def verify_truth(
    published: Published, original: Published, policy: Policy, input_rows: Ints | None = None
) -> Verdict:
    if policy.permutes:
        return verify_permuted_truth(published, original, policy, input_rows)
    if policy.averages:
        return verify_averaged_truth(published, original, policy, input_rows)
    quasi = policy.having("quasi")
    below = {name: _leaves_below(original, policy, name) for name in quasi if name in policy.hierarchies}
    words = [name for name in quasi if not _shows_numbers(published, original, name, below.get(name))]
    sides = [_on_one_scale(published, original, name) for name in quasi if name not in words]
    labels = [_Words.of(published, original, policy, name, below.get(name, {})) for name in words]
    untrue = _untrue(sides, labels) if input_rows is None else _untrue_with_link(sides, labels, input_rows)
    changed = changed_columns(published, original, policy, input_rows)
    if untrue is None:
        sentence = (
            "Whether every published record describes an original one is too costly to decide "
            "without the owner's link; the audit file holds it."
        )
        return Verdict("truth", not changed, {}, {"decided": False}, sentence)
    holds = untrue == 0 and not changed
    sentence = (
        "Every published record contains the original record it stands for."
        if holds
        else f"{untrue:,} published records contain no original record of their own."
        if untrue
        else f"Columns published as they are differ from the original: {', '.join(changed)}."
    )
    return Verdict("truth", holds, {}, {"untrue_records": untrue, "decided": True}, sentence)


def _shows_numbers(published: Published, original: Published, name: str, below: Below | None) -> bool:
    """Numbers and ranges of them? With a hierarchy, only if they are not all labels of it: some methods
    leave hierarchies aside."""
    if below is None:
        return original.table.mostly_numbers(name)
    if pa.types.is_struct(published.table.column(name).type):
        return True
    if all(stripped(label) in below for label in published.table.words(name).words):
        return False
    try:
        published.cells(name)
    except BadCells:
        return False
    return original.table.mostly_numbers(name)


@dataclass(frozen=True)
class _Side:
    """One quasi column: published ranges and original values in the same units."""

    low: Ints
    high: Ints
    points: Ints


def _on_one_scale(published: Published, original: Published, name: str) -> _Side:
    cells, truth = _cells(published, name), _cells(original, name)
    ranges, values = aligned(_image(cells), _image(truth))
    low, high, points = ranges.low, ranges.high, values.low
    if object in (low.dtype, points.dtype):  # beyond 64 bits: ranks compare alike
        ranks = np.unique(np.concatenate([low, high, points]), return_inverse=True)[1]
        low, high, points = np.split(ranks, [len(low), 2 * len(low)])
    if cells.suppressed.any():
        low = np.where(cells.suppressed, np.iinfo(np.int64).min, low)
        high = np.where(cells.suppressed, np.iinfo(np.int64).max, high)
    return _Side(low, high, points)


def _image(cells: Cells) -> Image:
    return Image(cells.low, cells.high, Fraction(1, 10**cells.scale))


def _cells(published: Published, name: str) -> Cells:
    try:
        return published.cells(name)
    except BadCells as error:
        raise ShoalError([error.fault]) from None


@dataclass(frozen=True)
class _Words:
    """One quasi column of labels: which words each label stands for, as a table of truth."""

    labels: NDArray[np.int32]  # of every published record
    words: NDArray[np.int32]  # of every original one
    admits: NDArray[np.bool_]  # label, word

    @classmethod
    def of(
        cls, published: Published, original: Published, policy: Policy, name: str, below: Below
    ) -> "_Words":
        cells, truth = published.table.words(name), true_words(original, policy, name)
        admits = np.zeros((len(cells.words), len(truth.words)), bool)
        for at, label in enumerate(cells.words):
            words = below.get(stripped(label)) or words_of(label)
            admits[at] = [words is None or word in words or stripped(word) in words for word in truth.words]
        return cls(cells.codes, truth.codes, admits)

    def side(self) -> "_Side":
        """From the first to the last word that each label admits, which may be too much."""
        first = self.admits.argmax(axis=1)
        last = self.admits.shape[1] - 1 - self.admits[:, ::-1].argmax(axis=1)
        last[~self.admits.any(axis=1)] = -1  # nothing fits
        return _Side(first[self.labels], last[self.labels], self.words.astype(np.int64))


def _leaves_below(original: Published, policy: Policy, name: str) -> Below:
    """What each label of a hierarchy stands for; the same label of several levels for the most."""
    below: Below = {}
    try:
        hierarchy = policy.hierarchies[name].over(true_words(original, policy, name), name)
    except ShoalError:  # a rule that these values have no labels under, so none was published
        return below
    for level in hierarchy.levels:
        for leaf, group in zip(hierarchy.leaves, level.group_of.tolist(), strict=True):
            below.setdefault(level.labels[group], set()).add(leaf)
    return below


def _untrue_with_link(sides: list[_Side], labels: list[_Words], input_rows: Ints) -> int:
    true = published_once(input_rows)
    for one in labels:
        true &= one.admits[one.labels, one.words[input_rows]]
    for side in sides:
        value = side.points[input_rows]
        true &= (side.low <= value) & (value <= side.high)
    return int((~true).sum())


def _untrue(sides: list[_Side], labels: list[_Words]) -> int | None:
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
