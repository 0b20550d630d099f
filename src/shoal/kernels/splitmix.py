"""Numbers as if drawn at random: the finalizer of splitmix64 (Steele, Lea and Flood, 2014)."""

from typing import Any

import numpy as np

from shoal.arrays import Hashes


def splitmix64(numbers: Any) -> Hashes:
    """A word of 64 bits for every number, the same for the same number.

    >>> splitmix64(np.array([0])).tolist()
    [16294208416658607535]
    """
    word = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)))
