"""How many cells of a column look like values that name people, and of which kind.

Tallies of batches add up: they count cells, and keep the different words of a shape by the smallest of their
hashes, each with whether it passed. Whether that is more than chance is judged by these.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Hashes, Ints
from shoal.kernels.splitmix import splitmix64
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode, value_type
from shoal.table.columns.numbers import is_text
from shoal.table.columns.value_hashes import hashes_of
from shoal.table.identifying.addresses import ADDRESSES
from shoal.table.identifying.detector import PLAIN_NUMBER, Detector, DifferentWords, matching
from shoal.table.identifying.free_text import FREE_TEXT
from shoal.table.identifying.national_numbers import NATIONAL
from shoal.table.identifying.payments import PAYMENTS
from shoal.table.identifying.person_names import NAMES
from shoal.table.identifying.phone_numbers import PHONES

DETECTORS: tuple[Detector, ...] = (*ADDRESSES, *PAYMENTS, *NATIONAL, *PHONES, *NAMES, *FREE_TEXT)
LONG_NUMBER = 10**8  # shorter whole numbers name nobody
SAMPLE = 8_192  # different words of a shape, by which chance is judged in a whole column
BATCH_SAMPLE = 1_024  # where tallies travel, and are joined
SURE = 12.0  # as many hits come by chance once in so many columns: e to this power
PASSED = np.uint64(1)


@dataclass(frozen=True)
class Tally:
    """So many cells of a column are hits of a detector. ``marks`` are hashes of different words of its shape,
    the ``most`` smallest ones; their last bit says whether the word passed."""

    cells: int
    marks: Hashes
    most: int = SAMPLE

    def joined(self, other: "Tally") -> "Tally":
        marks = np.unique(np.concatenate([self.marks, other.marks]))
        return Tally(self.cells + other.cells, marks[: self.most], self.most)

    @property
    def shaped(self) -> int:
        return len(self.marks)

    @property
    def passed(self) -> int:
        return int((self.marks & PASSED).sum())

    @property
    def different(self) -> float:
        """About so many different words passed."""
        if self.shaped < self.most:
            return self.passed
        return self.passed / (float(self.marks[-1]) / 2.0**64)

    def holds(self, detector: Detector) -> bool:
        """Are these more, and more different, hits than chance would give?"""
        enough = self.cells > 0 and self.different >= detector.fewest
        rare = enough and self.cells <= detector.most_rows * self.different
        return rare and surprise(self.passed, self.shaped, detector.chance) >= SURE


@dataclass(frozen=True)
class Finding:
    """So many cells of a column look like values of a kind that names people."""

    kind: str
    cells: int

    def __str__(self) -> str:
        """
        >>> str(Finding("e-mail address", 12))
        '12 cells look like e-mail address'
        """
        return f"{self.cells:,} cell{'s look' if self.cells > 1 else ' looks'} like {self.kind}"


Tallies = Mapping[int, Tally]  # by the place of the detector; those without a word of their shape are absent


def surprise(passed: int, shaped: int, chance: float) -> float:
    """How unlikely so many passes are by chance, as the exponent of Chernoff's bound.

    >>> surprise(100, 1000, 0.1), surprise(1, 1, 0.0), round(surprise(20, 20, 0.1))
    (0.0, inf, 46)
    """
    share = passed / shaped if shaped else 0.0
    if share <= chance:
        return 0.0
    if chance == 0:
        return np.inf
    missed = (1 - share) * log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return shaped * (share * log(share / chance) + missed)


def tallies_of(column: pa.ChunkedArray, hashed: bool = False, sets: bool = False) -> Tallies:
    """What each detector finds in a column. Batches that are to be joined are ``hashed`` by their words; of
    ``sets`` of words the members are looked at."""
    found = different_words(column, sets)
    if found is None:
        return {}
    cells, counts = found
    marks = (hashes_of([cells])[0] if hashed else splitmix64(np.arange(len(cells)))) & ~PASSED
    return dict(_tallies(DifferentWords(cells), counts, marks, BATCH_SAMPLE if hashed else SAMPLE))


def _tallies(words: DifferentWords, counts: Ints, marks: Hashes, most: int) -> Iterator[tuple[int, Tally]]:
    for place, detector in enumerate(DETECTORS):
        found = detector.find(words)
        if len(found.shaped):
            own = marks[found.shaped] | found.passed.astype(np.uint64)
            kept = own if detector.chance else own[found.passed]
            yield place, Tally(int(counts[found.counted].sum()), _smallest(kept, most), most)


def _smallest(marks: Hashes, most: int) -> Hashes:
    """So many of the marks, in order."""
    return np.unique(marks if len(marks) <= most else np.partition(marks, most)[:most])


def join_tallies(one: Tallies, other: Tallies) -> Tallies:
    """The tallies of two batches of a column put together."""
    both = {place: tally.joined(other[place]) for place, tally in one.items() if place in other}
    return {**one, **other, **both}


def findings_in(tallies: Tallies) -> tuple[Finding, ...]:
    """What is more than chance, the most cells first, each kind once."""
    cells: dict[str, int] = {}
    for place, tally in tallies.items():
        detector = DETECTORS[place]
        if tally.holds(detector):
            cells[detector.kind] = cells.get(detector.kind, 0) + tally.cells
    return tuple(Finding(*one) for one in sorted(cells.items(), key=lambda one: -one[1]))


def different_words(column: pa.ChunkedArray, sets: bool = False) -> tuple[pa.Array, Ints] | None:
    """The different words of a column that are no short numbers, and how often each occurs; None of a column
    that has none.

    >>> [found.tolist() for found in different_words(pa.chunked_array([["flu", "7", "flu"]]))]
    [['flu'], [2]]
    """
    kind = value_type(column)
    if is_text(kind):
        cells, counts = _counted(column)
        return _without_numbers(*(_members(cells, counts) if sets else (cells, counts)))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _long_numbers(column)
    return None


def _counted(column: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    found = encode(column)
    counts = np.bincount(found.numbers, minlength=len(found.cells))
    there = len(found.cells) - found.cells.null_count
    return found.cells.slice(0, there), counts[:there]


def _members(cells: pa.Array, counts: Ints) -> tuple[pa.Array, Ints]:
    """The words of sets, each counted as often as its sets, and other cells."""
    parts = pc.split_pattern(pc.utf8_trim(cells.cast(pa.string()), "{}"), ", ")
    of = numpy_from_arrow(pc.list_parent_indices(parts)).astype(np.int64)
    found = encode(pa.chunked_array([pc.list_flatten(parts)]))
    return found.cells, np.bincount(found.numbers, counts[of], len(found.cells)).astype(np.int64)


def _without_numbers(cells: pa.Array, counts: Ints) -> tuple[pa.Array, Ints] | None:
    words = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    kept = np.flatnonzero(~matching(words, PLAIN_NUMBER))
    return (words.take(arrow_from_numpy(kept)), counts[kept]) if len(kept) else None


def _long_numbers(column: pa.ChunkedArray) -> tuple[pa.Array, Ints] | None:
    """Whole numbers of nine digits and more as words."""
    bounds = pc.min_max(column)
    most = bounds["max"].as_py()
    if most is None or not most >= LONG_NUMBER or bounds["min"].as_py() < 0:
        return None
    cells, counts = _counted(column)
    if pa.types.is_floating(cells.type):
        if not pc.all(pc.and_(pc.equal(pc.floor(cells), cells), pc.less(cells, 2.0**53))).as_py():
            return None
        cells = cells.cast(pa.int64())
    return _without_numbers(cells.cast(pa.string()), counts)


def scan_column(column: pa.ChunkedArray) -> tuple[Finding, ...]:
    """What a whole column holds of values that name people.

    >>> [str(one) for one in scan_column(pa.chunked_array([["ann@example.org", "none", "none"]]))]
    ['1 cell looks like e-mail address']
    """
    return findings_in(tallies_of(column))
