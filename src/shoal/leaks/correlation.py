"""Numbers that go together inside groups: where values are permuted, whoever sorts a group by an exact column
and by the permuted one has good guesses, however wide the group is."""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.leaks.coded_column import CodedColumn

NEAR = 0.7  # a rank correlation from which on such guesses become good


def group_correlation(groups: Ints, column: CodedColumn, values: CodedColumn) -> float:
    """The rank correlation inside groups, 0 where one of the two holds words."""
    if not (column.lines and values.lines):
        return 0.0
    own, other = (_ranks_in(groups, one.lines[0]) for one in (column, values))
    spread = float(np.sqrt((own @ own) * (other @ other)))
    return abs(float(own @ other)) / spread if spread else 0.0


def _ranks_in(groups: Ints, line: Floats) -> Floats:
    """The mean rank of each cell inside its group, from the middle.

    >>> _ranks_in(np.array([0, 0, 0, 4, 4]), np.array([7.0, 9, 7, 1, 0])).tolist()
    [-0.5, 1.0, -0.5, 0.5, -0.5]
    """
    order = np.lexsort((line, groups))
    new = (np.diff(line[order], prepend=np.nan) != 0) | (np.diff(groups[order], prepend=-1) != 0)
    run = np.cumsum(new) - 1
    ranks = np.empty(len(order))
    ranks[order] = (np.bincount(run, np.arange(len(order))) / np.bincount(run))[run]
    middle = np.bincount(groups, ranks) / np.maximum(np.bincount(groups), 1)
    return np.asarray(ranks - middle[groups])
