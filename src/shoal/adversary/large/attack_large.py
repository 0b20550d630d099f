"""Attackers of tables beyond memory: who knows a total of a person, or all quasi values.

Results are those of ``attack``, of people who are counted and not listed. What needs pairs of people and
records, or classes of several kinds at once, is left to memory and named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adversary.attacks import ATTACKS, refuse_unknown
from shoal.adversary.candidate_reading import OWN_CLASS, CandidateReading
from shoal.adversary.candidate_tally import CandidateTally, result_of_tally
from shoal.adversary.large.candidate_counts import CandidateCounts, candidate_counts, lay_on_line
from shoal.adversary.large.linkage import class_sizes, linkage_attack, staying_rows
from shoal.adversary.large.totals import Totals, totals_of
from shoal.adversary.matching.axes import aggregates_to_compare
from shoal.adversary.result import AttackResult
from shoal.engines.protocol import Engine, Rows
from shoal.engines.steps.distinct import distinct
from shoal.errors import ShoalError
from shoal.policy.model import expression as ex
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import UNPUBLISHED, Policy
from shoal.release.data.published_rows import published_rows
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.release.people_in_rows import insist_on_people_in_rows
from shoal.table.columns.numbered_rows import ROW
from shoal.watchers import Step, unwatched

LOW, HIGH = "shoal:low", "shoal:high"
SINGLE = "an attacker who knows several aggregates, or columns besides"
FEW = "linkage by a few of the quasi values, or by more than these"
BESIDES = "aggregate with any other attribute besides"
BAND = "aggregate known to within a share"
SEVERAL = "aggregate together with others"


@dataclass(frozen=True)
class LargeAttack:
    """What was found, and the attacks that were left out, which are in memory only."""

    policy: Policy
    raw: bool
    results: list[AttackResult]
    left_out: tuple[str, ...]


def attack_large(
    engine: Engine,
    source: Any,
    release: str | PathLike[str] | OpenedRelease | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    only: Sequence[str] = (),
    on_step: Step = unwatched,
) -> LargeAttack:
    """What attackers find in a release of this table or, with a policy instead, in the table itself."""
    refuse_unknown(only)
    if (release is None) == (policy is None):
        hint = "give the folder of a release or, for the table itself, a policy."
        raise ShoalError("there is nothing to attack, or too much", hint)
    on_step("reading")
    opened = release if release is None or isinstance(release, OpenedRelease) else open_release(release)
    asked = Policy.of(policy or "") if opened is None else opened.policy
    original = engine.read(source, reading=asked.how_to_read)
    if faults := column_faults(asked, _names(original), optional=UNPUBLISHED):
        raise ShoalError(faults)
    insist_on_people_in_rows(original, asked)
    published = original if opened is None else _published(engine, opened)
    found: list[AttackResult] = []
    if opened is None and _wanted("linkage", only):
        on_step("attacking: linkage")
        found.append(linkage_attack(original, asked))
    for one in asked.guarantees:
        if isinstance(one, KfAnonymity) and not one.joint and _wanted("aggregate", only):
            on_step("attacking: aggregate")
            found.append(aggregate_attack(original, published, asked, one))
            if opened is not None:
                _refuse_another_table(found[-1], opened)
    return LargeAttack(asked, opened is None, found, _left_out(asked, opened is None, only))


def aggregate_attack(original: Rows, published: Rows, policy: Policy, asked: KfAnonymity) -> AttackResult:
    """Somebody who knows one aggregate of a person exactly; ``published`` is the original itself where the
    table is attacked as it is."""
    if asked.joint:
        raise ShoalError(f"{SINGLE}, is tried in memory only", "leave this guarantee out.")
    tree = next(iter(aggregates_to_compare(asked.trees, ())), None)
    known = asked.model_copy(update={"within": None})
    tally = count_on_line(original, published, policy, tree).tally
    people = int(tally.times.sum())
    return result_of_tally(
        tally,
        attack="aggregate",
        knows=f"{known.knowledge()}, exactly",
        needed=asked.k,
        promised=asked.within is None,
        readings=() if published is original else (own_classes(published, policy, tree, people),),
    )


def own_classes(published: Rows, policy: Policy, tree: ex.Expression | None, people: int) -> CandidateReading:
    """Everybody among the records of the same F, as ``attack`` has it in memory."""
    [totals] = totals_of(tree, policy, published)
    kind = pa.float64() if totals.unit is None else pa.int64()
    schema = pa.schema([(LOW, kind), (HIGH, kind), (ROW, pa.int64())])
    ends = published.map(partial(_ends, totals, kind), schema)
    sizes = distinct(ends, [LOW, HIGH]).rows.fold(class_sizes, CandidateTally.joined)
    assert sizes is not None  # noqa: S101 - there are records
    return CandidateReading.with_absent(OWN_CLASS, sizes.candidates, sizes.success, sizes.times, people)


def _ends(totals: Totals, kind: pa.DataType, table: pa.Table) -> pa.Table:
    """Both ends of F; none of records that show a star, and one of those of which F is unknown."""
    found = totals.of(table)
    low = pa.array(found.image.low, kind, mask=found.starred | found.unknown)
    high = pa.array(np.where(found.unknown, 0, found.image.high), kind, mask=found.starred)
    return pa.table([low, high, table.column(ROW)], names=[LOW, HIGH, ROW])


def coverage_of(original: Rows, published: Rows, policy: Policy, asked: KfAnonymity) -> int:
    """The fewest published records that fit any original person who was not left out, as ``verify`` counts
    them: suppressed records do not count, and floats are compared as they are."""
    people = staying_rows(original, policy)
    found = count_on_line(people, published, policy, asked.trees[0], tolerant=False)
    if found.unknown_people or found.unknown_records:
        raise ShoalError(
            "an aggregate that the policy names is unknown where cells are missing",
            '[missing] may count them as "zero".',
        )
    return int(found.on_line.candidates.min(initial=np.iinfo(np.int64).max))


def count_on_line(
    original: Rows, published: Rows, policy: Policy, tree: ex.Expression | None, tolerant: bool = True
) -> CandidateCounts:
    """Everybody beside the ranges that the aggregate has in the published records."""
    if published is original:
        [totals] = totals_of(tree, policy, original)
        return candidate_counts(lay_on_line(original, totals, people=True, records=True), tolerant)
    own, shown = totals_of(tree, policy, original, published)
    people = lay_on_line(original, own, people=True, records=False)
    return candidate_counts(
        people.beside(lay_on_line(published, shown, people=False, records=True)), tolerant
    )


def _names(rows: Rows) -> list[str]:
    return [name for name in rows.schema.names if name != ROW]


def _published(engine: Engine, opened: OpenedRelease) -> Rows:
    opened.insist(opened.manifest.files, engine)
    if not opened.manifest.records:
        raise ShoalError("the release has no records", "there is nobody to be found in it.")
    return published_rows(engine, opened.data)


def _refuse_another_table(found: AttackResult, opened: OpenedRelease) -> None:
    made_of = opened.manifest.records + opened.manifest.suppressed
    if found.population != made_of:
        raise ShoalError(
            f"the table has {found.population:,} rows, but the release was made of {made_of:,}",
            "give the table that the release was made from, as it was.",
        )


def _wanted(name: str, only: Sequence[str]) -> bool:
    return not only or name in only


def _left_out(policy: Policy, raw: bool, only: Sequence[str]) -> tuple[str, ...]:
    aggregates = [one for one in policy.guarantees if isinstance(one, KfAnonymity)]
    left = {"linkage": [FEW if raw else "linkage of a release"], "aggregate": []}
    left["aggregate"] += [BESIDES] if aggregates else []
    left["aggregate"] += [SEVERAL] if any(one.joint for one in aggregates) else []
    left["aggregate"] += [BAND] if any(one.within and not one.joint for one in aggregates) else []
    return tuple(what for name, _ in ATTACKS if _wanted(name, only) for what in left.get(name, [name]))
