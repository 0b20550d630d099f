"""De Finetti's attack (Kifer, SIGMOD 2009): quasi values that go with sensitive ones give these away.

Somebody who knows everybody's quasi values, which a permuted release even shows, and the sensitive values of
every group learns from all groups together which quasi values go with which sensitive ones, and guesses
everybody's own value in their group: see ``assignments``. Nothing but the release is needed for that.

Success is whether the best guess is right, so that what is expected is the accuracy; the blind guess to beat
is the most frequent value of the group.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.adversary.attackers.linkage import quasi_matches
from shoal.adversary.beliefs.guesses import Guesses, ValueTable
from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.matching.value_codes import ValueCodes, coarse_codes, value_codes
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import GROUP
from shoal.verify.attackers import classes_of
from shoal.verify.cells.permutation_groups import permutation_groups

TRAITS = 20  # kinds of a column of numbers
WORDS = 200  # kinds of a column of words
KINDS = 100  # kinds of sensitive values that are told apart
MOST_PAIRS = 1_000_000  # of people and rows that show the same
NOBODY = np.iinfo(np.int64).max


@dataclass(frozen=True)
class TraitRows:
    """Rows with known quasi values in groups, and which people may be behind which: those of one ``key``."""

    group: Ints
    traits: list[Ints]
    key: Ints
    people: Ints
    key_of_people: Ints
    notes: tuple[str, ...] = ()


def definetti(scene: Scene) -> Iterator[AttackResult]:
    """The attack on every sensitive column by somebody who learns from all groups together."""
    if scene.raw or scene.policy.averages or not scene.policy.having("sensitive"):
        return
    if scene.policy.permutes:
        if GROUP in scene.published.table.names:
            yield from _on_groups(scene, _permuted_rows(scene), permutation_groups(scene.published))
    elif scene.alike is not None or not scene.aggregates:
        if scene.input_rows is not None:
            yield from _on_groups(scene, *_linked_rows(scene, scene.input_rows))
            return
        fits = quasi_matches(scene, scene.quasi)
        if len(fits.attacked(scene, one_by_one=True)) < scene.people:
            return  # who is in which class takes too long to find out
        rows, whole = _generalized_rows(scene, fits.box_of)
        if len(rows.group):
            yield from _on_groups(scene, rows, np.where(whole[fits.box_of], fits.box_of, -1))


def _on_groups(scene: Scene, rows: TraitRows, group_of_record: Ints) -> Iterator[AttackResult]:
    rows, group_of_record = _in_order_of_people(rows, group_of_record)
    for name in scene.policy.having("sensitive"):
        values = ValueCodes.of(scene, name)
        shown, own = values.published + 1, values.own + 1  # 0 is a cell that the original does not have
        there = np.flatnonzero(group_of_record >= 0)
        table = ValueTable.of(
            group_of_record[there], shown[there], coarse_codes(shown, values.ordered, KINDS)[there]
        )
        guesses = Guesses.of(rows.group, rows.traits, table, scene.drawing)
        people, candidates, success, baseline = _guess_success(scene, rows, guesses, own)
        yield AttackResult(
            attack="definetti",
            knows=f"all quasi values of everybody, and learns from all groups how {name} depends on them",
            finds="value",
            needed=promised_diversity(scene.policy, name) or 2,
            promised=False,
            people=rows.people[people],
            candidates=candidates,
            success=success,
            population=len(rows.people),
            baseline=baseline,
            figures={
                "accuracy": round(float(success.mean()), 6),
                "baseline": round(baseline, 6),
                "groups": len(table.starts) - 1,
                "rounds": guesses.beliefs.rounds,
            },
            notes=rows.notes,
        )


def _in_order_of_people(rows: TraitRows, group_of_record: Ints) -> tuple[TraitRows, Ints]:
    """Groups numbered by the first of their people, and rows in the order of theirs. Starts are disturbed row
    by row: in the order of the records, which is drawn, the same groups would be guessed better or worse."""
    groups = int(group_of_record.max(initial=-1)) + 1
    first = np.full(groups, NOBODY)
    np.minimum.at(first, rows.group, rows.key)
    number = np.empty(groups, np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(groups)
    order = np.lexsort([rows.key, number[rows.group]])
    ordered = replace(
        rows, group=number[rows.group][order], traits=[one[order] for one in rows.traits], key=rows.key[order]
    )
    return ordered, np.where(group_of_record < 0, -1, number[group_of_record])


def _permuted_rows(scene: Scene) -> TraitRows:
    exact = [*scene.quasi, *scene.policy.having("other")]
    columns = [ValueCodes.of(scene, name) for name in exact]
    traits = [_kinds(one.published, one.ordered) for one in columns]
    groups, people = permutation_groups(scene.published), np.arange(scene.people)
    if scene.input_rows is not None:
        return TraitRows(groups, traits, scene.input_rows, people, people)
    keys = class_numbers([np.concatenate([one.published, one.own]) for one in columns])
    return TraitRows(groups, traits, keys[: len(groups)], people, keys[len(groups) :])


def _linked_rows(scene: Scene, input_rows: Ints) -> tuple[TraitRows, Ints]:
    """Everybody in the class of their own record, which somebody may know who knows how classes are formed;
    and the class of every record."""
    classes = classes_of(scene.published, KAnonymity(k=2), scene.policy)
    columns = [value_codes(scene.original.table, scene.original.table, name) for name in scene.quasi]
    traits = [_kinds(one.own, one.ordered)[input_rows] for one in columns]
    return TraitRows(classes, traits, input_rows, input_rows, input_rows), classes


def _generalized_rows(scene: Scene, box_of: Ints) -> tuple[TraitRows, Bools]:
    """The people of the classes whose members are known: as many fit as there are records, and nowhere else.
    Which classes these are comes beside."""
    person, box = quasi_matches(scene, scene.quasi).pairs(np.arange(scene.people))
    times = np.bincount(person, minlength=scene.people)
    sizes = np.bincount(box_of)
    whole = np.bincount(box, times[person] == 1, len(sizes)) == sizes
    whole &= np.bincount(box, minlength=len(sizes)) == sizes
    person, box = person[whole[box]], box[whole[box]]
    columns = [value_codes(scene.original.table, scene.original.table, name) for name in scene.quasi]
    traits = [_kinds(one.own, one.ordered)[person] for one in columns]
    left_out = int((~whole).sum())
    note = f"{left_out:,} of {len(sizes):,} classes, whose people fit other classes too, were left aside."
    return TraitRows(box, traits, person, person, person, (note,) if left_out else ()), whole


def _kinds(codes: Ints, ordered: bool) -> Ints:
    return coarse_codes(codes, ordered, TRAITS if ordered else WORDS)


def _guess_success(
    scene: Scene, rows: TraitRows, guesses: Guesses, own: Ints
) -> tuple[Ints, Ints, Floats, float]:
    """The people who are attacked, their candidates, how likely the best guess is right, and the blind guess
    to beat.

    Where several rows show the same as a person, any of them may be theirs whose group has their value.
    """
    people, person, row = _pairs(rows, guesses.order, scene.drawing)
    right, possible = guesses.right(row, own[rows.people[people]][person])
    person, row, right = person[possible], row[possible], right[possible]
    twins = np.unique(np.concatenate([rows.key_of_people, rows.key]), return_inverse=True)[1]
    here, there = (np.bincount(part, minlength=int(twins.max()) + 1)
                   for part in np.split(twins, [len(rows.key_of_people)]))  # fmt: skip
    published = np.minimum(there / np.maximum(here, 1), 1)[twins[people]]  # some of them may be left out
    weight = (published / np.maximum(np.bincount(person, minlength=len(people)), 1))[person]
    group = np.searchsorted(guesses.groups.row_starts, row, "right") - 1
    different = np.bincount(guesses.table.group)
    most = np.maximum.reduceat(guesses.table.counts, np.cumsum(different) - different)
    blind = most[group] / np.diff(guesses.groups.row_starts)[group]
    candidates = np.full(len(people), NOBODY)
    np.minimum.at(candidates, person, different[group])
    success = np.bincount(person, right * weight, len(people)).astype(np.float64)
    baseline = float((blind * weight).sum()) / max(len(people), 1)
    return people, np.where(candidates == NOBODY, 0, candidates), success, baseline


def _pairs(rows: TraitRows, order: Ints, seed: int | None) -> tuple[Ints, Ints, Ints]:
    """The people to attack, and each of them (a place there) beside every row of their key (a place in the
    order); fewer people, drawn at random, where these are too many."""
    by_key = np.argsort(rows.key[order], kind="stable")
    ends = [np.searchsorted(rows.key[order][by_key], rows.key_of_people, side) for side in ("left", "right")]
    first, many = ends[0], ends[1] - ends[0]
    people = np.arange(len(first))
    if many.sum() > MOST_PAIRS:
        fewer = int(MOST_PAIRS * len(people) / many.sum())
        people = np.sort(np.random.default_rng(seed).choice(len(people), max(fewer, 1), replace=False))
    first, many = first[people], many[people]
    person = np.repeat(np.arange(len(people)), many)
    places = np.arange(len(person)) - np.repeat(np.cumsum(many) - many, many)
    return people, person, by_key[np.repeat(first, many) + places]
