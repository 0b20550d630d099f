"""Who of a group has which of its values? Beliefs learned from all groups together (Kifer, SIGMOD 2009).

A group has rows with known traits, and values of which nobody knows whose they are. Every assignment of the
values to the rows has a likelihood: the product over rows of P(trait | value), trait by trait (naive Bayes).
A row's belief in a value is the share of the likelihood of the assignments that give it to the row. These
beliefs and the P(trait | value) that follow from them are found in turns (EM) until nothing moves.

In a group of few rows the beliefs are exact: sums over the subsets of rows that have got a value already.
In larger ones the likelihoods are scaled until rows sum to 1 and values to their counts (Sinkhorn).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges

FEW_ROWS = 8  # in whose groups every subset of them is looked at
SCALED = 30  # times, rows and values in turn
LEAST = 1e-30  # likelihood of a row beside its likeliest value
SMOOTHED = 10.0  # rows that know nothing of the value
ROUNDS = 60
STILL = 1e-3  # how far beliefs may move in a round and count as settled, on average


@dataclass(frozen=True)
class AssignmentGroups:
    """Rows in the order of their groups; of every group its different values and how often it has each.

    ``traits`` has a column per trait, numbered from 0 on, and ``widths`` how many each has.
    """

    traits: Ints
    widths: Ints
    row_starts: Ints  # of every group, and where the last one ends
    values: Ints
    counts: Ints
    value_starts: Ints
    different: int

    @property
    def pair_starts(self) -> Ints:
        """Where the beliefs of each group begin: a block of rows by values, one behind the other."""
        blocks = np.diff(self.row_starts) * np.diff(self.value_starts)
        return np.concatenate([[0], np.cumsum(blocks)])

    def chance(self) -> Floats:
        """Beliefs of somebody who knows nothing of traits: how frequent values are in the group."""
        chance = np.empty(int(self.pair_starts[-1]))
        _fill_chance(self.row_starts, self.value_starts, self.counts, self.pair_starts, chance)
        return chance


@dataclass(frozen=True)
class AssignmentBeliefs:
    """Row by row, how much speaks for each value of its group; the log-likelihood of it all; rounds taken."""

    shares: Floats
    likelihood: float
    rounds: int


def learn_beliefs(
    groups: AssignmentGroups, random: np.random.Generator, starts: int = 3
) -> AssignmentBeliefs:
    """The likeliest of several starts: how often traits and values share a group, then the same disturbed."""
    best: AssignmentBeliefs | None = None
    for start in range(starts):
        shares = groups.chance()
        if start:
            shares *= random.gamma(2.0, 0.5, len(shares))
        found = _fixed_point(groups, shares)
        if best is None or found.likelihood > best.likelihood:
            best = found
    assert best is not None  # noqa: S101 - there is a start
    return best


def _fixed_point(groups: AssignmentGroups, shares: Floats) -> AssignmentBeliefs:
    moved, turn, likelihood = np.inf, 0, -np.inf
    while moved > STILL * len(groups.traits) and turn < ROUNDS:
        before, turn = shares, turn + 1
        shares, likelihood = beliefs_under_model(groups, log_model(groups, shares))
        moved = float(np.abs(shares - before).sum())
    return AssignmentBeliefs(shares, likelihood, turn)


def log_model(groups: AssignmentGroups, shares: Floats) -> Floats:
    """log P(trait | value), the columns of all traits beside each other. A few rows more speak for the
    trait's frequency in the whole table, so that little is made of what was seen rarely."""
    width = int(groups.widths.sum())
    offsets = np.cumsum(groups.widths) - groups.widths
    counted = np.zeros((groups.different, width))
    ends = (groups.row_starts, groups.value_starts, groups.pair_starts)
    _count(groups.traits + offsets, *ends, groups.values, shares, counted)
    overall = np.zeros(width)
    for at, (offset, wide) in enumerate(zip(offsets, groups.widths, strict=True)):
        seen = np.bincount(groups.traits[:, at], minlength=wide)
        overall[offset : offset + wide] = (seen + 1 / wide) / (seen.sum() + 1)
    model = np.empty_like(counted)
    for offset, wide in zip(offsets, groups.widths, strict=True):
        part = slice(offset, offset + wide)
        smoothed = counted[:, part] + SMOOTHED * overall[part]
        model[:, part] = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    return model


