"""k-anonymity (Samarati and Sweeney, 1998): every published combination occurs at least k times.

A class is what an attacker can separate: identical published quasi cells. A missing or suppressed
cell is a value of its own and matches only its like. The other reading, in which such a cell
matches anything, is reported beside it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.policy.guarantee import KAnonymity
from shoal.policy.policy import Policy
from shoal.table.bridge import numpy_from_arrow
from shoal.verify.cells import BadCells, Published
from shoal.verify.classes import class_sizes
from shoal.verify.verdict import Verdict, smallest_classes
from shoal.verify.wildcard import fewest_compatible

STAR = "*"


def verify_k_anonymity(published: Published, asked: KAnonymity, policy: Policy) -> Verdict:
    columns = [_comparable(published, name) for name in policy.having("quasi")]
    sizes = class_sizes([key for column in columns for key in (column.codes, column.hidden)])
    k = int(sizes.min())
    below = int(sizes[sizes < asked.k].sum())
    sentence = (
        f"Every combination of published quasi values is shared by at least {k:,} records"
        f" ({asked.k:,} were asked for)."
        if k >= asked.k
        else f"{below:,} records share their published quasi values with fewer than {asked.k:,} "
        f"records; the rarest combination occurs {k:,} times."
    )
    return Verdict(
        kind=asked.kind,
        holds=k >= asked.k,
        asked={"k": asked.k},
        achieved={"k": k, "classes": len(sizes), "records_below": below, **_other_reading(columns)},
        sentence=sentence,
        worst=smallest_classes(sizes),
    )


@dataclass(frozen=True)
class _Column:
    """One number per different cell, and a mark for cells that are suppressed (1) or missing (2)."""

    codes: NDArray[np.int64]
    hidden: NDArray[np.int64]


def _other_reading(columns: list[_Column]) -> dict[str, int | None]:
    """What k would be if hidden cells matched anything: reported, never relied on."""
    hidden = np.column_stack([column.hidden > 0 for column in columns])
    if not hidden.any():
        return {}
    return {"k_wildcard": fewest_compatible(np.column_stack([column.codes for column in columns]), hidden)}


def _comparable(published: Published, name: str) -> _Column:
    """Numbers and ranges compare by value (1.0 is 1), everything else by what is written."""
    try:
        cells = published.cells(name)
    except BadCells as error:
        try:
            return _as_written(published.table.column(name))
        except pa.ArrowNotImplementedError:  # lists and other cells that Arrow cannot compare
            raise ShoalError([error.fault]) from None
    codes = cells.low
    if not np.array_equal(cells.low, cells.high):
        ends = np.column_stack([cells.low, cells.high])
        codes = np.unique(ends, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return _Column(codes, cells.suppressed + 2 * cells.missing.astype(np.int64))


def _as_written(column: Any) -> _Column:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):  # whose words need not all differ
        array = array.dictionary_decode()
    encoded = array.dictionary_encode()
    indices = encoded.indices.cast(pa.int64())
    codes = np.asarray(numpy_from_arrow(indices if indices.null_count == 0 else indices.fill_null(-1)))
    star = [at for at, word in enumerate(encoded.dictionary.to_pylist()) if word == STAR]
    return _Column(codes, np.isin(codes, star) + 2 * (codes == -1).astype(np.int64))
