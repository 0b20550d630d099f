"""Does a column grow, or fall, with another one, step by step? Then it tells it to within a step.

A tax that is rounded tells no total exactly, and every total to within a few: who knows which records share a
range needs no more. That holds in all rows or is no rule.
"""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.leaks.coded_column import CodedColumn

SOME = 500  # the first rows most often tell that there is no order
STEPS = 20  # fewer may be in order by accident, or say little


def follows(column: CodedColumn, values: CodedColumn) -> bool:
    """Whether the values follow the order of the column in many steps, none of which leaves most of them
    open.

    >>> column, values = (CodedColumn(line, (line * 1.0,)) for line in (np.arange(90) // 3, np.arange(90)))
    >>> follows(column, values), follows(values, column)
    (True, True)
    """
    return bool(values.lines) and any(_follows(line, values.lines[0]) for line in column.lines)


def _follows(line: Floats, values: Floats) -> bool:
    there = ~(np.isnan(line) | np.isnan(values))
    if not there.any() or not _in_order(line[there][:SOME], values[there][:SOME]):
        return False
    steps, totals = (
        np.unique(one[there], return_inverse=True)[1].reshape(-1).astype(np.int64) for one in (line, values)
    )
    different = int(totals.max()) + 1
    if min(int(steps.max()) + 1, different) < STEPS or not _in_order(steps, totals):
        return False
    return 2 * _most_open(steps, totals) <= different


def _in_order(steps: Ints | Floats, totals: Ints | Floats) -> bool:
    rising = np.diff(steps[np.lexsort((steps, totals))])
    falling = np.diff(steps[np.lexsort((-steps, totals))])
    return bool((rising >= 0).all() or (falling <= 0).all())


def _most_open(steps: Ints, totals: Ints) -> int:
    """The most different values beside one step."""
    pairs = np.unique(np.stack((steps, totals)), axis=1)
    return int(np.bincount(pairs[0]).max())
