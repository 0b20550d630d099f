"""Heaping: people round, and values lie on grids; not every record that admits a total is equally likely.

Somebody who knows a sum f of a person exactly and takes a record for theirs knows what then lies under its
ranges: f less the exact cells. That hidden total is impossible if it is no multiple of the step between the
values of these columns, and the likelier the rounder it is, as the exact cells of the release show
(multiples of 1000, 500, 100, 50, 10 and 5). Success is the weight of the person's own record among all
that fit or, for somebody who knows a person's own class, among those of the same F. Without the owner's link,
the right record is taken to be as likely as its weight says. The narrowest F and weights by volume are never
better than the own class, since they have all of it or not the right record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm

import numpy as np

from shoal.adversary.attackers.aggregate import aggregate_matches
from shoal.adversary.candidate_reading import OWN_CLASS, CandidateReading
from shoal.adversary.matching.record_matches import RecordMatches, numbers_in_runs
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.policy.model.expression import linear_form
from shoal.policy.model.guarantee import KfAnonymity
from shoal.verify.aggregate.plausibility import heaping_weights, roundness_of
from shoal.verify.truth.containment import cells_of

SAFE = 2**62
SEEN = 20  # exact cells that show the step of a column
PROBED = 50
MOST_PAIRS = 20_000_000  # of a person and a record
AT_ONCE = 2_000_000


def heaping(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy who knows one sum, on a release with ranges."""
    if scene.raw:
        return
    for asked in scene.aggregates:
        hidden = _Hidden.of(scene, asked)
        if hidden is not None and hidden.is_open.any():
            yield _result(scene, asked, hidden)


@dataclass(frozen=True)
class _Hidden:
    """Totals of people and, of every record: what its exact cells add up to, the step that the sum of its
    open cells has, and the unit in which it is round or not; all in one unit."""

    totals: Ints
    exact: Ints
    step: Ints
    unit: Ints
    is_open: Bools  # does the record show a range at all?
    likelihood: Floats  # of every roundness

    @classmethod
    def of(cls, scene: Scene, asked: KfAnonymity) -> "_Hidden | None":
        """None if several aggregates are known, one that is no sum, or numbers too large to add."""
        form = linear_form(asked.trees[0])
        if len(asked.trees) > 1 or form is None:
            return None
        known = {name: weight for name, weight in form.weights.items() if weight and name not in asked.also}
        columns = _columns(scene, known)
        if not columns or sum(abs(column.weight) * column.reach for column in columns) >= SAFE:
            return None
        return cls(
            np.asarray(sum(column.points * column.weight for column in columns)),
            np.asarray(sum(np.where(column.is_open, 0, column.low * column.weight) for column in columns)),
            _common([column.step * abs(column.weight) for column in columns], columns),
            _common([column.scale * abs(column.weight) for column in columns], columns),
            np.logical_or.reduce([column.is_open for column in columns]),
            _likelihood([column for column in columns if column.is_open.any()]),
        )

    def weights(self, person: Ints, record: Ints) -> Floats:
        """How plausible it is that a record is a person's; those without ranges are neither more nor less."""
        hidden = self.totals[person] - self.exact[record]
        likely = self.likelihood[roundness_of(hidden, self.unit[record])]
        possible = hidden % self.step[record] == 0
        return np.where(self.is_open[record], np.where(possible, likely, 0.0), 1.0)


@dataclass(frozen=True)
class _Column:
    """Published cells and people's points in units of 1 / ``scale``; ``grid`` is what the published numbers
    are multiples of, and ``weight`` counts in the common unit of the sum."""

    low: Ints
    is_open: Bools
    points: Ints
    weight: int
    scale: int
    grid: int

    @property
    def step(self) -> int:
        """What all exact cells are multiples of, if there are enough of them."""
        values = self.low[~self.is_open & (self.low != 0)]
        return int(np.gcd.reduce(values)) if len(values) >= SEEN else self.grid

    @property
    def reach(self) -> int:
        ends = [end(one, initial=0) for one in (self.low, self.points) for end in (np.min, np.max)]
        return max(abs(int(end)) for end in ends)


def _columns(scene: Scene, weights: dict[str, Fraction]) -> list[_Column]:
    columns = []
    shown = {name: cells_of(scene.published, name) for name in weights}
    truth = {name: cells_of(scene.original, name) for name in weights}
    scales = {name: max(shown[name].scale, truth[name].scale) for name in weights}
    common = lcm(*((weights[name] / 10**scale).denominator for name, scale in scales.items()))
    for name, weight in weights.items():
        cells, grid = shown[name], 10 ** (scales[name] - shown[name].scale)
        points = truth[name].low * 10 ** (scales[name] - truth[name].scale)
        is_open = (cells.low < cells.high) | cells.suppressed
        scale = 10 ** scales[name]
        columns.append(_Column(cells.low * grid, is_open, points, int(weight * common / scale), scale, grid))
    return columns


