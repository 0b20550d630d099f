"""The people of every class, beside each other."""

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints


@dataclass(frozen=True)
class Members:
    """The rows of the original behind every class, class by class, and a published row of each class."""

    people: Ints
    starts: Ints
    sizes: Ints
    published_row: Ints

    @classmethod
    def of(cls, classes: Ints, input_rows: Ints) -> "Members":
        """
        >>> Members.of(np.array([1, 0, 1]), np.array([7, 8, 9])).people.tolist()
        [8, 7, 9]
        """
        order = np.argsort(classes, kind="stable")
        starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
        return cls(input_rows[order], starts, np.diff(np.append(starts, len(order))), order[starts])

    @property
    def numbers(self) -> Ints:
        """The class of each of the people."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)
