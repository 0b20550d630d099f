"""The lattice of generalization levels, searched without looking at a record twice.

A node gives every column a level. Records with the same values are counted once; going up one level in
one column merges these counts, so the classes of a node come from those of a finer one (roll-up). The
search walks the lattice column by column, each level from the one below, and leaves out

- what cannot be better: the loss of the levels chosen so far, all other columns exact, is a lower bound;
- what cannot be allowed: if even with all other columns at their top too many records would have to be
  suppressed, so would they below. This is sound for demands that merging classes never breaks, counted
  with the failing classes left out: k always; diversity only if nothing may be suppressed.

Loss of a node: of every record that stays, the loss of its labels; of every other, that of the top.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.methods.codes import numbered
from shoal.methods.compiled import CORES
from shoal.methods.diversity import Diversity, staying
from shoal.methods.roll_up import SEPARABLE, judge, project, search

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Levels = tuple[int, ...]
WORD = 2**62  # what one word of a key may count to


@dataclass(frozen=True)
class Scale:
    """The levels of one column: the group of every leaf, and what a label of each group costs.

    ``losses[level][group]`` is lost by a record that shows the label, ``extra[level][group]`` on top of it
    by one that is suppressed instead.
    """

    groups: tuple[Ints, ...]
    losses: tuple[Floats, ...]
    extra: tuple[Floats, ...]

    @property
    def height(self) -> int:
        return len(self.groups) - 1

    def up(self, level: int) -> Ints:
        """The group of level + 1 in which each group of a level lies."""
        found = np.zeros(len(self.losses[level]), np.int64)
        found[self.groups[level]] = self.groups[level + 1]
        return found


@dataclass(frozen=True)
class Node:
    """What a node of the lattice costs: ``suppressed`` records leave."""

    levels: Levels
    suppressed: int
    loss: float


class Lattice:
    """A coded table and the levels of its columns, made ready for any number of searches."""

    def __init__(
        self,
        codes: Ints,
        scales: list[Scale],
        k: int,
        diversity: Diversity | None = None,
        objective: int = SEPARABLE,
    ) -> None:
        self.codes, self.scales, self.k, self.objective = codes, scales, k, objective
        self.diversity = diversity or Diversity.none(len(codes))
        # columns with many values first: merging them shortens everything that follows
        self.order = sorted(range(len(scales)), key=lambda at: -len(scales[at].losses[0]))
        self._place()

    def _place(self) -> None:
        """Distinct records as keys of one or more words, and all levels in flat arrays."""
        scales = [self.scales[at] for at in self.order]
        radix = np.array([len(scale.losses[0]) for scale in scales])
        word, stride = np.zeros(len(scales), np.int64), np.ones(len(scales), np.int64)
        for at in range(len(scales) - 2, -1, -1):
            stride[at], word[at] = stride[at + 1] * radix[at + 1], word[at + 1]
            if int(stride[at]) * int(radix[at]) >= WORD:
                stride[at], word[at] = 1, word[at + 1] + 1
        keys = np.zeros((len(self.codes), int(word.max()) + 1), np.int64)
        for at, column in enumerate(self.order):
            keys[:, word[at]] += self.codes[:, column] * stride[at]
        first, of_tuple, counts = _distinct(keys)
        hist = self._values_of(of_tuple, len(first))
        heights = np.array([scale.height for scale in scales])
        offsets, size = np.zeros((len(scales), int(heights.max()) + 1), np.int64), 0
        base = np.full(offsets.shape, np.inf)
        for at, scale in enumerate(scales):
            leaves = self.codes[:, self.order[at]]
            for level in range(scale.height + 1):
                offsets[at, level], size = size, size + len(scale.losses[level])
                base[at, level] = scale.losses[level][scale.groups[level][leaves]].sum()
        ups = [scale.up(level) if level < scale.height else np.zeros(len(scale.losses[level]), np.int64)
               for scale in scales for level in range(scale.height + 1)]  # fmt: skip
        extra = np.concatenate([cost for scale in scales for cost in scale.extra])
        self.table = (keys[first], counts, hist)
        self.shape = (heights, word, stride, radix, np.concatenate(ups), offsets, extra, base)

    @property
    def nodes(self) -> int:
        return int(np.prod([scale.height + 1.0 for scale in self.scales]))

    def best(self, limit: int) -> Node | None:
        """The cheapest node at which at most ``limit`` records are suppressed; None if there is none."""
        best = np.array([np.inf])
        found = np.zeros((self.scales[self.order[0]].height + 1, len(self.scales)), np.int64)
        losses = np.full(len(found), np.inf)
        nothing = np.zeros(0)

        def walk(first: int) -> None:
            losses[first] = self._walk(limit, first, best, found[first], nothing, nothing)

        self._on_all_cores(walk)
        cheapest = int(np.argmin(losses))
        return self.at(self._in_place(found[cheapest])) if losses[cheapest] < np.inf else None

    def all(self, limit: int) -> list[Node]:
        """Every node at which at most ``limit`` records are suppressed, from the finest on."""
        shape = tuple(self.scales[at].height + 1 for at in self.order)
        suppressed, losses = np.full(self.nodes, np.inf), np.full(self.nodes, np.inf)
        nowhere = np.zeros(len(shape), np.int64)
        self._on_all_cores(
            lambda first: self._walk(limit, first, np.array([np.inf]), nowhere.copy(), suppressed, losses)
        )
        return [
            Node(self._in_place(np.array(place)), int(suppressed[number]), float(losses[number]))
            for number in np.flatnonzero(suppressed <= limit).tolist()
            for place in [np.unravel_index(number, shape)]
        ]

    def _walk(
        self, limit: int, first: int, best: Floats, levels: Ints, suppressed: Floats, losses: Floats
    ) -> float:
        request: tuple[Any, ...] = (
            *self.table, *self.shape, self.k, self.diversity.rules, limit, len(self.codes), self.objective,
            self._prunes(limit), first, best, levels, suppressed, losses,
        )  # fmt: skip
        return search(*request)

    def _on_all_cores(self, walk: Callable[[int], object]) -> None:
        """One walk per level of the first column, the most general one first: it is soon done and gives
        the others a bound."""
        with ThreadPoolExecutor(CORES) as pool:
            list(pool.map(walk, range(self.scales[self.order[0]].height, -1, -1)))

    def _prunes(self, limit: int) -> bool:
        """May a node be left out because a more general one fails?"""
        return limit < len(self.codes) and (limit == 0 or not self.diversity)

    def _in_place(self, levels: Ints) -> Levels:
        """From the order of work to the order of the columns."""
        placed = np.zeros(len(levels), np.int64)
        placed[self.order] = levels
        return tuple(placed.tolist())

    def at(self, levels: Levels) -> Node:
        """A single node, straight from the distinct records; its loss counts even if too many are lost."""
        _, word, stride, radix, _, offsets, extra, base = self.shape
        level = np.array([levels[at] for at in self.order])
        keys, counts, hist, made = project(*self.table, level, word, stride, radix, self._groups)
        chosen = float(base[np.arange(len(level)), level].sum())
        loss, lost = judge(
            keys, counts, hist, made, level, word, stride, radix, offsets, extra, chosen,
            self.k, self.diversity.rules, len(self.codes), len(self.codes), self.objective,
        )  # fmt: skip
        return Node(levels, int(lost), float(loss))

    @cached_property
    def _groups(self) -> Ints:
        """The group of every leaf at every level, laid out like the losses; as many places as level 0 has."""
        _, _, _, radix, _, offsets, _, _ = self.shape
        leaves = np.zeros((*offsets.shape, int(radix.max())), np.int64)
        for at, column in enumerate(self.order):
            for level, groups in enumerate(self.scales[column].groups):
                leaves[at, level, : len(groups)] = groups
        return leaves

    def classes(self, levels: Levels) -> tuple[NDArray[np.bool_], Ints]:
        """Which records stay, and the class of every record."""
        shown = [scale.groups[level][leaves]
                 for scale, level, leaves in zip(self.scales, levels, self.codes.T, strict=True)]  # fmt: skip
        of_class = numbered(shown)
        sizes = np.bincount(of_class)
        stays, _ = staying(
            sizes,
            self._values_of(of_class, len(sizes)),
            len(sizes),
            self.k,
            self.diversity.rules,
            len(of_class),
        )
        return stays[of_class], of_class

    def _values_of(self, of_class: Ints, classes: int) -> NDArray[np.int32]:
        """How often each sensitive value of each column occurs in each class."""
        rules, width = self.diversity.counters().shape
        found = np.zeros((classes, rules * width), np.int32)
        for at in range(rules):
            np.add.at(found, (of_class, at * width + self.diversity.codes[:, at]), 1)
        return found


def minimal(nodes: list[Node]) -> list[Node]:
    """Those that are not more general than another one.

    >>> [node.levels for node in minimal([Node((0, 1), 0, 1.0), Node((1, 1), 0, 2.0), Node((2, 0), 0, 2.0)])]
    [(0, 1), (2, 0)]
    """
    kept: list[Node] = []
    for node in sorted(nodes, key=lambda node: (sum(node.levels), node.levels)):
        if not any(all(a <= b for a, b in zip(other.levels, node.levels, strict=True)) for other in kept):
            kept.append(node)
    return kept


def _distinct(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Where each different row stands first, which one every row is, and how often each occurs."""
    order = np.lexsort(keys.T) if keys.shape[1] > 1 else np.argsort(keys[:, 0], kind="stable")
    ordered = keys[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    of_tuple = np.empty(len(keys), np.int64)
    of_tuple[order] = np.cumsum(new) - 1
    return order[new], of_tuple, np.bincount(of_tuple)
