"""A hierarchy that gives later values the labels it gave the first.

Ranges, masks and dates are kept as their rule, so that a value never seen before has a label too. What
depends on the values there were (groups of neighbours, rare values) is kept written out, like a file.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Self

from pydantic import BaseModel, ConfigDict

from shoal.hierarchy import build
from shoal.hierarchy.hierarchy import TOP, Hierarchy
from shoal.policy.model.hierarchy_spec import HierarchySpec

Words = Sequence[str | None]


class SavedHierarchy(BaseModel):
    """``rule`` is None for the value itself and ``*``.

    >>> ages = HierarchySpec(intervals=[10])
    >>> saved = SavedHierarchy.of(ages, ages.of(["23", "31"], [1, 1]))
    >>> saved.over(["97", "old"]).paths()
    [['97', '[90, 99]', '*']]
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: HierarchySpec | None = None
    whole: bool | None = None  # intervals: closed ranges of whole numbers
    longest: int | None = None  # mask: how many characters there are to star
    rare: bool | None = None  # paths: a value that is not there is a rare one

    @classmethod
    def of(cls, rule: HierarchySpec | None, built: Hierarchy) -> Self:
        """What to remember of a rule and the hierarchy that it gave."""
        words = [word for word in built.leaves if word is not None]
        if rule is None or rule.dates or rule.tree or rule.paths:
            return cls(rule=rule)
        if rule.intervals:
            whole = build.all_whole([*map(Decimal, words), *rule.intervals])
            return cls(rule=rule, whole=whole)
        if rule.mask:
            return cls(rule=rule, longest=build.longest_word(words))
        written = HierarchySpec(paths=tuple(map(tuple, built.paths())))
        return cls(rule=written, rare=True if rule.frequency else None)

    def over(self, words: Words, name: str = "") -> Hierarchy:
        """The hierarchy over these words; those that it has no label for are not in it."""
        if self.rule is None:
            return build.flat(words)
        known = [word for word in words if word is None or self._labels(word)] or [None]
        if self.rule.intervals:
            return build.intervals(known, self.rule.intervals, name, self.whole)
        if self.rule.mask:
            return build.mask(known, self.rule.mask, self.longest or 0)
        found = self.rule.of(known, [1] * len(known), name)
        return _with_rare(found, words) if self.rare else found

    def _labels(self, word: str) -> bool:
        """Has the rule a label for a word? Written ones are looked up later."""
        if self.rule is not None and self.rule.intervals:
            return _is_number(word, whole=self.whole is True)
        if self.rule is not None and self.rule.dates:
            return _is_day(word)
        return self.longest is None or len(word) <= self.longest


def _with_rare(hierarchy: Hierarchy, words: Words) -> Hierarchy:
    labels = [build.RARE] * (hierarchy.height - 1)
    unseen = [word for word in words if word not in hierarchy.leaves]
    return Hierarchy.from_paths([*hierarchy.paths(), *([word, *labels, TOP] for word in unseen)])


def _is_number(word: str, whole: bool) -> bool:
    try:
        number = Decimal(word.strip())
    except InvalidOperation:
        return False
    return number.is_finite() and (not whole or build.all_whole([number]))


def _is_day(word: str) -> bool:
    try:
        date.fromisoformat(word.strip()[:10])
    except ValueError:
        return False
    return True
