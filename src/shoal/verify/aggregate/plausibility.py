"""How likely the right record is to someone who knows how a method chose the cell it opened.

In a class of ``aligned`` every record has one open cell and all records fit everybody's total. But a cell
is opened only under a rule, so for a person with f = v a record counts as much as the rule would have
opened its cell if the value under it were the one that makes f = v. If that weight does not depend on v,
the choice tells nothing.

The posterior of the right record: for up to five records over all ways to give everybody in the class a
record (the attacker knows everybody's total); for more, of the person's own total alone, the others being
as likely to have any total of the class. *Heaped*: the attacker also knows that people round, and finds a
hidden multiple of 1,000 likelier than its neighbour, as the exact cells of the release show.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import ceil, floor, lcm
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.policy.model.expression import linear_form
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.cells.published_table import PublishedTable

EXACT = 5  # classes of up to this many records are judged over all ways to assign them
PAIRS_AT_ONCE = 500_000
ORDERS = 16 ** np.arange(16)  # the order of magnitude of the method's rule: hexadecimal digits
ROUND = np.array([1_000, 500, 100, 50, 10, 5, 1])


def plausibility(
    published: PublishedTable, original: PublishedTable, asked: KfAnonymity, policy: Policy, input_rows: Ints
) -> dict[str, float]:
    """Largest and mean probability of the right record, by the rule alone and with heaping."""
    view = _View.of(published, original, asked, policy, input_rows)
    likelihood = view.roundness()
    plain, heaped = [np.zeros(0)], [np.zeros(0)]
    for rows in view.classes():
        weights, hidden = view.weights(rows)
        plain.append(own_record_chance(weights))
        heaped.append(own_record_chance(weights * likelihood[hidden]))
    found, rounded = np.concatenate(plain), np.concatenate(heaped)
    if not len(found):
        return {}
    return {
        "posterior": round(float(found.max()), 6),
        "posterior_mean": round(float(found.mean()), 6),
        "posterior_heaped": round(float(rounded.max()), 6),
        "posterior_heaped_mean": round(float(rounded.mean()), 6),
    }


@dataclass(frozen=True)
class _View:
    """The release as an attacker sees it who knows the method, and everybody's f."""

    low: Ints
    high: Ints
    weights_of_f: Ints
    totals: Ints
    scales: Ints
    bottom: Ints
    top: Ints
    blind: bool

    @classmethod
    def of(
        cls,
        published: PublishedTable,
        original: PublishedTable,
        asked: KfAnonymity,
        policy: Policy,
        input_rows: Ints,
    ) -> "_View":
        form = linear_form(asked.trees[0])
        assert form is not None  # noqa: S101 - the method takes nothing else
        names = list(asked.columns)
        cells = [published.cells(name) for name in names]
        truth = [original.table.numbers(name) for name in names]
        scales = [max(one.scale, true.scale) for one, true in zip(cells, truth, strict=True)]
        factors = [10 ** (scale - one.scale) for one, scale in zip(cells, scales, strict=True)]
        low = np.column_stack([one.low * factor for one, factor in zip(cells, factors, strict=True)])
        high = np.column_stack([one.high * factor for one, factor in zip(cells, factors, strict=True)])
        points = [true.units[input_rows] * 10 ** (scale - true.scale)
                  for true, scale in zip(truth, scales, strict=True)]  # fmt: skip
        steps = [form.weights[name] / 10**scale for name, scale in zip(names, scales, strict=True)]
        unit = lcm(*(step.denominator for step in steps))
        weights = np.array([int(step * unit) for step in steps])
        bottom, top = low.min(axis=0), high.max(axis=0)
        for at, name in enumerate(names):
            if name in policy.domains:
                first, last = (end * 10 ** scales[at] for end in policy.domains[name])
                bottom[at], top[at] = ceil(first), floor(last)
        return cls(
            low,
            high,
            weights,
            np.column_stack(points) @ weights,
            np.array(scales),
            bottom,
            top,
            policy.method.options.get("draw", "blind") == "blind",
        )

    def classes(self) -> Iterator[Ints]:
        """Rows of aligned classes, many classes of one size at a time: one class to a row.

        A class whose records all show one and the same range is one of common ranges.
        """
        ranged = self.low < self.high
        single = np.flatnonzero(ranged.sum(axis=1) == 1)
        opened = ranged[single].argmax(axis=1)
        ends = self.low[single, opened], self.high[single, opened]
        f_ends = _ends_of_f(self.low[single], self.high[single], self.weights_of_f)
        order = np.lexsort([*ends, opened, *f_ends])
        a, b = f_ends[0][order], f_ends[1][order]
        starts = np.flatnonzero(np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])))[: len(order)]
        sizes = np.diff(np.append(starts, len(order)))
        shown = np.column_stack([opened, *ends])[order]
        common = (shown[starts] == shown[starts + sizes - 1]).all(axis=1)
        for size in np.unique(sizes[~common]).tolist():
            chosen = starts[(sizes == size) & ~common]
            for first in range(0, len(chosen), max(PAIRS_AT_ONCE // size**2, 1)):
                part = chosen[first : first + max(PAIRS_AT_ONCE // size**2, 1)]
                yield single[order[part[:, np.newaxis] + np.arange(size)]]

    def weights(self, rows: Ints) -> tuple[Floats, Ints]:
        """For every class, record and person of the class: how likely the rule opens this record's cell if
        the record is that person's; and how round the hidden value then is."""
        record, person = rows[:, :, np.newaxis], rows[:, np.newaxis, :]
        opened = (self.low < self.high)[rows].argmax(axis=2)[:, :, np.newaxis]
        weight = self.weights_of_f[opened]
        ends = _ends_of_f(self.low[rows[:, 0]], self.high[rows[:, 0]], self.weights_of_f)
        least, most = (end[:, np.newaxis, np.newaxis] for end in ends)
        first = np.where(weight > 0, self.low[record, opened], self.high[record, opened])
        total = self.totals[person]
        hidden = first + (total - least) // weight
        shape = hidden.shape
        cells = np.repeat(self.low[rows][:, :, np.newaxis, :], shape[2], axis=2)
        place = np.broadcast_to(opened, shape)
        np.put_along_axis(cells, place[..., np.newaxis], hidden[..., np.newaxis], axis=3)
        rule = self._blind if self.blind else self._eligible
        chance = rule(cells, place, total, least, most)
        return chance, roundness_of(hidden, 10 ** self.scales[opened])

    def _step(self) -> Any:
        steps, counts = np.unique(np.abs(self.weights_of_f[self.weights_of_f != 0]), return_counts=True)
        return steps[np.argmax(counts)]

    def _shifted(self, cells: Ints, total: Ints, least: Ints, most: Ints) -> tuple[Ints, Ints]:
        """The range that each cell would get if it were opened."""
        weights = np.where(self.weights_of_f == 0, 1, self.weights_of_f)
        ends = [cells + (end - total)[..., np.newaxis] // weights for end in (least, most)]
        return np.minimum(*ends), np.maximum(*ends)

    def _eligible(self, cells: Ints, opened: Ints, total: Ints, least: Ints, most: Ints) -> Floats:
        low, high = self._shifted(cells, total, least, most)
        fits = (low >= self.bottom) & (high <= self.top) & ((low > 0) | (high < 0))
        fits &= np.abs(self.weights_of_f) == self._step()
        return _share(fits, opened)

    def _blind(self, cells: Ints, opened: Ints, total: Ints, least: Ints, most: Ints) -> Floats:
        inside = (cells != 0) & (cells > self.bottom) & (cells < self.top)
        inside &= np.abs(self.weights_of_f) == self._step()
        digits = np.where(inside, np.searchsorted(ORDERS, np.abs(cells), "right"), -1)
        highest = digits.max(axis=-1, keepdims=True)
        low, high = self._shifted(cells, total, least, most)
        stays = (low > self.bottom) & (high < self.top) & ((low > 0) | (high < 0))
        for end in (low, high):
            stays &= np.searchsorted(ORDERS, np.abs(end), "right") == highest
        drawn = _share(inside & (digits == highest), opened)
        return drawn * np.take_along_axis(stays, opened[..., np.newaxis], axis=-1)[..., 0]

    def roundness(self) -> Floats:
        """How much likelier than by chance a value of each roundness is among the exact cells."""
        rows, columns = np.nonzero(self.low == self.high)
        return heaping_weights(self.low[rows, columns], 10 ** self.scales[columns])


def _ends_of_f(low: Ints, high: Ints, weights: Ints) -> tuple[Ints, Ints]:
    first, last = low * weights, high * weights
    return np.minimum(first, last).sum(axis=-1), np.maximum(first, last).sum(axis=-1)


def roundness_of(values: Ints, units: Ints) -> Ints:
    """Which of 1000, 500, 100, 50, 10, 5, 1 is the first that divides a value; decimals count as 1.

    >>> roundness_of(np.array([3000, 1500, 7]), np.ones(3, np.int64)).tolist()
    [0, 1, 6]
    """
    divides = [values % (step * units) == 0 for step in ROUND]
    divides[-1] = np.ones_like(divides[-1])
    return np.asarray(np.argmax(divides, axis=0))


def heaping_weights(values: Ints, units: Ints) -> Floats:
    """How much likelier than by chance a value of each roundness is among these; zeros do not count.

    >>> heaping_weights(np.full(993, 1000), np.ones(993, np.int64)).round(2).tolist()
    [994.0, 1.0, 0.12, 0.1, 0.01, 0.01, 0.0]
    """
    there = values != 0
    levels = roundness_of(values[there], units[there])
    seen = np.bincount(levels, minlength=len(ROUND)) + 1.0
    by_chance = np.bincount(roundness_of(np.arange(1, 1001), np.ones(1000, np.int64)), minlength=len(ROUND))
    return np.asarray(seen / seen.sum() / (by_chance / 1000))


def _share(fits: Bools, opened: Ints) -> Floats:
    """One in as many as fit, if the opened cell is one of them."""
    own = np.take_along_axis(fits, opened[..., np.newaxis], axis=-1)[..., 0]
    return np.asarray(own / np.maximum(fits.sum(axis=-1), 1))


def own_record_chance(weights: Floats) -> Floats:
    """The probability of everybody's own record, of (class, record, person) weights.

    >>> own_record_chance(np.array([[[1.0, 0.5], [0.5, 1.0]]])).round(2).tolist()
    [0.8, 0.8]
    """
    size = weights.shape[1]
    own = np.arange(size)
    if size > EXACT:
        even = weights / np.maximum(weights.mean(axis=2, keepdims=True), 1e-300)
        return np.asarray((even / np.maximum(even.sum(axis=1, keepdims=True), 1e-300))[:, own, own].ravel())
    ways = np.zeros_like(weights)
    for way in permutations(range(size)):
        chance = np.prod(weights[:, own, way], axis=1)
        ways[:, own, way] += chance[:, np.newaxis]
    return np.asarray((ways / np.maximum(ways.sum(axis=1, keepdims=True), 1e-300))[:, own, own].ravel())
