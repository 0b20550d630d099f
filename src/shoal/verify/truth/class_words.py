"""A column of words that stand for a class, beside the words of its people: its median or its mode."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.same_value import value_of
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.cells.word_cells import words_of_cell
from shoal.verify.truth.members import Members
from shoal.verify.truth.originals import original_words


@dataclass(frozen=True)
class ClassWords:
    """The published and the original words as numbers, in order if they have one; -1: nobody has the word."""

    published: Ints
    original: Ints
    ordered: bool

    @classmethod
    def of(
        cls, published: PublishedTable, original: PublishedTable, policy: Policy, name: str
    ) -> "ClassWords":
        order = policy.order_of_means(name)
        told, true = published.table.words(name), original_words(original, policy, name)
        shown = [value_of(_word(cell)) for cell in told.words]
        given = list(true.words)
        places = {word: at for at, word in enumerate(dict.fromkeys(given))}
        if order:
            places = {word: at for at, word in enumerate([*map(value_of, map(str, order)), None])}
        if strange := sum(word not in places for word in given):
            raise ShoalError(
                f"{strange:,} values of {name!r} have no place in an order",
                f'list all of them from low to high in [method] options: order = {{ {name} = ["..."] }}.',
            )
        there = set(given)
        occurs = {word: at for word, at in places.items() if word in there}
        return cls(
            np.array([occurs.get(word, -1) for word in shown], np.int64)[told.codes],
            np.array([places[word] for word in given], np.int64)[true.codes],
            bool(order),
        )

    def wrong(self, members: Members) -> Any:
        """Classes that show something else than a middle one, or a most frequent one, of their people."""
        width = int(self.original.max()) + 1
        first = np.arange(len(members.sizes)) * width  # the number of the first word in every class
        words = np.sort(members.numbers * width + self.original[members.people])
        shown = self.published[members.published_row]
        right = (
            _is_median(words, shown + first, members)
            if self.ordered
            else _is_mode(words, shown + first, first)
        )
        return (shown < 0) | ~right

    def impossible(self) -> Bools:
        """Published records that show a word that nobody has."""
        return self.published < 0


def _word(cell: str | None) -> str | None:
    """A word that looks like a star or a set is published as a set of one."""
    words = words_of_cell(cell)
    return next(iter(words)) if words is not None and len(words) == 1 else cell


def _is_median(words: Ints, shown: Ints, members: Members) -> Any:
    lower = words[members.starts + (members.sizes - 1) // 2]
    upper = words[members.starts + members.sizes // 2]
    return (shown == lower) | (shown == upper)


def _is_mode(words: Ints, shown: Ints, first: Ints) -> Any:
    different, counts = np.unique(words, return_counts=True)
    most = np.maximum.reduceat(counts, np.searchsorted(different, first))
    place = np.minimum(np.searchsorted(different, shown), len(different) - 1)
    return (different[place] == shown) & (counts[place] == most)
