"""A column of words before and after: each published cell as the words that it may stand for.

A word stands for itself, a set for its members, a label for the words below it in the policy's hierarchy, and
a star for every word of the original. Each of them is equally likely. Blanks around words do not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.same_value import value_of
from shoal.table.table import Table
from shoal.verify.cells.word_cells import words_of_cell

Word = str | None  # None is a missing cell, which counts as a word
Below = Mapping[Word, frozenset[Word]]


@dataclass(frozen=True)
class WordPair:
    """``words`` of the original come first, then those that only the release may mean."""

    words: tuple[Word, ...]
    own: int  # how many of the words occur in the original
    before: Ints  # the word of every original record
    after: Ints  # the label of every published record
    owners: Ints  # a label, once for each word that it may stand for
    members: Ints  # that word
    stars: Bools  # by label
    leaves: int  # how many words the whole column may have: of its hierarchy, or of the original

    @property
    def sizes(self) -> Ints:
        """How many words each label may stand for."""
        return np.bincount(self.owners, minlength=len(self.stars))

    def counts_before(self) -> Floats:
        return np.bincount(self.before, minlength=len(self.words)).astype(float)

    def counts_after(self) -> Floats:
        """How many published records each word gets, shared out evenly."""
        each = np.bincount(self.after, minlength=len(self.stars)) / np.maximum(self.sizes, 1)
        return np.bincount(self.members, each[self.owners], len(self.words)).astype(float)

    def shares(self, labels: Ints, columns: Ints, count: int) -> Floats:
        """One row per label: its share of each of ``count`` columns, where every word belongs to a column."""
        row = np.full(len(self.stars), -1, np.int64)
        row[labels] = np.arange(len(labels))
        used = row[self.owners] >= 0
        owners, members = self.owners[used], self.members[used]
        found = np.zeros((len(labels), count))
        np.add.at(found, (row[owners], columns[members]), 1 / self.sizes[owners])
        return found


def word_pair(original: Table, published: Table, policy: Policy, name: str) -> WordPair:
    """
    >>> policy = Policy(columns={"town": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> before, after = ({"town": ["Ulm", "Rom", "Bonn"]}, {"town": ["{Ulm, Rom}", "{Ulm, Rom}", "*"]})
    >>> import pyarrow as pa
    >>> pair = word_pair(Table(pa.table(before)), Table(pa.table(after)), policy, "town")
    >>> dict(zip(pair.words, pair.counts_after().round(2).tolist()))
    {'Bonn': 0.33, 'Rom': 1.33, 'Ulm': 1.33}
    """
    given, shown = original.words(name), published.words(name)
    zero = policy.missing_counts.get(name) == "zero"
    plain = ["0" if zero and word is None else value_of(word) for word in given.words]
    codes = {word: code for code, word in enumerate(dict.fromkeys(plain))}
    own = len(codes)
    generalized = policy.columns.get(name) == "quasi"
    below = leaves_below(original, policy, name) if generalized else {}
    owners: list[int] = []
    members: list[int] = []
    stars = np.zeros(len(shown.words), bool)
    for label, cell in enumerate(shown.words):
        words = _possible_words(cell, below) if generalized else frozenset([value_of(cell)])
        stars[label] = words is None or (value_of(cell) == "*" and generalized)
        found = range(own) if words is None else [codes.setdefault(word, len(codes)) for word in words]
        owners.extend([label] * len(found))
        members.extend(found)
    return WordPair(
        tuple(codes),
        own,
        np.array([codes[word] for word in plain], np.int64)[given.codes],
        shown.codes.astype(np.int64),
        np.array(owners, np.int64),
        np.array(members, np.int64),
        stars,
        max(map(len, below.values()), default=own),
    )


def _possible_words(cell: Word, below: Below) -> frozenset[Word] | None:
    if (found := below.get(value_of(cell))) is not None:
        return found
    words = words_of_cell(cell)
    return None if words is None else frozenset(map(value_of, words))


def leaves_below(original: Table, policy: Policy, name: str) -> Below:
    """The words under each label of the policy's hierarchy, over the original's words; the same label of
    several levels stands for the most."""
    if name not in policy.hierarchies:
        return {}
    words = original.words(name)
    try:
        below = policy.hierarchies[name].over(words, name).leaves_by_label
    except ShoalError:  # these values have no labels under its rule, so none was published
        return {}
    return {label: frozenset(leaves) for label, leaves in below.items()}
