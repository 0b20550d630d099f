"""k-anonymity (Samarati and Sweeney, 1998): every published combination occurs at least k times.

A class is what an attacker can separate: identical published quasi cells. A missing or suppressed
cell is a value of its own and matches only its like. The other reading, in which such a cell
matches anything, is reported beside it.
"""

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


def verify_k_anonymity(published: Published, asked: KAnonymity, policy: Policy) -> Verdict:
    keys = [key for name in policy.having("quasi") for key in _comparable(published, name)]
    sizes = class_sizes(keys)
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
        achieved={"k": k, "classes": len(sizes), "records_below": below},
        sentence=sentence,
        worst=smallest_classes(sizes),
    )


def _comparable(published: Published, name: str) -> list[Any]:
    """Numbers and ranges compare by value (1.0 is 1), everything else by what is written."""
    try:
        cells = published.cells(name)
    except BadCells as error:
        try:
            return [_codes(published.table.column(name))]
        except pa.ArrowNotImplementedError:  # lists and other cells that Arrow cannot compare
            raise ShoalError([error.fault]) from None
    ends = [cells.low] if np.array_equal(cells.low, cells.high) else [cells.low, cells.high]
    mark = cells.suppressed.astype(np.int64) + 2 * cells.missing
    return [*ends, mark] if mark.any() else ends


def _codes(column: Any) -> NDArray[np.int64]:
    """One number per different cell; missing cells are -1."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):  # whose words need not all differ
        array = array.dictionary_decode()
    codes = array.dictionary_encode().indices.cast(pa.int64())
    return np.asarray(numpy_from_arrow(codes if codes.null_count == 0 else codes.fill_null(-1)))
