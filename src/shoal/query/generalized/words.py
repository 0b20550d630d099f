"""What a published word stands for: itself, the words of a set, the leaves under a label, or anything."""

from collections.abc import Mapping

from shoal.hierarchy.hierarchy import TOP
from shoal.policy.model.policy import Policy
from shoal.table.columns.same_value import value_of
from shoal.table.columns.word_set import words_in

Word = str | None
Below = Mapping[Word, frozenset[Word] | None]  # None: anything
RARE = "(rare)"


def leaves_below(name: str, policy: Policy) -> Below:
    """The leaves under each label of a hierarchy that the policy writes out; of no other are they known. A
    manifest does not name them, so a label there may stand for anything.

    A star may hide a missing cell too, unless the policy keeps them out.
    """
    spec = policy.hierarchies.get(name)
    if spec is None or not spec.written_out:
        return {}
    if spec.shown is not None:
        leaves, names = (set(map(value_of, some)) for some in (spec.shown.leaf_names, spec.shown.names))
        return {label: frozenset([label]) if label in leaves else None for label in (*names, TOP)}
    below = spec.of([], [], name).leaves_by_label
    if policy.missing_counts.get(name, "value") == "value":
        below[TOP].add(None)
    return {label: frozenset(leaves) for label, leaves in below.items()}


def possible_words(cell: Word, below: Below) -> frozenset[Word] | None:
    """All words that a cell may stand for; None if it may be anything.

    >>> sorted(possible_words('{north, "Rhône, left"}', {})), possible_words("*", {})
    (['Rhône, left', 'north'], None)
    >>> sorted(possible_words("south", {"south": frozenset(["Ulm", "Rom"])}))
    ['Rom', 'Ulm']
    """
    if cell is None:
        return frozenset([None])
    if (found := below.get(value_of(cell))) is not None:
        return found
    if cell.strip() in (TOP, RARE) or value_of(cell) in below:
        return None
    return words_in(cell) or frozenset([cell])
