"""Check digits: sums over the digits of a number that a slip of the pen changes."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Bytes, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy

SEPARATORS = r"[ ./-]"
ZERO, CAPITAL_A = ord("0"), ord("A")
TENS = 10


def checked(test: Callable[[Bytes], Bools]) -> Callable[[pa.Array], Bools]:
    """A test of letters and digits in columns, as one of words: separators are left out, letters large.

    >>> checked(luhn)(pa.array(["4539 1488 0343 6467", "4539148803436468"])).tolist()
    [True, False]
    """

    def passes(words: pa.Array) -> Bools:
        found = np.zeros(len(words), bool)
        for places, signs in _of_one_length(words):
            found[places] = test(signs)
        return found

    return passes


def _of_one_length(words: pa.Array) -> Iterator[tuple[Ints, Bytes]]:
    """DifferentWords of ASCII signs as matrices: a row for each word, a matrix for each length."""
    plain = pc.ascii_upper(pc.replace_substring_regex(words.cast(pa.string()), SEPARATORS, ""))
    lengths = np.asarray(pc.binary_length(plain).to_pylist() or [], np.int64)
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        letters = "".join(plain.take(arrow_from_numpy(places)).to_pylist()).encode()
        yield places, np.frombuffer(letters, np.uint8).reshape(len(places), int(length))


def digits(signs: Bytes) -> Ints:
    """The value of each digit; of letters 10 for A to 35 for Z."""
    found: Ints = signs.astype(np.int64) - ZERO
    return np.where(signs >= CAPITAL_A, signs.astype(np.int64) - CAPITAL_A + TENS, found)


def luhn(signs: Bytes) -> Bools:
    """Every second digit from the right doubled, digits of products added: a multiple of 10."""
    doubled = digits(signs)
    doubled[:, -2::-2] *= 2
    return np.asarray((doubled // 10 + doubled % 10).sum(axis=1) % 10 == 0)


def remainder_97(values: Ints) -> Ints:
    """The rest of a number in base 10 divided by 97; letters count as two digits."""
    rest = np.zeros(len(values), np.int64)
    for column in values.T:
        rest = (rest * np.where(column >= TENS, 100, 10) + column) % 97
    return rest


def weighted(values: Ints, weights: list[int]) -> Ints:
    """The sum of the first digits, each times its weight."""
    found: Ints = values[:, : len(weights)] @ np.array(weights)
    return found
