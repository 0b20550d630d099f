"""Columns that follow from what an attacker knows, and so split the classes that should hide a person.

Whoever knows an age knows who is a child. If `child` is published as it is, the records of a class that fit
are those with the right `child`, and they may be fewer than k: the class is smaller than it looks to somebody
who knows no more than the policy says. A column follows from a protected one if the other rows with the same
value, or the neighbours in order, nearly always have the same cell (FOLLOWS), far more often than any rows
do.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.leaks.coded_column import CodedColumn
from shoal.leaks.leak import Leak
from shoal.leaks.prediction import chance_by_others, combined_codes, nearest_neighbour, sizes_of

FOLLOWS = 0.9  # of what the most frequent cell leaves open
FEWEST = 20  # rows that can be judged


def splitting_columns(
    names: Sequence[str],
    columns: Mapping[str, CodedColumn],
    known: Mapping[str, CodedColumn],
    classes: Ints,
    k: int,
) -> list[Leak]:
    """The columns among these that follow from a known one, where they leave people with fewer than k records
    of their class."""
    leaks = []
    for name in names:
        codes = columns[name].codes
        few = int(np.sum(sizes_of(combined_codes(classes, codes)) < k))
        if not few or codes.max(initial=0) == 0:
            continue
        from_what = {one: follows_from(codes, column) for one, column in known.items()}
        best = max(from_what, key=lambda one: from_what[one], default=None)
        if best is not None and from_what[best] >= FOLLOWS:
            leaks.append(Leak((name,), best, False, few, 0, len(codes), splits=k))
    return leaks


def follows_from(codes: Ints, known: CodedColumn) -> float:
    """How much of what the most frequent cell leaves open is right, if a known column tells the cells.

    >>> age = np.arange(100.0)
    >>> follows_from((age < 18).astype(np.int64), CodedColumn(np.arange(100), (age,))) > 0.9
    True
    """
    if len(codes) < FEWEST:
        return 0.0
    ways = [chance_by_others(known.codes, codes)]
    ways += [_by_order(line, codes) for line in known.lines]
    blind = float(np.bincount(codes).max()) / len(codes)
    right = max(float(np.mean(way)) for way in ways)
    return (right - blind) / (1 - blind) if blind < 1 else 0.0


def _by_order(line: Floats, codes: Ints) -> Floats:
    nearest = nearest_neighbour(line)
    return np.asarray((nearest >= 0) & (codes[nearest] == codes), np.float64)
