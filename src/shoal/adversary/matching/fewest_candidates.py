"""Attackers who know any few attributes: of all choices the one that leaves the fewest candidates."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.scene import Scene
from shoal.arrays import Ints

MOST_CHOICES = 60
FEW_PEOPLE = 20_000  # where a person fits many boxes


@dataclass(frozen=True)
class FewestCandidates:
    """``own`` is, of every record, the size of the smallest class that any choice leaves it."""

    people: Ints
    candidates: Ints
    own: Ints
    telling: dict[str, float]  # for which share of the people each choice leaves the fewest
    notes: tuple[str, ...]


def fewest_candidates(
    scene: Scene,
    names: list[str],
    many: int,
    fits_of: Callable[[tuple[str, ...]], RecordMatches],
    classes_of: Callable[[tuple[str, ...]], Ints],
) -> FewestCandidates:
    """The fewest candidates over all choices of so many attributes, or over as many choices as can be tried;
    ``classes_of`` numbers the records that show the same by a choice."""
    choices = _choices(scene, names, many)
    fits = [fits_of(choice) for choice in choices]
    people = min((one.attacked(scene, FEW_PEOPLE) for one in fits), key=len)
    candidates = np.full(len(people), len(scene.published), np.int64)
    best = np.zeros(len(people), np.int64)
    own = np.full(len(scene.published), len(scene.published), np.int64)
    for at, one in enumerate(fits):
        counts = one.counts(people)
        better = counts < candidates
        candidates[better], best[better] = counts[better], at
        if not scene.raw:
            classes = classes_of(choices[at])
            own = np.minimum(own, np.bincount(classes)[classes])
    often = np.bincount(best, minlength=len(choices)) / max(len(people), 1)
    ranked = sorted(zip(choices, often.tolist(), strict=True), key=lambda one: -one[1])
    telling = {" + ".join(choice): round(share, 4) for choice, share in ranked if share > 0}
    left_out = comb(len(names), many) - len(choices)
    note = f"{left_out:,} further choices of attributes were not tried."
    return FewestCandidates(people, candidates, own, telling, (note,) if left_out else ())


def _choices(scene: Scene, names: list[str], many: int) -> list[tuple[str, ...]]:
    if comb(len(names), many) <= MOST_CHOICES:
        return list(combinations(names, many))
    random = np.random.default_rng(scene.drawing)
    drawn = {tuple(sorted(random.choice(len(names), many, replace=False).tolist()))
             for _ in range(MOST_CHOICES)}  # fmt: skip
    return [tuple(names[at] for at in choice) for choice in sorted(drawn)]
