"""The lattice of generalization levels, searched without looking at a record twice.

A node gives every column a level. Records with the same values are counted once; going up one level in
one column merges these counts, so the classes of a node come from those of a finer one (roll-up).

Loss of a node: of every record that stays, the loss of its labels; of every other, that of the top.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Bools, Floats, Ints, SmallInts
from shoal.kernels.compiled import CORES
from shoal.methods.diversity import Diversity, pruning_rules
from shoal.methods.levels.lattice_walk import walk_lattice
from shoal.methods.levels.roll_up import (
    DISCERNIBILITY,
    SEPARABLE,
    count_values,
    distinct_keys,
    judge,
    passing_classes,
    project,
)

Levels = tuple[int, ...]
WORD = 62  # bits of a word of a key
MEMORY = 2**29  # bytes for tables of classes, of all walks together
LARGEST = 2**31 - 1  # records that are counted in 32 bits
MOST_LISTED = 2_000_000  # nodes that can be listed: 16 bytes each


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

    def above(self, level: int) -> "Scale":
        """The levels from this one on, whose groups are the leaves."""
        if level == 0:
            return self
        first = np.zeros(len(self.losses[level]), np.int64)
        first[self.groups[level]] = np.arange(len(self.groups[level]))
        groups = tuple(group[first] for group in self.groups[level:])
        return Scale(groups, self.losses[level:], self.extra[level:])

    def below(self, level: int) -> "Scale":
        """The levels up to this one."""
        end = level + 1
        return Scale(self.groups[:end], self.losses[:end], self.extra[:end])

    def up(self, level: int) -> Ints:
        """The group of level + 1 in which each group of a level lies."""
        found = np.zeros(len(self.losses[level]), np.int64)
        if level < self.height:
            found[self.groups[level]] = self.groups[level + 1]
        return found

    @cached_property
    def floors(self) -> tuple[Floats, Floats]:
        """What a record of each leaf loses at least, and what it loses at least if it is suppressed."""
        levels = list(zip(self.groups, self.losses, self.extra, strict=True))
        shown = np.min([losses[group] for group, losses, _ in levels], axis=0)
        return shown, np.min([(losses + extra)[group] for group, losses, extra in levels], axis=0)


@dataclass(frozen=True)
class LatticeNode:
    """What a node of the lattice costs: ``suppressed`` records leave, where ``limit`` of them may."""

    levels: Levels
    suppressed: int
    loss: float
    limit: int = field(repr=False, compare=False)


@dataclass(frozen=True)
class NodeListing:
    """Every node by its levels: suppressed records and loss, infinite where too many would have to leave, and
    what the loss is not below, whichever classes leave."""

    suppressed: Floats
    losses: Floats
    bounds: Floats

    @property
    def allowed(self) -> Bools:
        return self.suppressed < np.inf

    @property
    def undecided(self) -> Bools:
        """Nodes that may be allowed or cheaper: not every choice of classes to leave out was tried."""
        return self.bounds < self.losses


class Lattice:
    """A coded table and the levels of its columns, made ready for any number of searches.

    A row may stand for several records with the same values: ``counts`` says for how many; ``gone`` records
    have left before; ``first`` are the levels of the hierarchies at which the scales begin. Inside, columns
    are in the order of work: those with many values first, since merging them shortens everything that
    follows.
    """

    def __init__(
        self,
        codes: AnyArray,
        scales: list[Scale],
        k: int,
        diversity: Diversity | None = None,
        objective: int = SEPARABLE,
        counts: Ints | None = None,
        gone: int = 0,
        first: Levels = (),
    ) -> None:
        self.codes, self.scales, self.k, self.objective = codes, scales, k, objective
        self.counts = np.ones(len(codes), np.int64) if counts is None else counts
        self.records, self.gone = int(self.counts.sum()), gone
        self.first = first or (0,) * len(scales)
        self.diversity = diversity or Diversity.none(len(codes))
        self.order = sorted(range(len(scales)), key=lambda at: -len(scales[at].losses[0]))
        self.ordered = [scales[at] for at in self.order]
        self.heights = np.array([scale.height for scale in self.ordered])
        word, shift, mask = _bits([len(scale.losses[0]) for scale in self.ordered])
        keys = np.zeros((len(codes), int(word[0]) + 1), np.int64)
        for at, column in enumerate(self.order):
            keys[:, word[at]] += codes[:, column].astype(np.int64) << shift[at]
        different, weights, self.of_tuple = _in_order(*distinct_keys(keys, self.counts))
        values = self.diversity.counters().size
        hist = np.zeros((len(weights), values), np.int32 if self.records <= LARGEST else np.int64)
        count_values(self.diversity.codes, self.of_tuple, self.counts, hist)
        self.table = (different, weights, hist)
        self.shape = self._shape(word, shift, mask)

    def _shape(self, word: Ints, shift: Ints, mask: Ints) -> tuple[Any, ...]:
        """All levels in flat arrays: heights; word, place and mask of every column's bits; the group above
        each group, beginning at offsets; the group of each leaf, beginning at places; the loss of each level,
        and of the cheapest from it on; what suppression adds for each group."""
        offsets = np.zeros((len(word), int(self.heights.max()) + 1), np.int64)
        places, base = np.zeros_like(offsets), np.full(offsets.shape, np.inf)
        size = leaves = 0
        for at, scale in enumerate(self.ordered):
            for level in range(scale.height + 1):
                offsets[at, level], size = size, size + len(scale.losses[level])
                places[at, level], leaves = leaves, leaves + len(scale.groups[level])
                base[at, level] = self.frequencies[at] @ scale.losses[level][scale.groups[level]]
        ups = np.concatenate([scale.up(level) for scale in self.ordered for level in range(scale.height + 1)])
        groups = np.concatenate([group for scale in self.ordered for group in scale.groups])
        extra = np.concatenate([cost for scale in self.ordered for cost in scale.extra])
        cheapest = np.minimum.accumulate(base[:, ::-1], axis=1)[:, ::-1].copy()
        return self.heights, word, shift, mask, ups, offsets, groups, places, base, cheapest, extra

    def part(self, which: Sequence[int], limit: int) -> "Lattice":
        """Some columns, by their place in the order of work, all others at their top. What is asked there is
        asked of all columns too: a class that fails lies in none that does not."""
        columns = [self.order[at] for at in which]
        rules = pruning_rules(self.diversity.rules, limit == 0)
        asked = Diversity(self.diversity.codes, rules) if len(rules) else None
        codes, scales = self.codes[:, columns], [self.scales[column] for column in columns]
        return Lattice(codes, scales, self.k, asked, self.objective, self.counts, self.gone, self.first)

    @cached_property
    def frequencies(self) -> list[Ints]:
        """How often each leaf of each column occurs."""
        return [
            np.bincount(self.codes[:, column], self.counts, len(scale.groups[0])).astype(np.int64)
            for column, scale in zip(self.order, self.ordered, strict=True)
        ]

    @property
    def nodes(self) -> int:
        return prod(scale.height + 1 for scale in self.scales)

    @property
    def base(self) -> Floats:
        """The loss of every level of every column if nothing is suppressed."""
        return np.asarray(self.shape[8])

    def demand(self, limit: int) -> tuple[Any, ...]:
        """What the kernels have to know besides the table. What prunes is counted with all columns that
        follow at their top: k always, of the rules those that survive it."""
        rules = self.diversity.rules
        pruning = pruning_rules(rules, nothing_suppressed=limit == 0)
        rows = self.records + (self.gone if self.objective == DISCERNIBILITY else 0)
        return self.k, rules, pruning, limit, rows, self.objective

    @cached_property
    def floors(self) -> tuple[Floats, Floats, Floats]:
        """What the columns from each one on cost at least, twice (the first may be raised), and what a
        suppressed record adds to that."""
        plain, more = np.zeros(len(self.order) + 1), np.zeros(len(self.order) + 1)
        for at in range(len(self.order) - 1, -1, -1):
            shown, gone = self.ordered[at].floors
            occurs = self.frequencies[at] > 0
            plain[at] = plain[at + 1] + self.frequencies[at] @ shown
            more[at] = more[at + 1] + max(0.0, float((gone - shown)[occurs].min()))
        return plain.copy(), plain, more

    @property
    def spare(self) -> int:
        """How many tables of classes a walk may keep besides the first."""
        keys, _, hist = self.table
        bytes_each = len(keys) * (8 * keys.shape[1] + 8 + hist.itemsize * hist.shape[1])
        return int(np.clip(MEMORY // CORES // max(bytes_each, 1), 1, len(self.order)))

    def walk(
        self, limit: int, start: Sequence[int], floors: Any, best: Floats, stop: Ints
    ) -> tuple[float, Ints, float, float]:
        """Walk the nodes that begin with these levels: the loss and the levels of the best one found that
        is below ``best[0]``, what no node goes below that was not seen, and none that is undecided."""
        levels, nothing = np.zeros(len(self.order), np.int64), np.zeros(0)
        least = self.base[np.arange(len(start)), list(start)].sum() + floors[0][len(start)]
        least = least if self.objective == SEPARABLE else 0.0
        if stop[0] or least >= best[0]:
            return np.inf, levels, np.inf if least >= best[0] else least, np.inf
        found, unseen, undecided = walk_lattice(
            self.table, self.shape, self.demand(limit), floors, np.array(start, np.int64), self.spare, best,
            stop, levels, nothing, nothing, nothing,
        )  # fmt: skip
        return found, levels, unseen, undecided

    def listed(self, limit: int) -> "NodeListing":
        """Every node, by its levels in the order of work."""
        suppressed, losses, bounds = np.full((3, self.nodes), np.inf)
        nowhere, never = np.zeros(0, np.int64), np.zeros(1, np.int64)
        walk_lattice(
            self.table, self.shape, self.demand(limit), self.floors, nowhere, self.spare, np.array([np.inf]),
            never, np.zeros(len(self.order), np.int64), suppressed, losses, bounds,
        )  # fmt: skip
        suppressed[suppressed > limit] = np.inf
        shape = self.heights + 1
        return NodeListing(suppressed.reshape(shape), losses.reshape(shape), bounds.reshape(shape))

    def chosen(self, which: Bools, listed: "NodeListing", limit: int) -> list[LatticeNode]:
        """The nodes of a listing that are marked."""
        places = np.argwhere(which)
        figures = listed.suppressed[which], listed.losses[which]
        return [
            LatticeNode(self.in_place(place), int(suppressed), float(loss), limit)
            for place, suppressed, loss in zip(places, *figures, strict=True)
        ]

    def all(self, limit: int) -> list[LatticeNode]:
        """Every node at which at most ``limit`` records are suppressed, from the finest on."""
        listed = self.listed(limit)
        return self.chosen(listed.allowed, listed, limit)

    def prunes(self, limit: int) -> bool:
        """Is whatever lies above an allowed node allowed, so that one look at the top tells of all?"""
        rules = self.diversity.rules
        return np.array_equal(pruning_rules(rules, limit == 0), rules)

    def in_place(self, levels: Ints) -> Levels:
        """Levels in the order of the columns, given in the order of work."""
        placed = np.zeros(len(levels), np.int64)
        placed[self.order] = levels
        return tuple(placed.tolist())

    def at(self, levels: Levels, limit: int | None = None) -> LatticeNode:
        """A single node, straight from the distinct records; without a limit any number may leave."""
        level = np.array([levels[at] for at in self.order])
        keys, counts, hist, made, _ = project(self.table, level, self.shape)
        return self.judged((keys[:made], counts[:made], hist[:made]), levels, limit)

    def judged(self, classes: Any, levels: Levels, limit: int | None = None) -> LatticeNode:
        """A node whose classes are known. Of one at which too many leave, the loss is infinite."""
        most = self.records if limit is None else limit
        level = np.array([levels[at] for at in self.order])
        chosen = float(self.base[np.arange(len(level)), level].sum())
        loss, lost, _ = judge(classes, len(classes[1]), level, chosen, self.shape, self.demand(most), np.inf)
        return LatticeNode(levels, int(lost), float(loss), most)

    def classes(self, node: LatticeNode) -> tuple[Bools, SmallInts]:
        """Which records stay, and the class of every record."""
        level = np.array([node.levels[at] for at in self.order])
        keys, counts, hist, made, of_class = project(self.table, level, self.shape)
        classes = keys[:made], counts[:made], hist[:made]
        passing = passing_classes(classes, made, level, self.shape, self.demand(node.limit))
        of_record = of_class[self.of_tuple]
        return passing[of_record], of_record


def _in_order(keys: Ints, counts: Ints, of_tuple: SmallInts) -> tuple[Ints, Ints, SmallInts]:
    """Sorted, so that what is merged lies near to each other in memory."""
    order = np.lexsort(keys.T)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return keys[order], counts[order], rank[of_tuple]


def _bits(sizes: list[int]) -> tuple[Ints, Ints, Ints]:
    """The word in which each column has its bits, where they begin and which they are; the last column has
    the lowest bits of the first word."""
    bits = [(size - 1).bit_length() for size in sizes]
    word, shift = [0], [0]
    for below, above in pairwise(reversed(bits)):
        fits = shift[-1] + below + above <= WORD
        word.append(word[-1] if fits else word[-1] + 1)
        shift.append(shift[-1] + below if fits else 0)
    return np.array(word[::-1]), np.array(shift[::-1]), np.array([2**count - 1 for count in bits])
