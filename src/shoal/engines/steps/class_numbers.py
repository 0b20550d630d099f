"""Numbers of classes that any batch can find: by the groups that their records show."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints


@dataclass(frozen=True)
class ClassNumbers:
    """Column by column, which pairs there are of what came before and a group; ``sizes`` are the columns'."""

    sizes: tuple[int, ...]
    pairs: tuple[Ints, ...]

    @classmethod
    def over(cls, groups: Sequence[Ints], sizes: Sequence[int]) -> "ClassNumbers":
        """
        >>> classes = ClassNumbers.over([np.array([0, 2, 2]), np.array([1, 0, 1])], [3, 2])
        >>> classes.of([np.array([2, 0]), np.array([1, 1])]).tolist()
        [2, 0]
        """
        number, pairs = np.zeros(len(groups[0]), np.int64), []
        for group, size in zip(groups, sizes, strict=True):
            found, number = np.unique(number * size + group, return_inverse=True)
            pairs.append(found)
        return cls(tuple(sizes), tuple(pairs))

    def of(self, groups: Sequence[Ints]) -> Ints:
        """The class of every row; all of them are known."""
        number = np.zeros(len(groups[0]), np.int64)
        for group, size, pairs in zip(groups, self.sizes, self.pairs, strict=True):
            number = _places(pairs, number * size + group)
        return number


def _places(ascending: Ints, wanted: Ints) -> Ints:
    """Where these numbers stand among ascending ones, which have all of them; looked up in a table if that is
    not much longer."""
    if not len(wanted) or ascending[-1] > 4 * len(wanted):
        return np.searchsorted(ascending, wanted)
    places = np.zeros(int(ascending[-1]) + 1, np.int64)
    places[ascending] = np.arange(len(ascending))
    return places[wanted]
