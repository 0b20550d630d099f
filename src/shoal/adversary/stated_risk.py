"""How often the attackers whom a policy states succeed, measured on the release itself.

An attacker who finds n records that fit picks the right one with the chance 1 / n. Candidates are the records
with identical quasi cells (a star matches stars alone), with the same image of what the attacker knows, or
those that meet the band around a person's own value. In a permuted release everybody's group is known, and
the chance is that of the right value: its share in the group.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import KeAnonymity, KfAnonymity
from shoal.release.release import Release
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbers import Numbers
from shoal.table.table import Table
from shoal.verify.aggregate.band import meeting_centred
from shoal.verify.aggregate.image import on_common_unit
from shoal.verify.attackers import Attacker, attackers, classes_of
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.kf_anonymity import aggregate_cells, aggregate_images, cells_of_rows


@dataclass(frozen=True)
class StatedRisk:
    """The risk by the attacker who succeeds most: on average over all records, and for the record most at
    risk."""

    mean: float
    largest: float


def stated_risk(release: Release) -> StatedRisk:
    """Records that were left out are safe, and count in the mean.

    >>> import pyarrow as pa
    >>> from shoal import Policy, anonymize
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> stated_risk(anonymize(pa.table({"age": [30, 31, 52, 53]}), policy))
    StatedRisk(mean=0.5, largest=0.5)
    """
    published = PublishedTable(Table(release.result.table))
    people = max(len(release.original), 1)
    found = [_chances(release, published, attacker) for attacker in _stated(release)]
    risks = [StatedRisk(float(one.sum() / people), float(one.max(initial=0))) for one in found]
    risks += _of_the_rule(release, len(published) / people)
    return StatedRisk(max(risk.mean for risk in risks), max(risk.largest for risk in risks))


def _stated(release: Release) -> list[Attacker]:
    """Whoever knows the group may be after any of the columns that are to be protected."""
    permuted: list[Attacker] = [one for one in release.policy.guarantees if isinstance(one, KeAnonymity)]
    return permuted or attackers(release.policy)


def _chances(release: Release, published: PublishedTable, attacker: Attacker) -> Floats:
    """The chance of success for every published record."""
    if isinstance(attacker, KeAnonymity):
        return _of_the_right_value(release, published, attacker.sensitive)
    of_classes = _alone_in(classes_of(published, attacker, release.policy))
    if isinstance(attacker, KfAnonymity) and attacker.within is not None and not attacker.joint:
        return _within_a_band(release, published, attacker, of_classes)
    return of_classes


def _alone_in(classes: Ints) -> Floats:
    """
    >>> _alone_in(np.array([7, 3, 7])).tolist()
    [0.5, 1.0, 0.5]
    """
    _, numbers, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    return np.asarray(1 / sizes[numbers])


def _of_the_right_value(release: Release, published: PublishedTable, name: str) -> Floats:
    """The share of a record's own value among those that its group shows."""
    rows = release.result.input_rows
    own, shown = release.original.points(name), published.table.points(name)
    scale = max(own.scale, shown.scale)
    units = np.concatenate([_on_scale(own, scale)[rows], _on_scale(shown, scale)])
    missing = np.concatenate([own.missing[rows], shown.missing]).astype(np.int64)
    groups = permutation_groups(published)
    value_in_group = class_numbers([np.tile(groups, 2), class_numbers([units, missing])])
    theirs, there = value_in_group[: len(rows)], value_in_group[len(rows) :]
    counts = np.bincount(there, minlength=int(value_in_group.max(initial=0)) + 1)
    return np.asarray(counts[theirs] / np.bincount(groups)[groups])


def _on_scale(numbers: Numbers, scale: int) -> Any:
    if numbers.scale == scale:
        return numbers.units
    return numbers.units.astype(object) * 10 ** (scale - numbers.scale)  # unbounded


def _within_a_band(
    release: Release, published: PublishedTable, asked: KfAnonymity, of_classes: Floats
) -> Floats:
    """Candidates are the records that meet the band around a person's own value: as many as the verdict
    found, at least. Wherever the band sits, those that admit the value itself meet it."""
    cells, hidden = aggregate_cells(published, asked, release.policy)
    original = Table(release.original.arrow.take(arrow_from_numpy(release.result.input_rows)))
    truth_cells, _ = aggregate_cells(PublishedTable(original), asked, release.policy)
    shown, truth = on_common_unit(
        aggregate_images(asked, cells_of_rows(cells, ~hidden)),
        aggregate_images(asked, cells_of_rows(truth_cells, ~hidden)),
    )
    fewest = release.verdicts[release.policy.guarantees.index(asked)].achieved["k"]
    met = np.full(len(truth.low), max(fewest, 1))
    if truth.unit is not None:  # else the verdict's own figure has to do
        share = Fraction(asked.within or 0) if asked.band == "centred" else Fraction(0)
        met = np.maximum(meeting_centred(truth.low, shown.low, shown.high, share), met)
    chances = of_classes.copy()
    chances[~hidden] = 1 / met
    return chances


def _of_the_rule(release: Release, share: float) -> list[StatedRisk]:
    """What somebody gains who knows how a method chose the cells it opened, where verdicts measure that."""
    found = [verdict.achieved for verdict in release.verdicts if "posterior" in verdict.achieved]
    return [StatedRisk(share * one["posterior_mean"], one["posterior"]) for one in found]
