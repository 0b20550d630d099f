"""Linkage: who knows quasi values of a person looks for the records that show them.

All quasi values, which is what k-anonymity is about; any few of them, and then the few that leave the
fewest records; or all of them and besides any few columns that are published as they are. Where classes show
means, the nearest class takes the place of one that fits. A permuted release shows quasi values as they are:
there is nothing to link that it hides.
"""

from collections.abc import Iterator
from functools import partial

from shoal.attack.axes import column_axis
from shoal.attack.fewest import Fewest, fewest
from shoal.attack.fits import Fits
from shoal.attack.nearest import affordable, nearest_records
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene

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
    for many in range(1, min(scene.besides, len(scene.shown)) + 1):
        yield _more_known(scene, many)


def quasi_fits(scene: Scene, names: list[str] | tuple[str, ...]) -> Fits:
    """People and records by these quasi columns."""
    axes = tuple(scene.once(("axis", name), partial(column_axis, scene, name)) for name in names)
    return Fits(axes, len(scene.published))


def _all_known(scene: Scene) -> AttackResult:
    notes: tuple[str, ...] = ()
    if scene.policy.averages and not scene.raw:
        people = scene.drawn(affordable(scene))
        candidates, success = nearest_records(scene, people)
        notes = (AVERAGED,)
    else:
        fits = quasi_fits(scene, scene.quasi)
        people = fits.attacked(scene)
        candidates = fits.counts(people)
        scene.refuse_strangers(candidates)
        success = scene.success(people, candidates)
    return AttackResult(
        attack="linkage",
        knows=f"{listed(scene.quasi)} of a person",
        finds="record",
        needed=scene.alike or scene.k,
        promised=scene.alike is not None,
        people=people,
        candidates=candidates,
        success=success,
        population=scene.people,
        notes=notes,
    )


def _some_known(scene: Scene, many: int) -> AttackResult:
    found = fewest(scene, scene.quasi, many, lambda names: quasi_fits(scene, names))
    knows = f"any {many} of {len(scene.quasi)} quasi values of a person"
    return _by_few(scene, found, knows, promised=scene.alike is not None)


def _more_known(scene: Scene, many: int) -> AttackResult:
    """The policy takes for granted that nobody knows these columns."""
    found = fewest(scene, scene.shown, many, lambda names: quasi_fits(scene, (*scene.quasi, *names)))
    few = "any one column" if many == 1 else f"any {many} columns"
    knows = f"all quasi values of a person and {few} of those published as they are"
    return _by_few(scene, found, knows, promised=False)


def _by_few(scene: Scene, found: Fewest, knows: str, promised: bool) -> AttackResult:
    return AttackResult(
        attack="linkage",
        knows=knows,
        finds="record",
        needed=scene.alike or scene.k,
        promised=promised,
        people=found.people,
        candidates=found.candidates,
        success=scene.success(found.people, found.candidates),
        population=scene.people,
        figures={"telling": found.telling},
        notes=found.notes,
    )


def listed(names: list[str]) -> str:
    """
    >>> listed(["zip", "age", "sex"])
    'zip, age and sex'
    """
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
