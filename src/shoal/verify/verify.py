"""Check every promise of a policy against a published table, reading only what a recipient reads."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.policy.model.guarantee import (
    KAnonymity,
    KfAnonymity,
    KpqrAnonymity,
)
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.table import Table
from shoal.verify.aggregate.band import meeting_centred
from shoal.verify.aggregate.image import TOLERANCE, Image, on_common_unit
from shoal.verify.aggregate.plausibility import plausibility
from shoal.verify.case_variants import sensitive_words, with_case_notes
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.counting_unit import with_counting_unit
from shoal.verify.guarantees.kf_anonymity import aggregate_cells, aggregate_images
from shoal.verify.truth.bayes_optimal import bayes_optimal
from shoal.verify.truth.coverage import coverage, global_candidates
from shoal.verify.truth.truth import verify_truth
from shoal.verify.verdict import Verdict
from shoal.verify.verifiers import verify_guarantee


def verify_table(table: Table, policy: Policy) -> list[Verdict]:
    """One verdict per guarantee, from the published table alone."""
    return _verdicts(PublishedTable(table), policy)


def verify_with_link(table: Table, original: Table, policy: Policy, input_rows: Ints) -> list[Verdict]:
    """The same, and every cell compared with the cell it was made from."""
    published, source = PublishedTable(table), PublishedTable(original)
    verdicts = _with_plausibility(_verdicts(published, policy), published, source, policy, input_rows)
    return [*verdicts, verify_truth(published, source, policy, input_rows)]


def _with_plausibility(
    verdicts: list[Verdict],
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    input_rows: Ints,
) -> list[Verdict]:
    """What the choice of opened cells gives away, where a method opens single cells."""
    if policy.method.name != "aligned":
        return verdicts
    return [
        replace(
            verdict,
            achieved={**verdict.achieved, **plausibility(published, original, asked, policy, input_rows)},
        )
        if isinstance(asked, KfAnonymity)
        else verdict
        for verdict, asked in zip(verdicts, policy.guarantees, strict=True)
    ]


def _verdicts(published: PublishedTable, policy: Policy) -> list[Verdict]:
    known = [name for asked in policy.guarantees if isinstance(asked, KfAnonymity) for name in asked.columns]
    published.load(policy.having("quasi"), numeric=known)
    found = [verify_guarantee(published, asked, policy) for asked in policy.guarantees]
    return with_counting_unit(
        with_case_notes(found, policy, sensitive_words(published.table, policy)), policy
    )


def verify_against(
    table: Table,
    original: Table,
    policy: Policy,
    input_rows: Ints | None = None,
    population: Table | None = None,
) -> list[Verdict]:
    """The same with the original at hand: coverage and global beside each k^f verdict, and truth. Means need
    not contain what they are made of, so nothing covers anybody there."""
    published, source = PublishedTable(table), PublishedTable(original)
    verdicts = _verdicts(published, policy)
    people = _staying(source, policy)
    for place, asked in enumerate(policy.guarantees):
        if isinstance(asked, KfAnonymity) and not asked.joint and not policy.averages:
            found = _links(published, people, asked, policy)
            verdicts[place] = replace(verdicts[place], achieved={**verdicts[place].achieved, **found})
    if input_rows is not None and not policy.permutes:
        verdicts = _with_plausibility(verdicts, published, source, policy, input_rows)
        verdicts = _with_beliefs(verdicts, published, source, policy, input_rows, population)
    return [*verdicts, verify_truth(published, source, policy, input_rows)]


def _with_beliefs(
    verdicts: list[Verdict],
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    input_rows: Ints,
    population: Table | None,
) -> list[Verdict]:
    """What somebody who knows the population believes of each sensitive column, beside its first verdict on
    single values. That goes by classes, whatever they show."""
    told: set[str] = set()
    found = []
    for verdict, asked in zip(verdicts, policy.guarantees, strict=True):
        if isinstance(asked, KAnonymity | KfAnonymity | KpqrAnonymity):
            found.append(verdict)
            continue
        named = getattr(asked, "columns", None) or policy.having("sensitive")
        new = [name for name in named if name not in told]
        told.update(new)
        beliefs = {
            name: bayes_optimal(published, original, policy, input_rows, name, population).as_dict()
            for name in new
        }
        more = {"beliefs": beliefs} if beliefs else {}
        found.append(replace(verdict, achieved={**verdict.achieved, **more}))
    return found


def _staying(original: PublishedTable, policy: Policy) -> PublishedTable:
    """The original without the records that leave because of a missing cell."""
    left = np.zeros(len(original), bool)
    for name in policy.having("quasi"):
        if policy.missing_counts.get(name) == "suppress":
            left |= _missing(original.table, name)
    if not left.any():
        return original
    return PublishedTable(Table(original.table.arrow.filter(arrow_from_numpy(~left))))


def _missing(table: Table, name: str) -> Bools:
    """Which cells of a column of numbers or words are missing."""
    numbers = table.numbers_if_any(name)
    return np.asarray(table.words(name).missing) if numbers is None else numbers.missing


def _links(
    table: PublishedTable, original: PublishedTable, asked: KfAnonymity, policy: Policy
) -> dict[str, int | None]:
    """Fewest candidates of any original person: among all links, and among those that survive."""
    published_cells, suppressed = aggregate_cells(table, asked, policy)
    original_cells, _ = aggregate_cells(original, asked, policy)
    seen = {name: column.rows(~suppressed) for name, column in published_cells.items()}
    published, truth = on_common_unit(aggregate_images(asked, seen), aggregate_images(asked, original_cells))
    low, high = published.low, published.high
    if asked.within is not None:
        met = _meeting_counts(published, truth, Fraction(asked.within))
        return {"coverage": int(met.min())}
    covered = int(coverage(truth.low, low, high).min())
    if len(low) != len(truth.low):
        return {"coverage": covered}
    surviving = global_candidates(truth.low, low, high)
    return {"coverage": covered, "global": 0 if surviving is None else int(surviving.min())}


def _meeting_counts(published: Image, truth: Image, share: Fraction) -> Ints:
    """How many published records meet the band around each person's value."""
    if published.unit is not None:
        return meeting_centred(truth.low, published.low, published.high, share)
    reach = float(share) * np.abs(truth.low) * (1 + TOLERANCE)
    begun = np.searchsorted(np.sort(published.low), truth.low + reach, "right")
    return np.asarray(begun - np.searchsorted(np.sort(published.high), truth.low - reach, "left"))
