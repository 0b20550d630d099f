"""k-anonymity (Samarati and Sweeney, 1998): every published combination occurs at least k times.

A class is what an attacker can separate: identical published quasi cells. A missing or suppressed
cell is a value of its own and matches only its like. The other reading, in which such a cell
matches anything, is reported beside it.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.policy.guarantee import KAnonymity
from shoal.policy.policy import Policy
from shoal.verify.cells import Published
from shoal.verify.classes import class_numbers, one_of_each
from shoal.verify.comparable import Comparable, comparable
from shoal.verify.verdict import Verdict, smallest_classes
from shoal.verify.wildcard import fewest_compatible


def verify_k_anonymity(published: Published, asked: KAnonymity, policy: Policy) -> Verdict:
    columns = [comparable(published, name) for name in policy.having("quasi")]
    classes = class_numbers([column.codes for column in columns])
    sizes = np.bincount(classes)
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
        achieved={"k": k, "classes": len(sizes), "records_below": below, **_other_reading(columns, classes)},
        sentence=sentence,
        worst=smallest_classes(sizes),
    )


def _other_reading(columns: list[Comparable], classes: NDArray[np.int64]) -> dict[str, int | None]:
    """What k would be if hidden cells matched anything: reported, never relied on."""
    if not any(column.hidden.any() for column in columns):
        return {}
    shown = one_of_each(classes)
    hidden = np.column_stack([column.hidden[shown] > 0 for column in columns])
    codes = np.column_stack([column.codes[shown] for column in columns])
    return {"k_wildcard": fewest_compatible(codes, hidden, np.bincount(classes))}
