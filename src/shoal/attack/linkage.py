"""Linkage: who knows quasi values of a person looks for the records that show them.

All quasi values, which is what k-anonymity is about; or any few of them, and then the few that leave the
fewest records. Where classes show means, the nearest class takes the place of one that fits.
"""

from collections.abc import Iterator
from functools import partial

from shoal.attack.axes import column_axis
from shoal.attack.fewest import fewest
from shoal.attack.fits import Fits
from shoal.attack.nearest import nearest_records
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene

PERMUTED = (
    "Quasi values are published as they are, so their record is found; what is protected is the sensitive "
    "value, which is not that of its record."
)
AVERAGED = "Classes show means: the records of the nearest class are taken for the candidates."


def linkage(scene: Scene) -> Iterator[AttackResult]:
    """Somebody who knows all quasi values, and somebody who knows any few of them."""
    yield _all_known(scene)
    if scene.policy.averages and not scene.raw:
        return
    for many in range(1, min(scene.besides + 1, len(scene.quasi))):
        yield _some_known(scene, many)


def quasi_fits(scene: Scene, names: list[str] | tuple[str, ...]) -> Fits:
    """People and records by these quasi columns."""
    axes = tuple(scene.once(("axis", name), partial(column_axis, scene, name)) for name in names)
    return Fits(axes, len(scene.published))


def _all_known(scene: Scene) -> AttackResult:
    notes = (PERMUTED,) if scene.policy.permutes and not scene.raw else ()
    if scene.policy.averages and not scene.raw:
        people = scene.drawn()
        candidates, success = nearest_records(scene, people)
        notes = (AVERAGED,)
    else:
        fits = quasi_fits(scene, scene.quasi)
        people = fits.attacked(scene)
        candidates = fits.counts(people)
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
    return AttackResult(
        attack="linkage",
        knows=f"any {many} of {len(scene.quasi)} quasi values of a person",
        finds="record",
        needed=scene.alike or scene.k,
        promised=scene.alike is not None,
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
