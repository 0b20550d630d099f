"""Linkage: who knows quasi values of a person looks for the records that show them.

All quasi values, which is what k-anonymity is about; any few of them, and then the few that leave the
fewest records; or all of them and besides any few columns that are published as they are. Where classes show
means, the nearest class takes the place of one that fits. Several classes may fit a person: who knows which
is theirs has its records for candidates, those that show the very same cells. A permuted release shows quasi
values as they are: there is nothing to link that it hides.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from shoal.adversary.candidate_reading import OWN_CLASS, CandidateReading
from shoal.adversary.large.class_sizes import quasi_classes
from shoal.adversary.large.counted_scene import CountedScene
from shoal.adversary.matching.axes import column_axis
from shoal.adversary.matching.fewest_candidates import FewestCandidates, fewest_candidates
from shoal.adversary.matching.nearest_classes import affordable_people, nearest_records
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import ALIKE, PolicyPromises, Scene
from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import KAnonymity
from shoal.verify.cells.cell_codes import cell_codes

AVERAGED = "Classes show means: the records of the nearest class are taken for the candidates."


def linkage(scene: Scene) -> Iterator[AttackResult]:
    """Somebody who knows all quasi values, any few of them, or more than these."""
    if scene.policy.permutes and not scene.raw:
        return
    yield _all_known(scene)
    if scene.policy.averages and not scene.raw:
        return
    for many in range(1, min(scene.besides + 1, len(scene.quasi))):
        yield _some_known(scene, many)
    for many in range(1, min(scene.besides, len(scene.open_columns)) + 1):
        yield _more_known(scene, many)


def linkage_by_counts(scene: CountedScene) -> Iterator[AttackResult]:
    """Beyond memory: somebody who knows all quasi values, in the table as it is."""
    if scene.raw:
        yield _by_all(scene, quasi_classes(scene.original, scene.policy).found)


def linkage_left_out(scene: CountedScene) -> Iterator[str]:
    """What only the attacks in memory try."""
    few = "linkage by a few of the quasi values, or by more than these"
    yield few if scene.raw else "linkage of a release"


def quasi_matches(scene: Scene, names: list[str] | tuple[str, ...]) -> RecordMatches:
    """People and records by these quasi columns."""
    axes = tuple(scene.once(("axis", name), partial(column_axis, scene, name)) for name in names)
    return RecordMatches(axes, len(scene.published))


def _all_known(scene: Scene) -> AttackResult:
    readings = () if scene.raw else (scene.own_classes(classes_by_columns(scene, scene.quasi)),)
    if scene.policy.averages and not scene.raw:
        people = scene.people_to_attack(affordable_people(scene))
        candidates, success = nearest_records(scene, people)
        found, notes = scene.found(people, candidates) | {"success": success}, (AVERAGED,)
        return _by_all(scene, found, broken(scene, candidates), notes, readings)
    fits = quasi_matches(scene, scene.quasi)
    people = fits.attacked(scene)
    candidates = fits.counts(people)
    scene.refuse_strangers(candidates)
    return _by_all(scene, scene.found(people, candidates), broken(scene, candidates), (), readings)


def _by_all(
    scene: PolicyPromises,
    found: dict[str, Any],
    broken: bool | None = None,
    notes: tuple[str, ...] = (),
    readings: tuple[CandidateReading, ...] = (),
) -> AttackResult:
    """Somebody who knows all quasi values, and the people that this has ``found``."""
    return AttackResult(
        attack="linkage",
        knows=f"{names_in_words(scene.quasi)} of a person",
        finds="record",
        needed=scene.alike or scene.k,
        promised=scene.alike is not None,
        broken=broken,
        notes=notes,
        readings=readings,
        **found,
    )


def classes_by_columns(scene: Scene, names: Sequence[str]) -> Ints:
    """The class of every record: those that show the same cells in these columns."""
    return class_numbers([cell_codes(scene.published, name).codes for name in names])


def broken(scene: Scene, candidates: Ints) -> bool | None:
    """Where stars match anything, it is the records that fit who are promised, and classes may be smaller."""
    asked = [one for one in scene.policy.guarantees if isinstance(one, ALIKE) and one.k == scene.alike]
    if not asked or not all(isinstance(one, KAnonymity) and one.stars == "any" for one in asked):
        return None
    return bool(((candidates > 0) & (candidates < (scene.alike or scene.k))).any())


def _some_known(scene: Scene, many: int) -> AttackResult:
    found = fewest_candidates(
        scene, scene.quasi, many,
        lambda names: quasi_matches(scene, names), lambda names: classes_by_columns(scene, names),
    )  # fmt: skip
    knows = f"any {many} of {len(scene.quasi)} quasi values of a person"
    return _by_few(scene, found, knows, promised=scene.alike is not None)


def _more_known(scene: Scene, many: int) -> AttackResult:
    """The policy takes for granted that nobody knows these columns."""
    found = fewest_candidates(
        scene, scene.open_columns, many,
        lambda names: quasi_matches(scene, (*scene.quasi, *names)),
        lambda names: classes_by_columns(scene, (*scene.quasi, *names)),
    )  # fmt: skip
    few = "any one column" if many == 1 else f"any {many} columns"
    knows = f"all quasi values of a person and {few} of those published as they are"
    return _by_few(scene, found, knows, promised=False)


def _by_few(scene: Scene, found: FewestCandidates, knows: str, promised: bool) -> AttackResult:
    return AttackResult(
        attack="linkage",
        knows=knows,
        finds="record",
        needed=scene.alike or scene.k,
        promised=promised,
        **scene.found(found.people, found.candidates),
        broken=broken(scene, found.candidates) if promised else None,
        figures={"telling": found.telling},
        notes=found.notes,
        readings=smallest_class_reading(scene, found),
    )


def smallest_class_reading(scene: Scene, found: FewestCandidates) -> tuple[CandidateReading, ...]:
    """Everybody in the smallest class that any choice of attributes leaves their record."""
    if scene.raw:
        return ()
    sizes, times = np.unique(found.own, return_counts=True)
    return (CandidateReading.with_absent(OWN_CLASS, sizes, 1 / sizes, times, scene.people),)


def names_in_words(names: list[str]) -> str:
    """
    >>> names_in_words(["zip", "age", "sex"])
    'zip, age and sex'
    """
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
