"""Attack a table before others do: every attacker, on whatever was published."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from os import PathLike
from pathlib import Path

from shoal.adversary.attackers.aggregate import aggregate
from shoal.adversary.attackers.background import background
from shoal.adversary.attackers.composition import composition
from shoal.adversary.attackers.definetti import definetti
from shoal.adversary.attackers.ends import ends
from shoal.adversary.attackers.heaping import heaping
from shoal.adversary.attackers.homogeneity import homogeneity
from shoal.adversary.attackers.linkage import linkage
from shoal.adversary.attackers.minimality import minimality
from shoal.adversary.attackers.similarity import similarity
from shoal.adversary.attackers.skewness import skewness
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.people import insist_on_people
from shoal.policy.model.policy import UNPUBLISHED, Policy
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.release.release import Release
from shoal.release.storage.audit import input_rows_of
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.truth import verify_truth
from shoal.watchers import Step, unwatched

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


def attack(
    source: Source,
    release: Folder | Release | None = None,
    *,
    policy: Policy | str | PathLike[str] | None = None,
    audit: str | PathLike[str] | None = None,
    others: Sequence[Folder] = (),
    other_audits: Sequence[str | PathLike[str]] = (),
    only: Sequence[str] = (),
    besides: int = 1,
    seed: int | None = None,
) -> list[AttackResult]:
    """What every attacker finds in a release of this table or, with a policy instead, in the table itself.
    ``other_audits`` are the owner's links of the others, in their order.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> [found] = attack(pa.table({"age": [30, 30, 52]}), policy=policy, only=["linkage"])
    >>> found.below, found.smallest, found.level
    (0.3333333333333333, 1, 'exposed')
    """
    refuse_unknown(only)
    scene = open_scene(source, release, policy, audit, others, besides, seed, other_audits)
    return run_attacks(scene, only)


def run_attacks(scene: Scene, only: Sequence[str] = (), on_step: Step = unwatched) -> list[AttackResult]:
    """Every attack that makes sense on this scene, or those of these names."""
    found: list[AttackResult] = []
    for name, run in ATTACKS:
        if not only or name in only:
            on_step(f"attacking: {name}")
            found += run(scene)
    return found


def open_scene(
    source: Source,
    release: Folder | Release | None,
    policy: Policy | str | PathLike[str] | None = None,
    audit: str | PathLike[str] | None = None,
    others: Sequence[Folder] = (),
    besides: int = 1,
    seed: int | None = None,
    other_audits: Sequence[str | PathLike[str]] = (),
) -> Scene:
    """The table and, of it, a release or nothing but a policy; of other releases, as many links as are given,
    in their order."""
    if len(other_audits) > len(others):
        raise ShoalError(
            f"there are {len(other_audits):,} links of other releases, but {len(others):,} other releases",
            "give one for each further release, in the same order.",
        )
    if release is None and policy is None:
        hint = "give the folder of a release or, for the table itself, a policy."
        raise ShoalError("there is nothing to attack", hint)
    if release is None:
        asked = Policy.of(policy or "")
        return Scene.raw_table(_people_of(source, asked), asked, besides=besides, seed=seed)
    if isinstance(release, Policy):
        raise ShoalError("a policy is no release", "to attack the table itself, say policy=...")
    if isinstance(release, Release):
        return _in_memory(release, others, besides, seed, other_audits)
    opened = _opened(release)
    original = PublishedTable(_people_of(source, opened.policy))
    return replace(
        _beside(original, opened, policy, audit),
        others=_others(original, others, policy, other_audits),
        besides=besides,
        seed=seed,
    )


def _others(
    original: PublishedTable,
    others: Sequence[Folder],
    policy: Policy | str | PathLike[str] | None,
    audits: Sequence[str | PathLike[str]],
) -> tuple[Scene, ...]:
    return tuple(
        _beside(original, _opened(other), policy, audit) for other, audit in zip_longest(others, audits)
    )


def _in_memory(
    release: Release,
    others: Sequence[Folder],
    besides: int,
    seed: int | None,
    other_audits: Sequence[str | PathLike[str]],
) -> Scene:
    """A release that was not written yet; it knows its original, and its link."""
    original = PublishedTable(release.original)
    return Scene(
        original,
        PublishedTable(Table(release.made.table)),
        release.policy,
        input_rows=release.made.input_rows,
        others=_others(original, others, release.policy, other_audits),
        left_out=release.made.suppressed,
        besides=besides,
        seed=seed,
    )


def _opened(release: str | PathLike[str] | OpenedRelease) -> OpenedRelease:
    return release if isinstance(release, OpenedRelease) else open_release(release)


def _beside(
    original: PublishedTable,
    opened: OpenedRelease,
    policy: Policy | str | PathLike[str] | None,
    audit: str | PathLike[str] | None = None,
) -> Scene:
    """One release of this table, with the owner's link if it is the right one. The policy that it was made by
    tells what its labels stand for."""
    _with_columns(original.table, opened.policy)
    published, manifest = PublishedTable(opened.read_as_written()), opened.manifest
    complete = opened.legible(policy)
    if not len(published):
        raise ShoalError("the release has no records", "there is nobody to be found in it.")
    if len(original) != manifest.records + manifest.suppressed:
        raise ShoalError(
            f"the table has {len(original):,} rows, but the release was made of "
            f"{manifest.records + manifest.suppressed:,}",
            "give the table that the release was made from, as it was.",
        )
    rows = None if audit is None else input_rows_of(Path(audit), len(published), len(original))
    if rows is not None and not manifest.recoded:
        truth = verify_truth(published, original, complete, rows)
        if not truth.holds:
            raise ShoalError(
                "the audit file does not belong to this release and table",
                "give the audit file that was written together with the release.",
            )
    return Scene(original, published, complete, input_rows=rows, left_out=manifest.suppressed)


def _people_of(source: Source, policy: Policy) -> Table:
    """The table to attack, whose rows are people: visits would be counted as candidates for each other."""
    table = _with_columns(read_table(source, reading=policy.how_to_read), policy)
    insist_on_people(table, policy)
    return table


def _with_columns(table: Table, policy: Policy) -> Table:
    if faults := column_faults(policy, table.names, optional=UNPUBLISHED):
        raise ShoalError(faults)
    return table


def refuse_unknown(names: Sequence[str]) -> None:
    """Raise all names of attacks that do not exist, each with the nearest that does."""
    known = [name for name, _ in ATTACKS]
    faults = [
        Fault(f"there is no attack {name!r}", nearest(name, known, "shoal"))
        for name in names
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