def beliefs_under_model(groups: AssignmentGroups, model: Floats) -> tuple[Floats, float]:
    """What every row is believed to have under this model, and the log-likelihood of all groups."""
    shares = np.empty(int(groups.pair_starts[-1]))
    likelihoods = np.empty(len(groups.row_starts) - 1)
    traits = groups.traits + (np.cumsum(groups.widths) - groups.widths)
    ends = (groups.row_starts, groups.value_starts, groups.pair_starts)

    def work(first: int, last: int) -> None:
        _believe(traits, *ends, groups.values, groups.counts, model, first, last, shares, likelihoods)

    over_ranges(work, len(likelihoods), weight=100)
    return shares, float(likelihoods.sum())


@compiled
def _fill_chance(row_starts: Any, value_starts: Any, counts: Any, pair_starts: Any, chance: Any) -> None:
    for group in range(len(row_starts) - 1):
        rows = row_starts[group + 1] - row_starts[group]
        place = pair_starts[group]
        for _ in range(rows):
            for at in range(value_starts[group], value_starts[group + 1]):
                chance[place] = counts[at] / rows
                place += 1


@compiled
def _count(
    traits: Any, row_starts: Any, value_starts: Any, pair_starts: Any, values: Any, shares: Any, counted: Any
) -> None:
    for group in range(len(row_starts) - 1):
        place = pair_starts[group]
        for row in range(row_starts[group], row_starts[group + 1]):
            for at in range(value_starts[group], value_starts[group + 1]):
                for trait in range(traits.shape[1]):
                    counted[values[at], traits[row, trait]] += shares[place]
                place += 1


@compiled
def _believe(
    traits: Any, row_starts: Any, value_starts: Any, pair_starts: Any, values: Any, counts: Any,
    model: Any, first: int, last: int, shares: Any, likelihoods: Any,
) -> None:  # fmt: skip
    for group in range(first, last):
        row, value = row_starts[group], value_starts[group]
        rows, many = row_starts[group + 1] - row, value_starts[group + 1] - value
        block = shares[pair_starts[group] : pair_starts[group + 1]].reshape(rows, many)
        likelihoods[group] = 0.0
        for at in range(rows):
            most = -np.inf
            for other in range(many):
                total = 0.0
                for trait in range(traits.shape[1]):
                    total += model[values[value + other], traits[row + at, trait]]
                block[at, other] = total
                most = max(most, total)
            for other in range(many):
                block[at, other] = max(np.exp(block[at, other] - most), LEAST)
            likelihoods[group] += most
        own = counts[value : value + many]
        if rows <= FEW_ROWS:
            likelihoods[group] += _by_subsets(block, own)
        else:
            likelihoods[group] += _scaled(block, own)


@compiled
def _by_subsets(block: Any, counts: Any) -> Any:
    """Exact: ``ahead[subset]`` sums over the ways to give the first values to just these rows, ``behind``
    over those to give the other values to the other rows."""
    rows, many = block.shape
    full = 2**rows
    slots = np.empty(rows, np.int64)
    place = 0
    for value in range(many):
        for _ in range(counts[value]):
            slots[place] = value
            place += 1
    size = np.zeros(full, np.int64)
    for subset in range(1, full):
        size[subset] = size[subset >> 1] + (subset & 1)
    ahead, behind = np.zeros(full), np.zeros(full)
    ahead[0] = behind[full - 1] = 1.0
    for subset in range(1, full):
        value = slots[size[subset] - 1]
        for row in range(rows):
            if subset >> row & 1:
                ahead[subset] += ahead[subset ^ (1 << row)] * block[row, value]
    for subset in range(full - 2, -1, -1):
        value = slots[size[subset]]
        for row in range(rows):
            if not subset >> row & 1:
                behind[subset] += behind[subset | (1 << row)] * block[row, value]
    total = ahead[full - 1]
    found = np.zeros((rows, many))
    for subset in range(full - 1):
        value = slots[size[subset]]
        for row in range(rows):
            if not subset >> row & 1:
                found[row, value] += ahead[subset] * block[row, value] * behind[subset | (1 << row)]
    block[:] = found / total
    return np.log(total)


@compiled
def _scaled(block: Any, counts: Any) -> Any:
    """Rows sum to 1 and, nearly, values to their counts."""
    rows, many = block.shape
    gained = 0.0
    for _ in range(SCALED):
        farthest = 0.0
        for value in range(many):
            total = 0.0
            for row in range(rows):
                total += block[row, value]
            farthest = max(farthest, abs(total / counts[value] - 1))
            for row in range(rows):
                block[row, value] *= counts[value] / total
            gained += counts[value] * np.log(total / counts[value])
        for row in range(rows):
            total = 0.0
            for value in range(many):
                total += block[row, value]
            for value in range(many):
                block[row, value] /= total
            gained += np.log(total)
        if farthest < 1e-3:
            break
    return gained