def _common(steps: list[int], columns: list[_Column]) -> Ints:
    """The greatest common divisor over the open columns of each record; 1 without any."""
    parts = [np.where(column.is_open, step, 0) for step, column in zip(steps, columns, strict=True)]
    return np.maximum(reduce(np.gcd, parts), 1)


def _likelihood(opened: list[_Column]) -> Floats:
    """How much likelier than by chance round values are among the exact cells of these columns."""
    seen = [column.low[~column.is_open] for column in opened]
    scales = np.repeat([column.scale for column in opened], [len(values) for values in seen])
    return heaping_weights(np.concatenate([*seen, np.zeros(0, np.int64)]), scales.astype(np.int64))


def _result(scene: Scene, asked: KfAnonymity, hidden: _Hidden) -> AttackResult:
    fits = aggregate_matches(scene, asked)
    people, each = _attacked(scene, fits)
    fitting = fits.counts(people)
    at_once = max(int(AT_ONCE / each), 1)
    parts = [people[first : first + at_once] for first in range(0, len(people), at_once)]
    judged = [_judged(scene, fits, hidden, part) for part in parts] or [
        (people, np.zeros(0), people, np.zeros(0))
    ]
    candidates, success, own_candidates, own_success = (
        np.concatenate(part) for part in zip(*judged, strict=True)
    )
    by_chance = scene.success(people, fitting)
    expected = float(by_chance.mean()) if len(people) else 0.0
    there = ~scene.absent[people]
    own_class = CandidateReading(
        OWN_CLASS,
        own_candidates,
        np.where(there, own_success, 0.0),
        baseline=_by_chance_in_own_class(fits, scene.people),
    )
    return AttackResult(
        attack="heaping",
        knows=f"{asked.model_copy(update={'within': None}).knowledge()}, exactly, and that people round",
        finds="record",
        needed=asked.k,
        promised=False,
        people=people,
        candidates=candidates,
        success=np.where(there, success, 0.0),
        population=scene.people,
        baseline=expected,
        figures={
            "by_chance": round(expected, 6),
            "gain": round(float(success.mean()) / expected, 4) if expected else None,
            "ruled_out": round(1 - float(candidates.sum()) / max(int(fitting.sum()), 1), 6),
        },
        readings=(own_class,),
    )


def _by_chance_in_own_class(fits: RecordMatches, people: int) -> float:
    """Mean success of who picks any record of the own class: as many right ones as there are classes."""
    return len(fits.sizes) / max(people, 1)


def _attacked(scene: Scene, fits: RecordMatches) -> tuple[Ints, float]:
    """The people to attack, as many as can be, and about how many records fit each of them."""
    probed = scene.people_to_attack(PROBED)
    each = max(float(fits.counts(probed).mean()) if len(probed) else 1.0, 1.0)
    most = len(fits.attacked(scene, one_by_one=True))
    return scene.people_to_attack(min(most, max(int(MOST_PAIRS / each), 1))), each


def _judged(
    scene: Scene, fits: RecordMatches, hidden: _Hidden, people: Ints
) -> tuple[Ints, Floats, Ints, Floats]:
    """The records of some weight and the probability of the right one: among all that fit, and among those
    of the own class. Without the owner's link, that is any class, as likely as its weight says, and the
    candidates are those of the class with the fewest."""
    place, box = fits.pairs(people)
    order = np.argsort(fits.box_of, kind="stable")
    starts = np.cumsum(fits.sizes) - fits.sizes
    record = order[numbers_in_runs(starts[box], fits.sizes[box])]
    pair = np.repeat(np.arange(len(box)), fits.sizes[box])
    weight = hidden.weights(people[place[pair]], record)
    in_box = np.bincount(pair, weight, len(box))
    possible = np.bincount(pair[weight > 0], minlength=len(box))
    total = np.bincount(place, in_box, len(people))
    candidates = np.bincount(place, possible, len(people)).astype(np.int64)
    share = weight / np.where(total > 0, total, 1.0)[place[pair]]
    own_share = weight / np.where(in_box > 0, in_box, 1.0)[pair]
    if scene.input_rows is None:
        fewest = np.full(len(people), np.iinfo(np.int64).max)
        np.minimum.at(fewest, place[possible > 0], possible[possible > 0])
        right = [_summed(place[pair], share * each, len(people)) for each in (share, own_share)]
        return candidates, right[0], np.where(candidates > 0, fewest, 0), right[1]
    own = np.full(scene.people, -1, np.int64)
    own[scene.input_rows] = np.arange(len(scene.input_rows))
    theirs = own[people][place[pair]] == record
    right = [_summed(place[pair], np.where(theirs, each, 0.0), len(people)) for each in (share, own_share)]
    led = np.bincount(place[pair][theirs], possible[pair][theirs], len(people)).astype(np.int64)
    return candidates, right[0], led, right[1]


def _summed(places: Ints, amounts: Floats, people: int) -> Floats:
    """The amounts of everybody."""
    return np.bincount(places, amounts, people).astype(np.float64)
