"""Truth of a permuted release: exact cells are those of a person, and every group holds its people's values.

Without the owner's link, every combination of exact cells must have an original record of its own, and every
sensitive column the values that it had.
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
    changed = [
        name
        for name in policy.having("sensitive")
        if not _same_values(*_codes(published, original, name, input_rows), published, input_rows)
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


def _same_values(shown: Ints, source: Ints, published: Published, input_rows: Ints | None) -> bool:
    """The same values as often: in every group with the link, else none that the original has less often."""
    if input_rows is None:
        return not _without_original(shown + 1, source + 1)
    groups = groups_of(published)
    here, there = (values[np.lexsort((values, groups))] for values in (shown, source))
    return bool(np.array_equal(here, there))
