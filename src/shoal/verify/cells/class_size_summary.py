"""How large classes are, as far as a verdict tells it."""

from dataclasses import dataclass

from shoal.arrays import Ints
from shoal.verify.verdict import SHOWN_CLASSES, smallest_classes


@dataclass(frozen=True)
class ClassSizeSummary:
    """The number of classes, of records in those that are smaller than asked for, and the smallest sizes."""

    classes: int
    below: int
    smallest: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Ints, asked: int) -> "ClassSizeSummary":
        """
        >>> import numpy as np
        >>> ClassSizeSummary.of(np.array([3, 2, 9]), 3)
        ClassSizeSummary(classes=3, below=2, smallest=(2, 3, 9))
        """
        return cls(len(sizes), int(sizes[sizes < asked].sum()), smallest_classes(sizes))

    def joined(self, other: "ClassSizeSummary") -> "ClassSizeSummary":
        smallest = sorted(self.smallest + other.smallest)[:SHOWN_CLASSES]
        return ClassSizeSummary(self.classes + other.classes, self.below + other.below, tuple(smallest))

    @property
    def least(self) -> int:
        return self.smallest[0]
