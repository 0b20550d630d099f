"""Columns that tell another one exactly: its logarithm, its square, the same in other words.

Of numbers the order of the rows is looked at: where one column grows or falls with another one step by step,
whoever has it has the other. Of few values that repeat, each standing with one value only is enough.
"""

import re
from collections.abc import Collection, Mapping
from itertools import combinations

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.table.profile.column_names import plain_name

FEWEST = 10  # different numbers in an order; fewer agree by accident
FEWEST_ROWS = 20
FIRST_LOOK = 300
REPEATED = 3  # rows of a value on average, where no order is needed
NEARLY_AS_MANY = 0.98  # different values of a copy that was rounded
DERIVED = r"^(l|log|ln|lg|sqrt) ?{0}$|^{0} ?(sq|sqr|sqrd|squared|log|cubed|cu|quad)$"

Codes = Mapping[str, Ints]  # ranks of values, below 0 where there is none


def find_copies(codes: Codes, ordered: Mapping[str, bool], amounts: Collection[str] = ()) -> dict[str, str]:
    """Copies and what they are copies of; of two the one that looks derived, else the later one. ``amounts``
    that rise together are no copies.

    >>> ages = np.arange(40) % 20
    >>> find_copies({"age": ages, "agesq": ages}, {"age": True, "agesq": True})
    {'agesq': 'age'}
    """
    found: dict[str, str] = {}
    for one, other in combinations(codes, 2):
        if one in found or other in found or (one in amounts and other in amounts):
            continue
        if _tell_each_other(codes[one], codes[other], ordered[one] and ordered[other]):
            copy, origin = (one, other) if _derived(one, other) else (other, one)
            found[copy] = origin
    return found


def _derived(name: str, origin: str) -> bool:
    return re.search(DERIVED.format(re.escape(plain_name(origin))), plain_name(name)) is not None


def _tell_each_other(one: Ints, other: Ints, ordered: bool) -> bool:
    both = (one >= 0) & (other >= 0)
    if both.sum() < FEWEST_ROWS or 2 * both.sum() < max((one >= 0).sum(), (other >= 0).sum()):
        return False
    a, b = one[both], other[both]
    if not _may_tell(a[:FIRST_LOOK], b[:FIRST_LOOK]):
        return False
    counts = len(np.unique(a)), len(np.unique(b))
    if min(counts) < 2 or min(counts) < NEARLY_AS_MANY * max(counts):
        return False
    if ordered and min(counts) >= FEWEST:
        return _in_step(a, b) or _in_step(a, -b)
    pairs = len(np.unique(a * (int(b.max()) + 1) + b))
    return bool(pairs == counts[0] == counts[1] and len(a) >= REPEATED * pairs)


def _may_tell(a: Ints, b: Ints) -> bool:
    """Are there hardly more pairs than values? Some rows are looked at, which spares the others."""
    pairs = len(np.unique(a * (int(b.max()) + 1) + b))
    return pairs * NEARLY_AS_MANY <= max(len(np.unique(a)), len(np.unique(b)))


def _in_step(a: Ints, b: Ints) -> bool:
    order = np.lexsort((b, a))
    rises: Bools = np.diff(b[order]) >= 0
    return bool(rises.all() and (np.diff(a[np.lexsort((a, b))]) >= 0).all())
