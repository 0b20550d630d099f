"""Columns that tell another one exactly: its logarithm, its square, the same in other words.

Of many numbers one has to follow from the other by a line, a logarithm, a power or a reciprocal. Of few
values that repeat, each standing with one value only is enough.
"""

import re
from collections.abc import Collection, Mapping
from itertools import combinations

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.table.profile.column_names import plain_name

FEWEST = 10  # different numbers; of fewer each has to stand with one of the others
FEWEST_ROWS = 20
FIRST_LOOK = 300
REPEATED = 3  # rows of a value on average, where no order is needed
NEARLY_AS_MANY = 0.98  # different values of a copy that was rounded
DERIVED = r"^(l|log|ln|lg|sqrt) ?{0}$|^{0} ?(sq|sqr|sqrd|squared|log|cubed|cu|quad)$"

ON_A_LINE = 0.99999  # the correlation of copies that were rounded
ANYWHERE = (np.positive, np.square)
FORMS: tuple[np.ufunc, ...] = (*ANYWHERE, np.log, np.sqrt, np.reciprocal)

Codes = Mapping[str, Ints]  # ranks of values, below 0 where there is none


def find_copies(codes: Codes, numbers: Mapping[str, Floats], amounts: Collection[str] = ()) -> dict[str, str]:
    """Copies and what they are copies of; of two the one that looks derived, else the later one. Some columns
    are ``numbers``, and of these some ``amounts``, which are no copies if they rise together.

    >>> ages = np.arange(40) % 20
    >>> find_copies({"age": ages, "agesq": ages}, {"age": ages + 1.0, "agesq": (ages + 1.0) ** 2})
    {'agesq': 'age'}
    """
    found: dict[str, str] = {}
    for one, other in combinations(codes, 2):
        if one in found or other in found or (one in amounts and other in amounts):
            continue
        pair = (numbers[one], numbers[other]) if one in numbers and other in numbers else None
        if _tell_each_other(codes[one], codes[other], pair):
            copy, origin = (one, other) if _derived(one, other) else (other, one)
            found[copy] = origin
    return found


def _derived(name: str, origin: str) -> bool:
    return re.search(DERIVED.format(re.escape(plain_name(origin))), plain_name(name)) is not None


def _tell_each_other(one: Ints, other: Ints, numbers: tuple[Floats, Floats] | None) -> bool:
    both = (one >= 0) & (other >= 0)
    if both.sum() < FEWEST_ROWS or 2 * both.sum() < max((one >= 0).sum(), (other >= 0).sum()):
        return False
    a, b = one[both], other[both]
    if not _may_tell(a[:FIRST_LOOK], b[:FIRST_LOOK]):
        return False
    counts = len(np.unique(a)), len(np.unique(b))
    if min(counts) < 2 or min(counts) < NEARLY_AS_MANY * max(counts):
        return False
    if numbers is not None and min(counts) >= FEWEST:
        return _follows(numbers[0][both], numbers[1][both])
    pairs = len(np.unique(a * (int(b.max()) + 1) + b))
    return bool(pairs == counts[0] == counts[1] and len(a) >= REPEATED * pairs)


def _may_tell(a: Ints, b: Ints) -> bool:
    """Are there hardly more pairs than values? Some rows are looked at, which spares the others."""
    pairs = len(np.unique(a * (int(b.max()) + 1) + b))
    return pairs * NEARLY_AS_MANY <= max(len(np.unique(a)), len(np.unique(b)))


def _follows(one: Floats, other: Floats) -> bool:
    """Is one of them a line through the other, or through its logarithm, a power or its reciprocal?"""
    return any(
        _on_a_line(form(a), b)
        for a, b in ((one, other), (other, one))
        for form in FORMS
        if form in ANYWHERE or a.min() > 0
    )


def _on_a_line(one: Floats, other: Floats) -> bool:
    spread = one.std() * other.std()
    if not np.isfinite(spread) or spread == 0:
        return False
    shared = np.mean((one - one.mean()) * (other - other.mean())) / spread
    return bool(abs(shared) >= ON_A_LINE)
