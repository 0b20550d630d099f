"""Attack a table before others do: every attacker, on whatever was published."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.adversary.attackers.aggregate import aggregate, aggregate_by_counts, aggregate_left_out
from shoal.adversary.attackers.background import background
from shoal.adversary.attackers.composition import composition
from shoal.adversary.attackers.definetti import definetti
from shoal.adversary.attackers.ends import ends
from shoal.adversary.attackers.heaping import heaping
from shoal.adversary.attackers.homogeneity import homogeneity
from shoal.adversary.attackers.linkage import linkage, linkage_by_counts, linkage_left_out
from shoal.adversary.attackers.minimality import minimality
from shoal.adversary.attackers.similarity import similarity
from shoal.adversary.attackers.skewness import skewness
from shoal.adversary.large.counted_scene import CountedScene
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene, refuse_another_table
from shoal.anonymizer.parts.table_facts import table_columns
from shoal.engines.protocol import Engine
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.people import insist_on_people
from shoal.policy.model.policy import UNPUBLISHED, Policy
from shoal.progress import Step, unwatched
from shoal.release.data.published_rows import published_rows
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.release.people_in_rows import insist_on_people_in_rows
from shoal.release.release import Release
from shoal.release.storage.audit import input_rows_of
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.truth import verify_truth

Folder = str | PathLike[str] | OpenedRelease


@dataclass(frozen=True)
class Attack:
    """How an attack runs on a `Scene` and, where counts are enough, beyond memory; ``left_out`` says what is
    not tried there, which is all of it without counts."""

    name: str
    run: Callable[[Scene], Iterator[AttackResult]]
    by_counts: Callable[[CountedScene], Iterator[AttackResult]] | None = None
    left_out: Callable[[CountedScene], Iterator[str]] | None = None


ATTACKS = (
    Attack("linkage", linkage, linkage_by_counts, linkage_left_out),
    Attack("aggregate", aggregate, aggregate_by_counts, aggregate_left_out),
    Attack("homogeneity", homogeneity),
    Attack("background", background),
    Attack("skewness", skewness),
    Attack("similarity", similarity),
    Attack("ends", ends),
    Attack("heaping", heaping),
    Attack("definetti", definetti),
    Attack("composition", composition),
    Attack("minimality", minimality),
)

AS_PREPARED = (
    "These are the rows that a release would be made of: the policy's [types], codes of [missing] and "
    "[prepare] are applied, so rows that leave_out names are not attacked."
)


@dataclass(frozen=True)
class LargeAttack:
    """What was found, and the attacks that were left out, which are in memory only."""

    policy: Policy
    raw: bool
    results: list[AttackResult]
    left_out: tuple[str, ...]


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


def attack_large(
    engine: Engine,
    source: Any,
    release: Folder | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    only: Sequence[str] = (),
    on_step: Step = unwatched,
) -> LargeAttack:
    """What attackers find in a release of this table or, with a policy instead, in the table itself; people
    are counted and not listed."""
    refuse_unknown(only)
    on_step("reading")
    scene = open_counted_scene(engine, source, release, policy)
    return LargeAttack(scene.policy, scene.raw, run_attacks(scene, only, on_step), left_out(scene, only))


def run_attacks(
    scene: Scene | CountedScene, only: Sequence[str] = (), on_step: Step = unwatched
) -> list[AttackResult]:
    """Every attack that makes sense on this scene, or those of these names."""
    found: list[AttackResult] = []
    for one in _wanted(only):
        on_step(f"attacking: {one.name}")
        if isinstance(scene, Scene):
            found += one.run(scene)
        elif one.by_counts is not None:
            found += one.by_counts(scene)
    notes = (AS_PREPARED,) if scene.raw and scene.policy.how_to_read.rules else ()
    return [replace(one, notes=(*one.notes, *notes)) for one in found]


def left_out(scene: CountedScene, only: Sequence[str] = ()) -> tuple[str, ...]:
    """What is not tried beyond memory."""
    return tuple(
        what
        for one in _wanted(only)
        for what in ([one.name] if one.left_out is None else one.left_out(scene))
    )


def _wanted(only: Sequence[str]) -> list[Attack]:
    return [one for one in ATTACKS if not only or one.name in only]


def open_counted_scene(
    engine: Engine, source: Any, release: Folder | None, policy: Policy | str | PathLike[str] | None
) -> CountedScene:
    """The table beyond memory and, of it, a release or nothing but a policy."""
    if (release is None) == (policy is None):
        hint = "give the folder of a release or, for the table itself, a policy."
        raise ShoalError("there is nothing to attack, or too much", hint)
    opened = None if release is None else _opened(release)
    asked = Policy.of(policy or "") if opened is None else opened.policy
    original = engine.read(source, reading=asked.how_to_read)
    _refuse_other_columns(table_columns(original), asked)
    insist_on_people_in_rows(original, asked)
    if opened is None:
        return CountedScene(original, original, asked)
    opened.insist(opened.manifest.files, engine)
    _refuse_empty(opened.manifest.records)
    return CountedScene(original, published_rows(engine, opened.data), asked, opened.manifest)


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
    if not isinstance(release, str | PathLike | OpenedRelease | Release | Policy):
        raise ShoalError(
            "only a release in memory can be attacked as it is", "write it, then give its folder."
        )
    if isinstance(release, Policy):
        raise ShoalError("a policy is no release", "to attack the table itself, say policy=...")
    if isinstance(release, Release):
        return _in_memory(release, others, besides, seed, other_audits)
    opened = _opened(release)
    original = PublishedTable(_people_of(source, opened.policy))
    return replace(
        _opened_scene(original, opened, policy, audit),
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
        _opened_scene(original, _opened(other), policy, audit) for other, audit in zip_longest(others, audits)
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
        PublishedTable(Table(release.result.table)),
        release.policy,
        input_rows=release.result.input_rows,
        others=_others(original, others, release.policy, other_audits),
        left_out=release.result.suppressed,
        besides=besides,
        seed=seed,
    )


def _opened(release: str | PathLike[str] | OpenedRelease) -> OpenedRelease:
    return release if isinstance(release, OpenedRelease) else open_release(release)


def _opened_scene(
    original: PublishedTable,
    opened: OpenedRelease,
    policy: Policy | str | PathLike[str] | None,
    audit: str | PathLike[str] | None = None,
) -> Scene:
    """One release of this table, with the owner's link if it is the right one. The policy that it was made by
    tells what its labels stand for."""
    _refuse_other_columns(original.table.names, opened.policy)
    published, manifest = PublishedTable(opened.read_as_written()), opened.manifest
    complete = opened.legible(policy)
    _refuse_empty(len(published))
    refuse_another_table(len(original), manifest)
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
    table = read_table(source, reading=policy.how_to_read)
    _refuse_other_columns(table.names, policy)
    insist_on_people(table, policy)
    return table


def _refuse_other_columns(names: list[str], policy: Policy) -> None:
    if faults := column_faults(policy, names, optional=UNPUBLISHED):
        raise ShoalError(faults)


def _refuse_empty(records: int) -> None:
    if not records:
        raise ShoalError("the release has no records", "there is nobody to be found in it.")


def refuse_unknown(names: Sequence[str]) -> None:
    """Raise all names of attacks that do not exist, each with the nearest that does."""
    known = [one.name for one in ATTACKS]
    faults = [
        Fault(f"there is no attack {name!r}", nearest(name, known, "shoal"))
        for name in names
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
