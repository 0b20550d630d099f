"""Random choices that everyone can repeat who holds the key, and nobody else.

A choice about a row is SipHash-2-4 (Aumasson and Bernstein, 2012) of the row's number under a
secret of 128 bits, so it does not depend on the order of work, the number of cores or the engine.
"""

import secrets
from enum import IntEnum
from typing import Any

import numpy as np

from shoal.arrays import Hashes, Ints
from shoal.kernels.compiled import compiled, inlined, over_ranges

Key = Hashes  # two words


class Purpose(IntEnum):
    """Choices of different kinds draw from different streams."""

    TIES = 1
    COLUMNS = 2
    SHUFFLE = 3
    SETS = 4
    CLASSES = 5
    STARS = 6
    ORDERS = 7
    ROUNDS = 8
    GROUPS = 9
    PERMUTE = 10
    MOVES = 11
    STARTS = 12


def fresh_key() -> Key:
    """A secret key from the operating system's randomness."""
    return key_from_bytes(secrets.token_bytes(16))


def key_from_bytes(secret: bytes) -> Key:
    """The key that these 16 bytes are."""
    return np.frombuffer(secret, np.uint64).copy()


def seeded_key(seed: int) -> Key:
    """A key from a number: for tests and experiments only."""
    return np.array([np.uint64(seed % 2**64), np.uint64(0x5EED)], np.uint64)


def hash_rows(key: Key, purpose: Purpose, rows: int) -> Hashes:
    """The hash of every row number 0..rows-1."""
    hashes = np.empty(rows, np.uint64)

    def work(start: int, stop: int) -> None:
        _fill(key[0], key[1], np.uint64(purpose), start, stop, hashes)

    over_ranges(work, rows)
    return hashes


@compiled
def _fill(key0: Any, key1: Any, purpose: Any, start: int, stop: int, hashes: Any) -> None:
    for row in range(start, stop):
        hashes[row] = siphash(key0, key1, purpose, np.uint64(row))


def hash_ids(key: Key, purpose: Purpose, ids: Ints) -> Hashes:
    """The hash of every one of these row numbers.

    >>> all_of_them = hash_rows(seeded_key(1), Purpose.TIES, 9)
    >>> bool(hash_ids(seeded_key(1), Purpose.TIES, np.array([8]))[0] == all_of_them[8])
    True
    """
    hashes = np.empty(len(ids), np.uint64)

    def work(start: int, stop: int) -> None:
        _fill_ids(key[0], key[1], np.uint64(purpose), ids, start, stop, hashes)

    over_ranges(work, len(ids))
    return hashes


@compiled
def _fill_ids(key0: Any, key1: Any, purpose: Any, ids: Any, start: int, stop: int, hashes: Any) -> None:
    for i in range(start, stop):
        hashes[i] = siphash(key0, key1, purpose, np.uint64(ids[i]))


@compiled
def draw_column(key0: Any, key1: Any, purpose: Any, row: Any, column: int) -> Any:
    """The hash of a row and a column: the smallest of several is a uniform choice among columns."""
    return siphash(key0, key1, purpose, np.uint64(row) * np.uint64(65536) + np.uint64(column))


@inlined
def siphash(key0: Any, key1: Any, first: Any, second: Any) -> Any:
    """SipHash-2-4 of the sixteen bytes ``first, second``."""
    v0 = key0 ^ np.uint64(0x736F6D6570736575)
    v1 = key1 ^ np.uint64(0x646F72616E646F6D)
    v2 = key0 ^ np.uint64(0x6C7967656E657261)
    v3 = key1 ^ np.uint64(0x7465646279746573)
    length = np.uint64(16) << np.uint64(56)
    for block in (first, second, length):
        v3 ^= block
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        v0 ^= block
    v2 ^= np.uint64(0xFF)
    for _ in range(4):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@inlined
def _round(v0: Any, v1: Any, v2: Any, v3: Any) -> Any:
    v0 += v1
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 += v3
    v3 = _rotate(v3, 16) ^ v2
    v0 += v3
    v3 = _rotate(v3, 21) ^ v0
    v2 += v1
    v1 = _rotate(v1, 17) ^ v2
    v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


@inlined
def _rotate(word: Any, by: int) -> Any:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))
