"""What is known of people, laid beside what records show of it.

Every fact is an axis: a point for each person, a closed range for each published record. A record fits a
person if on every axis its range holds the person's point.

- A column that is known is an axis; so is an aggregate, whose range over a record is F.
- A sum of which some columns are known besides is the sum of the other columns.
- An aggregate that is known to within a share gives a person a band: the record's range has to begin before
  the band ends, and to end after it begins, which are two axes.
- Several sums at once fit a box of ranges exactly when the point lies in a zonotope, and that is said by a
  few linear combinations of the sums: for every facet the combination that is constant on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from shoal.adversary.matching.value_codes import ValueCodes
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError
from shoal.policy.model import expression as ex
from shoal.verify.aggregate.band import band_ends
from shoal.verify.aggregate.image import TOLERANCE, Image, image_of, on_common_unit
from shoal.verify.cells.published_table import Cells
from shoal.verify.cells.word_cells import values_of_cell
from shoal.verify.truth.containment import (
    LeavesByLabel,
    WordContainment,
    cells_of,
    leaves_below,
    on_one_scale,
    shows_numbers,
)

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True)
class Axis:
    """``label`` and ``admits`` (label, point) say more where a range holds points that do not fit.
    ``width`` is how many values a record leaves open, where the axis counts for its volume."""

    low: Ints
    high: Ints
    point: Ints
    label: Ints | None = None
    admits: Bools | None = None
    width: Floats | None = None

    @property
    def exact(self) -> bool:
        """Does every record show one point?"""
        return self.admits is None and bool(np.array_equal(self.low, self.high))


def column_axis(scene: Scene, name: str) -> Axis:
    """A column that is known exactly. Columns that are published as they are show one value in every cell,
    whatever it looks like."""
    published, original, policy = scene.published, scene.original, scene.policy
    if not scene.raw and (policy.permutes or policy.columns.get(name) != "quasi"):
        values = ValueCodes.of(scene, name)
        return Axis(values.published, values.published, values.own)
    below = _below(scene, name)
    if shows_numbers(published, original, policy, name, below):
        side = on_one_scale(published, original, name)
        axis = Axis(side.low, side.high, side.points, width=_width(side.low, side.high, side.points))
        return axis if policy.missing_counts.get(name) == "zero" else _with_missing(scene, name, axis)
    if scene.raw:
        codes = published.table.words(name).codes.astype(np.int64)
        return Axis(codes, codes, codes)
    words = WordContainment.of(published, original, policy, name, below or {})
    return _word_axis(words, _leaves_open(published.table.words(name).words, below or {}, words))


def has_ranges(scene: Scene, name: str) -> bool:
    """Are the axes of a quasi column numbers, and not places of words?"""
    return shows_numbers(scene.published, scene.original, scene.policy, name, _below(scene, name))


def _below(scene: Scene, name: str) -> LeavesByLabel | None:
    """What the labels of a column stand for, if it has a hierarchy."""
    if name not in scene.policy.hierarchies or scene.raw:
        return None
    return leaves_below(scene.original, scene.policy, name)


def _with_missing(scene: Scene, name: str, axis: Axis) -> Axis:
    """A missing number is a value of its own, which only a missing cell or a star shows."""
    shown, known = cells_of(scene.published, name).missing, cells_of(scene.original, name).missing
    if not shown.any() and not known.any():
        return axis
    low, high = np.where(shown, LEAST, axis.low), np.where(shown, LEAST, axis.high)
    width = None if axis.width is None else np.where(shown, 1.0, axis.width)
    return Axis(low, high, np.where(known, LEAST, axis.point), width=width)


def _width(low: Any, high: Any, points: Any) -> Floats:
    """How many values lie between two ends, both counted; under a star, those between the least and the
    largest of all people. Real numbers lie closer than any two that are told apart."""
    starred = (low <= LEAST + 1) | (high >= MOST - 1)
    least, most = points.min(initial=MOST), points.max(initial=LEAST)
    first, last = (np.where(starred, end, ends) for end, ends in ((least, low), (most, high)))
    step = TOLERANCE * np.maximum(np.abs(last), 1.0) if first.dtype == np.float64 else 1.0
    return np.asarray(last.astype(np.float64) - first.astype(np.float64) + step)


def _leaves_open(labels: Sequence[str | None], below: LeavesByLabel, words: WordContainment) -> Floats:
    """How many words each label stands for, as its recipient counts them: leaves of the hierarchy, members of
    a set; a star for all there are."""
    every = max([words.admits.shape[1], *(len(leaves) for leaves in below.values())])
    members = [below.get(label) or values_of_cell(label) for label in labels]
    return np.array([every if one is None else max(len(one), 1) for one in members], np.float64)


def _word_axis(words: WordContainment, leaves: Floats) -> Axis:
    side = words.side()
    width = words.admits.sum(axis=1)
    last = words.admits.shape[1] - 1 - words.admits[:, ::-1].argmax(axis=1)
    gapless = (width == 0) | (last - words.admits.argmax(axis=1) + 1 == width)
    open_to = leaves[words.labels]
    if gapless.all():
        return Axis(side.low, side.high, side.points, width=open_to)
    return Axis(side.low, side.high, side.points, words.labels.astype(np.int64), words.admits, open_to)


def aggregate_axes(
    scene: Scene,
    trees: tuple[ex.Expression, ...],
    known: tuple[str, ...] = (),
    within: Fraction | None = None,
) -> list[Axis]:
    """Aggregates of records of which the columns ``known`` are known as well; the axes of these columns come
    on top. ``within`` is for one aggregate."""
    names = list(dict.fromkeys(name for tree in trees for name in ex.columns_of(tree)))
    shown = {name: cells_of(scene.published, name).within(scene.policy.domains.get(name)) for name in names}
    truth = shown if scene.raw else {name: cells_of(scene.original, name) for name in names}
    band = None if within is None else image_over(scene, trees[0], truth)
    stated = [one for tree in trees for one in aggregates_to_compare((tree,), known)]
    axes = []
    for tree in aggregates_to_compare(trees, known):
        own = list(ex.columns_of(tree))
        image = image_over(scene, tree, shown)
        person = image if scene.raw else image_over(scene, tree, truth)
        starred = np.logical_or.reduce([shown[name].suppressed for name in own])
        unknown, nobody = (unknown_records(scene, side, own) for side in (shown, truth))
        found = [_with_gaps(axis, starred, unknown, nobody) for axis in _axes(image, person, band, within)]
        if tree in stated:
            found[0] = replace(found[0], width=_width(*_open_ends(image, starred | unknown), person.low))
        axes += found
    return axes


def _open_ends(image: Image, gone: Bools) -> tuple[Any, Any]:
    """The ends of F as numbers; of what is not there, the widest."""
    low, high = (end.astype(np.float64) if end.dtype == object else end for end in (image.low, image.high))
    if not gone.any():
        return low, high
    return np.where(gone, LEAST, low), np.where(gone, MOST, high)


def image_over(scene: Scene, tree: ex.Expression, cells: dict[str, Cells]) -> Image:
    """F of every record; where a cell is not there it is anything, and to be left aside."""
    zero = [name for name, counts in scene.policy.missing_counts.items() if counts == "zero"]
    whole = {name: _filled(cells[name], name in zero) for name in ex.columns_of(tree)}
    try:
        return image_of(tree, whole)
    except ZeroDivisionError:
        raise ShoalError(
            "the divisor in an aggregate that the policy names can be zero in some record",
            "divide only by columns whose values are all positive or all negative.",
        ) from None


def _filled(cells: Cells, zero: bool) -> Cells:
    gone = cells.suppressed if zero else cells.suppressed | cells.missing
    if not gone.any():
        return cells
    low, high = (np.where(gone, 10**cells.scale, end) for end in (cells.low, cells.high))
    return Cells(low, high, cells.scale, cells.suppressed, cells.missing)


def unknown_records(scene: Scene, cells: dict[str, Cells], names: list[str]) -> Bools:
    """Records of which the aggregate is unknown, since a cell is missing that does not count as zero."""
    counted = [cells[name].missing for name in names if scene.policy.missing_counts.get(name) != "zero"]
    return np.asarray(np.logical_or.reduce([np.zeros(len(cells[names[0]].low), bool), *counted]))


def _with_gaps(axis: Axis, starred: Bools, unknown: Bools, nobody: Bools) -> Axis:
    """A star admits everything; what is unknown admits nothing, and is known of nobody."""
    low, high, point = axis.low, axis.high, axis.point
    if starred.any():
        low, high = np.where(starred, LEAST + 1, low), np.where(starred, MOST - 1, high)
    if unknown.any():
        low, high = np.where(unknown, MOST, low), np.where(unknown, MOST, high)
    if nobody.any():
        low, point = np.maximum(low, LEAST + 1), np.where(nobody, LEAST, point)
    return Axis(low, high, point)


def _axes(shown: Image, person: Image, whole: Image | None, within: Fraction | None) -> list[Axis]:
    shown, person = on_common_unit(shown, person)
    if within is not None and whole is not None:
        shown, whole = on_common_unit(shown, whole)
        person, whole = on_common_unit(person, whole)
    low, high, begin, end = shown.low, shown.high, person.low, person.low
    if within is not None and whole is not None:
        part = whole.low - person.low  # what the columns that are known add to it
        begin, end = (edge - part for edge in _band(whole, within))
    if any(one.dtype != np.int64 for one in (low, high, begin, end)):
        low, high, begin, end = _ranks(low, high, begin, end)
    if begin is end:
        return [Axis(low, high, begin)]
    return [Axis(low, np.full(len(low), MOST), end), Axis(np.full(len(low), LEAST), high, begin)]


def _band(whole: Image, within: Fraction) -> tuple[Any, Any]:
    if whole.unit is not None:
        return band_ends(whole.low, within)
    reach = float(within) * np.abs(whole.low) * (1 + TOLERANCE)
    return whole.low - reach, whole.low + reach


def _ranks(*parts: Any) -> list[Any]:
    """Places in one common order, which compare alike; two that are the same array stay so. Real numbers that
    count as equal have one place."""
    order = np.unique(np.concatenate(parts))
    places = np.arange(len(order))
    if order.dtype == np.float64:
        apart = np.diff(order) > TOLERANCE * np.maximum(np.abs(order[1:]), np.abs(order[:-1]))
        places = np.append(0, np.cumsum(apart))
    found: dict[int, Any] = {}
    for part in parts:
        found.setdefault(id(part), places[np.searchsorted(order, part)].astype(np.int64))
    return [found[id(part)] for part in parts]


def aggregates_to_compare(trees: tuple[ex.Expression, ...], known: tuple[str, ...]) -> list[ex.Expression]:
    """What to compare: the aggregates without the columns that are known, and combinations of several.

    >>> len(aggregates_to_compare((ex.parse_expression("a + b"), ex.parse_expression("a + 2 * c")), ()))
    3
    >>> aggregates_to_compare((ex.parse_expression("a + b"),), ("b",))
    [ColumnTerm(name='a')]
    """
    forms = [ex.linear_form(tree) for tree in trees]
    rest = [tree for tree, form in zip(trees, forms, strict=True) if form is None]
    weights = [{name: weight for name, weight in form.weights.items() if weight and name not in known}
               for form in forms if form is not None]  # fmt: skip
    names = list(dict.fromkeys(name for one in weights for name in one))
    generators = [tuple(one.get(name, Fraction(0)) for one in weights) for name in names]
    sums = []
    for normal in _normals(len(weights), generators):
        total = {
            name: sum((part * factor for part, factor in zip(column, normal, strict=True)), Fraction(0))
            for name, column in zip(names, generators, strict=True)
        }
        if any(total.values()):
            sums.append(_sum({name: weight for name, weight in total.items() if weight}))
    return [*dict.fromkeys(sums), *rest]


def _sum(weights: dict[str, Fraction]) -> ex.Expression:
    parts = tuple(
        ex.ColumnTerm(name)
        if weight == 1
        else ex.Combine("product", (ex.Constant(weight), ex.ColumnTerm(name)))
        for name, weight in weights.items()
    )
    return parts[0] if len(parts) == 1 else ex.Combine("sum", parts)


def _normals(dimensions: int, generators: list[tuple[Fraction, ...]]) -> list[tuple[Fraction, ...]]:
    """Normals of all facets that zonotopes of such generators have, whichever of them are there.

    Facets are spanned by generators and, where these are too few, completed by axes.
    """
    if dimensions == 0:
        return []
    units = [tuple(Fraction(int(at == axis)) for at in range(dimensions)) for axis in range(dimensions)]
    spanning = list(dict.fromkeys([*units, *(_scaled(one) for one in generators if any(one))]))
    found = [_scaled(_normal(chosen, dimensions)) for chosen in combinations(spanning, dimensions - 1)]
    return list(dict.fromkeys([*units, *(normal for normal in found if any(normal))]))


def _normal(chosen: tuple[tuple[Fraction, ...], ...], dimensions: int) -> tuple[Fraction, ...]:
    """Orthogonal to all of them: the minors of their matrix, with alternating signs."""
    minors = []
    for left_out in range(dimensions):
        minor = [[row[at] for at in range(dimensions) if at != left_out] for row in chosen]
        minors.append((-1) ** left_out * _determinant(minor))
    return tuple(minors)


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return Fraction(1)
    return sum(
        (
            (-1) ** at * rows[0][at] * _determinant([row[:at] + row[at + 1 :] for row in rows[1:]])
            for at in range(len(rows))
        ),
        Fraction(0),
    )


def _scaled(vector: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The first part that is not 0 becomes 1: the same direction is the same vector."""
    first = next((part for part in vector if part), None)
    return vector if first is None else tuple(part / first for part in vector)
