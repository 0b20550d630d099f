"""Attack a table before others do: every attacker, on whatever was published."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path

from shoal.attack.aggregate import aggregate
from shoal.attack.background import background
from shoal.attack.composition import composition
from shoal.attack.definetti import definetti
from shoal.attack.ends import ends
from shoal.attack.heaping import heaping
from shoal.attack.homogeneity import homogeneity
from shoal.attack.linkage import linkage
from shoal.attack.minimality import minimality
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene
from shoal.attack.similarity import similarity
from shoal.attack.skewness import skewness
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.columns import column_faults
from shoal.policy.policy import Policy
from shoal.release.audit import input_rows_of
from shoal.release.opened import OpenedRelease, open_release
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.cells import Published

Attack = Callable[[Scene], Iterator[AttackResult]]
Folder = str | PathLike[str] | OpenedRelease

ATTACKS: tuple[tuple[str, Attack], ...] = (
    ("linkage", linkage),
    ("aggregate", aggregate),
    ("homogeneity", homogeneity),
    ("background", background),
    ("skewness", skewness),
    ("similarity", similarity),
    ("ends", ends),
    ("heaping", heaping),
    ("definetti", definetti),
    ("composition", composition),
    ("minimality", minimality),
)


def _silent(_: str) -> None:
    """Nobody is watching."""


def attacks(
    source: Source,
    release: Folder | None = None,
    *,
    policy: Policy | str | PathLike[str] | None = None,
    audit: str | PathLike[str] | None = None,
    others: Sequence[Folder] = (),
    only: Sequence[str] = (),
    besides: int = 1,
    seed: int | None = None,
) -> list[AttackResult]:
    """What every attacker finds in a release of this table or, with a policy instead, in the table itself.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> [found] = attacks(pa.table({"age": [30, 30, 52]}), policy=policy, only=["linkage"])
    >>> found.below, found.smallest, found.level
    (0.3333333333333333, 1, 'exposed')
    """
    refuse_unknown(only)
    scene = open_scene(source, release, policy, audit, others, besides, seed)
    return run_attacks(scene, only)


def run_attacks(
    scene: Scene, only: Sequence[str] = (), on_step: Callable[[str], None] = _silent
) -> list[AttackResult]:
    """Every attack that makes sense on this scene, or those of these names."""
    found: list[AttackResult] = []
    for name, run in ATTACKS:
        if not only or name in only:
            on_step(f"attacking: {name}")
            found += run(scene)
    return found


def open_scene(
    source: Source,
    release: Folder | None,
    policy: Policy | str | PathLike[str] | None = None,
    audit: str | PathLike[str] | None = None,
    others: Sequence[Folder] = (),
    besides: int = 1,
    seed: int | None = None,
) -> Scene:
    """The table and, of it, a release or nothing but a policy."""
    if release is None and policy is None:
        hint = "give the folder of a release or, for the table itself, a policy."
        raise ShoalError("there is nothing to attack", hint)
    if release is None:
        asked = Policy.of(policy or "")
        table = _with_columns(read_table(source), asked)
        return Scene.raw_table(table, asked, besides=besides, seed=seed)
    opened = _opened(release)
    table = _with_columns(read_table(source), opened.policy)
    published, original = opened.read_as_written(), Published(table)
    return Scene(
        original,
        Published(published),
        opened.policy,
        input_rows=None if audit is None else input_rows_of(Path(audit), len(published), len(table)),
        others=tuple(_beside(original, _opened(other)) for other in others),
        besides=besides,
        seed=seed,
    )


def _opened(release: Folder) -> OpenedRelease:
    return release if isinstance(release, OpenedRelease) else open_release(release)


def _beside(original: Published, other: OpenedRelease) -> Scene:
    _with_columns(original.table, other.policy)
    return Scene(original, Published(other.read_as_written()), other.policy)


def _with_columns(table: Table, policy: Policy) -> Table:
    if faults := column_faults(policy, table.names, optional=("identifier",)):
        raise ShoalError(faults)
    return table


def refuse_unknown(names: Sequence[str]) -> None:
    known = [name for name, _ in ATTACKS]
    faults = [
        Fault(f"there is no attack {name!r}", nearest(name, known, "shoal"))
        for name in names
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
