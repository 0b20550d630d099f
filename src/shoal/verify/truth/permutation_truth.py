"""Truth of a permuted release: exact cells are those of a person, and every group holds its people's values.

Without the owner's link, every combination of exact cells must have an original record of its own, and every
sensitive column the values that it had. Where all people with the same exact cells are in one group, that
group must hold their values.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import cell_by_cell, encode, take_rows
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.verdict import Verdict


def verify_permutation_truth(published: PublishedTable, original: PublishedTable, policy: Policy) -> Verdict:
    """Verify a permuted release without the owner's link."""
    exact = [*policy.having("quasi"), *policy.having("other")]
    groups = permutation_groups(published)
    shown, source = _combinations(published, original, exact)
    untrue, known = _without_original(shown, source), _known_groups(shown, source, groups)
    changed = columns_with_other_values(published, original, policy, None, groups, known)
    return verdict_of_permutation_truth(untrue, changed)


def verdict_of_permutation_truth(untrue: int, changed: list[str]) -> Verdict:
    """Judge by records without a person, and by columns whose groups hold other values."""
    holds = not untrue and not changed
    sentence = (
        "Every published record has the exact cells of the person it stands for, and every group the "
        "sensitive values of its people."
        if holds
        else f"{untrue:,} published records contain no original record of their own."
        if untrue
        else f"Groups hold other values than their people had: {', '.join(changed)}."
    )
    return Verdict("truth", holds, {}, {"untrue_records": untrue, "decided": True}, sentence)


def columns_with_other_values(
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    input_rows: Ints | None,
    groups: Ints,
    known: Ints,
) -> list[str]:
    """The sensitive columns of which some group holds other values than its people had."""
    return [
        name
        for name in policy.having("sensitive")
        if not _same_values(*_codes(published, original, name, input_rows), groups, known)
    ]


def _combinations(published: PublishedTable, original: PublishedTable, names: list[str]) -> tuple[Ints, Ints]:
    """The combinations of these cells on both sides, numbered alike."""
    pairs = [_codes(published, original, name) for name in names]
    numbers = class_numbers([np.concatenate(pair) for pair in pairs])
    return numbers[: len(published)], numbers[len(published) :]


def _codes(
    published: PublishedTable, original: PublishedTable, name: str, input_rows: Ints | None = None
) -> tuple[Ints, Ints]:
    """Both columns as numbers of their different cells; with the link, of the originals in its order."""
    sides = _sides(published, original, name, input_rows)
    cells = pa.chunked_array([chunk for side in sides for chunk in side.chunks], sides[0].type)
    codes = encode(cells).numbers.astype(np.int64)
    return codes[: len(published)], codes[len(published) :]


def _sides(
    published: PublishedTable, original: PublishedTable, name: str, input_rows: Ints | None
) -> list[Any]:
    """A column as it was published and as it was given, in one type: as written, where theirs differ."""
    sides = [cell_by_cell(side.table.column(name)) for side in (published, original)]
    if input_rows is not None:
        sides[1] = take_rows(sides[1], arrow_from_numpy(input_rows))
    alike = sides[0].type == sides[1].type and not pa.types.is_floating(sides[0].type)
    return sides if alike else [side.cast(pa.string()) for side in sides]


def count_unlike_original(
    published: PublishedTable, original: PublishedTable, names: list[str], input_rows: Ints
) -> int:
    """Records that differ from their original."""
    unlike = np.zeros(len(published), bool)
    for name in names:
        shown, source = _sides(published, original, name, input_rows)
        same = pc.or_(pc.equal(shown, source).fill_null(False), pc.and_(shown.is_null(), source.is_null()))
        unlike |= ~numpy_from_arrow(same.combine_chunks())
    return int(unlike.sum())


def _without_original(shown: Ints, source: Ints) -> int:
    most = int(max(shown.max(initial=0), source.max(initial=0))) + 1
    return int(np.maximum(np.bincount(shown, minlength=most) - np.bincount(source, minlength=most), 0).sum())


def _known_groups(shown: Ints, source: Ints, groups: Ints) -> Ints:
    """The group of every original record, -1 where it is not known: some of those with its exact cells were
    left out, or they are in several groups."""
    most = int(max(shown.max(initial=0), source.max(initial=0))) + 1
    lowest, highest = np.full(most, len(groups)), np.full(most, -1)
    np.minimum.at(lowest, shown, groups)
    np.maximum.at(highest, shown, groups)
    all_there = np.bincount(shown, minlength=most) == np.bincount(source, minlength=most)
    return np.where(all_there & (lowest == highest), highest, -1)[source]


def _same_values(shown: Ints, source: Ints, groups: Ints, known: Ints) -> bool:
    """No value that the original has less often; and in every group the values of the people known to be
    there, which are all of them with the link."""
    if _without_original(shown, source):
        return False
    there = known >= 0
    different = int(max(shown.max(initial=0), source.max(initial=0))) + 1
    here, placed = np.sort(groups * different + shown), np.sort(known[there] * different + source[there])
    if len(here) == len(placed):
        return bool(np.array_equal(here, placed))
    wanted, counts = np.unique(placed, return_counts=True)
    found = np.searchsorted(here, wanted, "right") - np.searchsorted(here, wanted, "left")
    return bool((counts <= found).all())
