"""suppress-cells: replace few cells by stars, leave all others as they are.

A star either is a value of its own, so that classes show the same cells and the same stars
(star_classes), or it matches anything, so that every record matches k (star_matches).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.diversity import Diversity
from shoal.methods.stars.star_classes import star_classes
from shoal.methods.stars.star_matches import star_matches
from shoal.methods.stars.star_merge import SUPPRESSED, class_stars, merge_classes
from shoal.methods.stars.star_sets import starred_cells


@dataclass(frozen=True)
class Stars:
    """Which cells are starred, and which records stay."""

    starred: Bools
    kept: Bools

    def __len__(self) -> int:
        """How many cells of records that stay are starred."""
        return int(self.starred[self.kept].sum())


def suppress_cells(
    codes: Ints,
    k: int,
    key: Key,
    weights: Floats,
    diversity: Diversity | None = None,
    limit: int = 0,
    matching: bool = False,
) -> Stars:
    """Star cells until every record shows what k records show or, with ``matching``, matches k.

    >>> codes = np.array([[1, 7], [1, 7], [1, 8], [2, 9], [2, 9]])
    >>> key = np.array([1, 2], np.uint64)
    >>> suppress_cells(codes, 2, key, np.ones(2)).starred.sum(axis=0).tolist()
    [0, 3]
    >>> suppress_cells(codes, 2, key, np.ones(2), matching=True).starred.sum(axis=0).tolist()
    [0, 1]
    """
    rows, columns = codes.shape
    order = np.argsort(hash_rows(key, Purpose.TIES, rows), kind="stable")
    drawn: Any = np.ascontiguousarray(codes[order], np.int32)
    kept = np.ones(rows, bool)
    if matching:
        masks = star_matches(drawn, k, weights)
    else:
        diverse = (diversity or Diversity.none(rows)).of(order)
        classes = star_classes(drawn, k, key, weights, diverse)
        classes = merge_classes(drawn, classes, k, weights, diverse, limit)
        kept[order] = classes != SUPPRESSED
        numbers = dense_codes([classes + 1])
        heads = np.zeros(int(numbers.max()) + 1, np.int64)
        heads[numbers] = np.arange(rows)
        masks = class_stars(drawn, numbers, heads)[numbers]
    starred = np.zeros((rows, columns), bool)
    starred[order] = starred_cells(masks, columns)
    return Stars(starred, kept)
