"""Aggregates: who knows a total of a person looks for the records that admit it.

As the policy states it: exactly or to within a share, one aggregate or several, with columns besides. And
beyond that: exactly where the policy says about, and with any few attributes more.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.adversary.attackers.linkage import classes_by_columns, quasi_matches, smallest_class_reading
from shoal.adversary.candidate_reading import BY_VOLUME, NARROWEST, CandidateReading
from shoal.adversary.large.candidate_counts import count_on_line
from shoal.adversary.large.class_sizes import own_classes
from shoal.adversary.large.counted_scene import CountedScene
from shoal.adversary.matching.axes import Axis, aggregate_axes, aggregates_to_compare
from shoal.adversary.matching.fewest_candidates import fewest_candidates
from shoal.adversary.matching.pairwise_aggregate import PairwiseAggregate
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.kernels.classes import class_numbers
from shoal.policy.model.expression import columns_of, linear_form
from shoal.policy.model.guarantee import KfAnonymity

ANY_BAND = "The range is taken to lie around the value; one that lies elsewhere may leave fewer records."
ONE_BY_ONE = "Several aggregates that are no sums are compared one by one; together they may leave fewer."


def aggregate(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy who knows aggregates, and the same knowing more."""
    for asked in scene.aggregates:
        stated = None if asked.joint or asked.within is None else Fraction(asked.within)
        yield _as_known(scene, asked, stated, promised=True)
        if stated is not None:
            yield _as_known(scene, asked, None, promised=False)
        more = [name for name in (*scene.quasi, *scene.open_columns) if name not in asked.also]
        for many in range(1, min(scene.besides, len(more)) + 1):
            yield _knowing_more(scene, asked, more, many)


def aggregate_by_counts(scene: CountedScene) -> Iterator[AttackResult]:
    """Beyond memory: somebody who knows a single aggregate exactly."""
    for asked in scene.aggregates:
        if asked.joint:
            continue
        tree = next(iter(aggregates_to_compare(asked.trees, ())), None)
        tally = count_on_line(scene.original, scene.published, scene.policy, tree)
        people = int(tally.times.sum())
        scene.refuse_another_table(people)
        readings = () if scene.raw else (own_classes(scene.published, scene.policy, tree, people),)
        yield _result(asked, asked.within is None, tally.found, readings)


def aggregate_left_out(scene: CountedScene) -> Iterator[str]:
    """What only the attacks in memory try."""
    if scene.aggregates:
        yield "aggregate with any other attribute besides"
    if any(one.joint for one in scene.aggregates):
        yield "aggregate as the policy states it, together with other aggregates or known columns"
    if any(one.within and not one.joint for one in scene.aggregates):
        yield "aggregate known to within a share"


def aggregate_matches(
    scene: Scene, asked: KfAnonymity, besides: tuple[str, ...] = (), within: Fraction | None = None
) -> RecordMatches:
    """People and records by the aggregates, and by columns that are known too."""
    known = tuple(dict.fromkeys((*asked.also, *besides)))
    own = tuple(name for name in known if name in asked.columns)
    axes: tuple[Axis, ...] = tuple(aggregate_axes(scene, asked.trees, own, within))
    closer = tuple(
        PairwiseAggregate.at(scene, tree, own)
        for tree in asked.trees
        if not scene.raw and linear_form(tree) is None and set(own) & set(columns_of(tree))
    )
    return RecordMatches((*axes, *quasi_matches(scene, known).axes), len(scene.published), closer)


def _as_known(scene: Scene, asked: KfAnonymity, within: Fraction | None, promised: bool) -> AttackResult:
    fits = aggregate_matches(scene, asked, within=within)
    people = fits.attacked(scene)
    candidates = fits.counts(people)
    found = scene.found(people, candidates)
    if within is None:
        return _result(asked, promised, found, () if scene.raw else (scene.own_classes(fits.box_of),))
    return replace(
        _result(asked, promised, found, band_readings(scene, fits, people)),
        knows=asked.knowledge(),
        broken=bool(((candidates > 0) & (candidates < asked.k)).any()),
        notes=(*_notes(asked), *([ANY_BAND] if asked.band == "any" else [])),
    )


def _result(
    asked: KfAnonymity, promised: bool, found: dict[str, Any], readings: tuple[CandidateReading, ...]
) -> AttackResult:
    """Somebody who knows the aggregates exactly, and the people that this has ``found``."""
    known = asked if promised else asked.model_copy(update={"within": None})
    return AttackResult(
        attack="aggregate",
        knows=f"{known.knowledge()}, exactly",
        finds="record",
        needed=asked.k,
        promised=promised,
        notes=_notes(asked),
        readings=readings,
        **found,
    )


def _knowing_more(scene: Scene, asked: KfAnonymity, names: list[str], many: int) -> AttackResult:
    alike = aggregate_matches(scene, asked).box_of
    found = fewest_candidates(
        scene, names, many,
        lambda besides: aggregate_matches(scene, asked, besides),
        lambda besides: class_numbers([alike, classes_by_columns(scene, besides)]),
    )  # fmt: skip
    more = "any one other attribute" if many == 1 else f"any {many} other attributes"
    return AttackResult(
        attack="aggregate",
        knows=f"{asked.model_copy(update={'within': None}).knowledge()}, exactly, and {more}",
        finds="record",
        needed=asked.k,
        promised=False,
        **scene.found(found.people, found.candidates),
        figures={"telling": found.telling},
        notes=(*_notes(asked), *found.notes),
        readings=smallest_class_reading(scene, found),
    )


def band_readings(scene: Scene, fits: RecordMatches, people: Any) -> tuple[CandidateReading, ...]:
    """Readings of an attacker who knows only about what a total is: the records with the narrowest F, and all
    by the width of F. Classes of one F are known to nobody then. Without the owner's link, the right record
    is taken to be among the narrowest, and as likely as its weight says."""
    if scene.raw or len(people) > fits.affordable(scene):
        return ()
    person, box = fits.pairs(people)
    volumes = fits.volumes[box]
    least = np.full(len(people), np.inf)
    np.minimum.at(least, person, volumes)
    narrow = volumes == least[person]
    sizes = fits.sizes[box]
    candidates = np.bincount(person, sizes, len(people)).astype(np.int64)
    few = np.bincount(person[narrow], sizes[narrow], len(people)).astype(np.int64)
    weight = np.exp(least[person] - volumes)
    total = np.bincount(person, sizes * weight, len(people))
    share = weight / np.where(total > 0, total, 1.0)[person]
    right, certain = np.bincount(person, sizes * share**2, len(people)), 1 / np.maximum(few, 1)
    if scene.input_rows is not None:
        own = np.full(scene.people, -1, np.int64)
        own[scene.input_rows] = fits.box_of
        theirs = own[people][person] == box
        right = np.bincount(person[theirs], share[theirs], len(people))
        certain = np.bincount(person[theirs & narrow], minlength=len(people)) / np.maximum(few, 1)
    there = (candidates > 0) & ~scene.absent[people]
    return (
        CandidateReading(NARROWEST, few, np.where(there, certain, 0.0)),
        CandidateReading(BY_VOLUME, candidates, np.where(there, right, 0.0)),
    )


def _notes(asked: KfAnonymity) -> tuple[str, ...]:
    plain = all(linear_form(tree) is not None for tree in asked.trees)
    return () if plain or len(asked.trees) == 1 else (ONE_BY_ONE,)
