"""Truth of a permuted release: exact cells are those of a person, and every group holds its people's values.

Without the owner's link, every combination of exact cells must have an original record of its own, and every
sensitive column the values that it had. Where all people with the same exact cells are in one group, that
group must hold their values.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy, numpy_from_arrow
from shoal.verify.cells import Published
from shoal.verify.classes import class_numbers
from shoal.verify.groups import groups_of
from shoal.verify.verdict import Verdict

Ints = NDArray[np.int64]


def verify_permuted_truth(
    published: Published, original: Published, policy: Policy, input_rows: Ints | None
) -> Verdict:
    exact = [*policy.having("quasi"), *policy.having("other")]
    pairs = [_codes(published, original, name, input_rows) for name in exact]
    shown, source = (class_numbers([np.concatenate(pair) for pair in pairs])[part]
                     for part in (slice(len(published)), slice(len(published), None)))  # fmt: skip
    untrue = _without_original(shown, source) if input_rows is None else _unlike(shown, source, input_rows)
    groups = groups_of(published)
    known = groups if input_rows is not None else _known_groups(shown, source, groups)
    changed = [
        name
        for name in policy.having("sensitive")
        if not _same_values(*_codes(published, original, name, input_rows), groups, known)
    ]
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


def _codes(
    published: Published, original: Published, name: str, input_rows: Ints | None
) -> tuple[Ints, Ints]:
    """Both columns as numbers of their different cells; with the link, of the originals in its order."""
    sides = [side.table.column(name) for side in (published, original)]
    if input_rows is not None:
        sides[1] = sides[1].take(arrow_from_numpy(input_rows))
    cells = pa.chunked_array([chunk for side in sides for chunk in _text(side).chunks], pa.string())
    codes = np.asarray(numpy_from_arrow(cells.combine_chunks().dictionary_encode().indices.fill_null(-1)))
    return codes[: len(published)], codes[len(published) :]


def _text(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string())


def _unlike(shown: Ints, source: Ints, input_rows: Ints) -> int:
    """Records that differ from their original, or whose original was published before."""
    again = len(input_rows) - len(np.unique(input_rows))
    return int((shown != source).sum()) or again


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
    if _without_original(shown + 1, source + 1):
        return False
    there = known >= 0
    placed = [(known[there], groups), (source[there] + 1, shown + 1)]
    pairs = class_numbers([np.concatenate(pair) for pair in placed])
    return not _without_original(pairs[: there.sum()], pairs[there.sum() :])
