"""A uniform permutation inside groups: every row receives the value of a row of its own group."""

import numpy as np

from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.ranges import Ints


def permute(groups: Ints, key: Key, stream: int = 0) -> Ints:
    """For every row the row whose value it receives."""
    drawn = hash_rows(key, Purpose(Purpose.PERMUTE), len(groups) * (stream + 1))[len(groups) * stream :]
    receiving = np.argsort(groups, kind="stable")
    source = np.empty(len(groups), np.int64)
    source[receiving] = np.lexsort((drawn, groups))
    return source
