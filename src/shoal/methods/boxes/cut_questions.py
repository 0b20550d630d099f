"""Questions about the parts of a table that is cut, and what a batch of its rows says to them.

All parts that are still cut ask at once, each its own question. The answers of batches are small arrays that
are joined in any order.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from shoal.arrays import Hashes, Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import siphash
from shoal.methods.boxes.cut_tree import Cut, CutTree, goes_left, tie_key

BINS = 4096  # at most, in which values are counted at a time
ENDS, VALUES, HASHES, SIDES = range(4)
KIND, COLUMN, FIRST, LAST, SHIFT, OFFSET = range(6)  # of a question, as the kernel reads it


@dataclass(frozen=True)
class EndsQuestion:
    """How many rows there are, and the smallest and the largest value of every column."""

    def numbers(self) -> tuple[int, ...]:
        return ENDS, 0, 0, 0, 0

    def word(self) -> int:
        return 0

    def size(self, _: int) -> int:
        return 1


@dataclass(frozen=True)
class BinsQuestion:
    """How many values of a column lie in each of some bins; with ``tied`` how many hashes of rows with this
    value. ``2**shift`` values fall into one bin."""

    column: int
    low: int
    high: int
    shift: int
    tied: int | None = None

    @classmethod
    def between(cls, column: int, low: int, high: int, tied: int | None = None) -> "BinsQuestion":
        """Bins between two values, as fine as can be counted.

        >>> [BinsQuestion.between(0, low, high).shift for low, high in [(-5, 5), (0, 4095), (0, 4096)]]
        [0, 0, 1]
        """
        return cls(column, low, high, max((high - low).bit_length() - BINS.bit_length() + 1, 0), tied)

    def inside(self, number: int) -> "BinsQuestion":
        """The values of one bin, in bins of their own."""
        low = self.low_of(number)
        return self.between(self.column, low, min(low + (1 << self.shift) - 1, self.high), self.tied)

    def low_of(self, number: int) -> int:
        return self.low + (number << self.shift)

    def numbers(self) -> tuple[int, ...]:
        if self.tied is not None:
            return HASHES, self.column, self.tied, self.tied, self.shift
        return VALUES, self.column, self.low, self.high, self.shift

    def word(self) -> int:
        return 0 if self.tied is None else self.low

    def size(self, _: int) -> int:
        return ((self.high - self.low) >> self.shift) + 1


@dataclass(frozen=True)
class SidesQuestion:
    """How often each sensitive value occurs on both sides of a cut."""

    cut: Cut

    def numbers(self) -> tuple[int, ...]:
        return SIDES, self.cut.column, self.cut.first, self.cut.last, 0

    def word(self) -> int:
        return self.cut.limit

    def size(self, sensitive: int) -> int:
        return 2 * sensitive


CutQuestion = EndsQuestion | BinsQuestion | SidesQuestion


@dataclass(frozen=True)
class QuestionBatch:
    """The question of every part that has one."""

    tree: CutTree
    asked: dict[int, CutQuestion]
    sensitive: tuple[int, int]  # columns, and different values in any of them

    def offsets(self) -> list[int]:
        """Where the counts of each question begin, and where they end."""
        columns, values = self.sensitive
        sizes = (question.size(columns * values) for question in self.asked.values())
        return list(accumulate(sizes, initial=0))

    def arrays(self) -> tuple[Ints, Hashes, Ints]:
        """Numbers and a word of every question, and the question of every part, -1 without one."""
        asked = self.asked.values()
        numbers = [(*question.numbers(), at) for question, at in zip(asked, self.offsets(), strict=False)]
        slots = np.full(len(self.tree.nodes), -1)
        slots[list(self.asked)] = np.arange(len(asked))
        return np.array(numbers), np.array([question.word() for question in asked], np.uint64), slots


@dataclass(frozen=True)
class CutCounts:
    """Counts of all questions, one after the other, and the ends of the columns, a row per question."""

    counts: Ints
    low: Ints
    high: Ints

    def joined(self, other: "CutCounts") -> "CutCounts":
        return CutCounts(
            self.counts + other.counts, np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        )


def answer_questions(questions: QuestionBatch, values: Ints, ids: Ints, codes: Ints) -> CutCounts:
    """What these rows say to all questions; ``codes`` are the sensitive values, one column per rule.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> tree = CutTree.whole(seeded_key(0), 3, np.array([1]), np.array([9]))
    >>> asked = QuestionBatch(tree, {0: BinsQuestion.between(0, 1, 9)}, (0, 0))
    >>> answer_questions(asked, np.array([[1], [9], [1]]), np.arange(3), np.zeros((3, 0), np.int64)).counts
    array([2, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    numbers, words, slots = questions.arrays()
    shape = len(numbers), values.shape[1]
    limits = np.iinfo(np.int64)
    found = CutCounts(
        np.zeros(questions.offsets()[-1], np.int64), np.full(shape, limits.max), np.full(shape, limits.min)
    )
    places = slots[questions.tree.part_of(values, ids)]
    _count(
        values, ids, codes, places, numbers, words, *tie_key(questions.tree.key), questions.sensitive[1],
        found.counts, found.low, found.high,
    )  # fmt: skip
    return found


@compiled
def _count(
    values: Any, ids: Any, codes: Any, places: Any, numbers: Any, words: Any,
    key0: Any, key1: Any, purpose: Any, width: int, counts: Any, low: Any, high: Any,
) -> None:  # fmt: skip
    for i in range(len(places)):
        place = places[i]
        if place < 0:
            continue
        kind, offset, word = numbers[place, KIND], numbers[place, OFFSET], words[place]
        if kind == ENDS:
            counts[offset] += 1
            for column in range(values.shape[1]):
                low[place, column] = min(low[place, column], values[i, column])
                high[place, column] = max(high[place, column], values[i, column])
            continue
        value, first, last = values[i, numbers[place, COLUMN]], numbers[place, FIRST], numbers[place, LAST]
        if kind == SIDES:
            left = goes_left(value, first, last, word, key0, key1, purpose, ids[i])
            offset += 0 if left else codes.shape[1] * width
            for rule in range(codes.shape[1]):
                counts[offset + rule * width + codes[i, rule]] += 1
            continue
        if value < first or value > last:
            continue
        shift = np.uint64(numbers[place, SHIFT])
        if kind == VALUES:  # the difference of two whole numbers may be too large for a signed one
            counts[offset + np.int64((np.uint64(value) - np.uint64(first)) >> shift)] += 1
            continue
        drawn, end = siphash(key0, key1, purpose, np.uint64(ids[i])), _end(numbers, counts, place)
        if drawn >= word and (drawn - word) >> shift < np.uint64(end - offset):
            counts[offset + np.int64((drawn - word) >> shift)] += 1


@compiled
def _end(numbers: Any, counts: Any, place: int) -> int:
    """Where the counts of a question end."""
    if place + 1 == len(numbers):
        return len(counts)
    return int(numbers[place + 1, OFFSET])
