"""Columns that are published as they are: one number per different value of the original, whichever release
of it is looked at."""

from dataclasses import dataclass

import numpy as np

from shoal.adversary.scene import Scene
from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.table.columns.numbers import Numbers
from shoal.table.table import Table


@dataclass(frozen=True)
class ValueCodes:
    """``published`` of every record and ``own`` of every person number the values of the original from
    0 on, numbers and dates in their order; -1 is a cell that the original does not have."""

    published: Ints
    own: Ints
    different: int
    ordered: bool

    @classmethod
    def of(cls, scene: Scene, name: str) -> "ValueCodes":
        return scene.once(
            ("numbered", name), lambda: value_codes(scene.published.table, scene.original.table, name)
        )


def value_codes(published: Table, original: Table, name: str) -> ValueCodes:
    """Codes of a column's values in release and original: by number where all are numbers, else by word."""
    try:
        shown, own = _keys(published.points(name), original.points(name))
    except ShoalError:
        return _words(published, original, name)
    different = np.unique(own)
    return ValueCodes(_place(different, shown), np.searchsorted(different, own), len(different), ordered=True)


def _keys(shown: Numbers, own: Numbers) -> tuple[Ints, Ints]:
    """Numbers on one scale, the missing ones behind all others."""
    scale = max(shown.scale, own.scale)
    sides = [np.where(one.missing, 0, one.units * 10 ** (scale - one.scale)) for one in (shown, own)]
    behind = max(int(side.max(initial=0)) for side in sides) + 1
    return np.where(shown.missing, behind, sides[0]), np.where(own.missing, behind, sides[1])


def _place(different: Ints, keys: Ints) -> Ints:
    """
    >>> _place(np.array([3, 5]), np.array([5, 4, 9])).tolist()
    [1, -1, -1]
    """
    place = np.minimum(np.searchsorted(different, keys), max(len(different) - 1, 0))
    return np.where(different[place] == keys, place, -1)


def _words(published: Table, original: Table, name: str) -> ValueCodes:
    shown, own = published.words(name), original.words(name)
    place = {word: at for at, word in enumerate(own.words)}
    of_word = np.array([place.get(word, -1) for word in shown.words], np.int64)
    return ValueCodes(of_word[shown.codes], own.codes.astype(np.int64), len(place), ordered=False)


def coarse_codes(codes: Ints, ordered: bool, most: int) -> Ints:
    """Codes of values by kind, at most so many and numbered from 0 on: neighbours of about the same number
    together, or the frequent words and the rest.

    >>> coarse_codes(np.array([7, 1, 5, 3]), True, 2).tolist()
    [1, 0, 1, 0]
    >>> coarse_codes(np.array([4, 9, 4, 2, 3]), False, 2).tolist()
    [0, 1, 0, 1, 1]
    """
    different, number, counts = np.unique(codes, return_inverse=True, return_counts=True)
    if len(different) <= most:
        return number.astype(np.int64)
    if ordered:
        middle = np.cumsum(counts) - counts / 2
        kinds = (middle * most / len(codes)).astype(np.int64)
    else:
        kinds = np.minimum(np.argsort(np.argsort(-counts, kind="stable")), most - 1)
    return np.asarray(np.unique(kinds[number], return_inverse=True)[1], np.int64)
