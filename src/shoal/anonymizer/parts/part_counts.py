"""What parts hold: how many rows, and how often each sensitive value, so that each can be a class."""

from dataclasses import dataclass
from functools import partial
from operator import or_

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.arrays import Ints
from shoal.engines.protocol import PART, Parts
from shoal.methods.diversity import diverse
from shoal.table.columns.arrow_numpy import arrow_from_numpy


@dataclass(frozen=True)
class PartCounts:
    """``counts`` has a row per rule about sensitive values."""

    rows: int
    counts: Ints

    @classmethod
    def of(cls, table: pa.Table, sensitive: SensitiveCodes) -> "PartCounts":
        return cls(len(table), sensitive.diversity(table).counts(slice(None)))

    def joined(self, other: "PartCounts") -> "PartCounts":
        return PartCounts(self.rows + other.rows, self.counts + other.counts)

    def enough(self, k: int, sensitive: SensitiveCodes) -> bool:
        """Could all of it be one class?"""
        return self.rows >= k and bool(diverse(self.counts, sensitive.rules))


def merge_small_parts(parts: Parts, k: int, sensitive: SensitiveCodes) -> Parts:
    """Parts in one order, with those that could not be one class put together with their neighbours."""
    held = parts.fold(partial(_counts_of_part, sensitive), or_) or {}
    together = merged_part_numbers([held[number] for number in sorted(held)], k, sensitive)
    numbers = dict(zip(sorted(held), together, strict=True))
    if len(set(together)) == len(held):
        return parts
    return renumber_parts(parts, numbers)


def merged_part_numbers(parts: list[PartCounts], k: int, sensitive: SensitiveCodes) -> list[int]:
    """The new number of every part: closed as soon as it is enough, and what is left at the end joins the
    one before."""
    groups: list[list[PartCounts]] = [[]]
    for one in parts:
        groups[-1].append(one)
        if _sum(groups[-1]).enough(k, sensitive):
            groups.append([])
    while len(groups) > 1 and not (groups[-1] and _sum(groups[-1]).enough(k, sensitive)):
        last = groups.pop()
        groups[-1] += last
    return [number for number, group in enumerate(groups) for _ in group]


def _sum(group: list[PartCounts]) -> PartCounts:
    total = group[0]
    for one in group[1:]:
        total = total.joined(one)
    return total


def _counts_of_part(sensitive: SensitiveCodes, number: int, table: pa.Table) -> dict[int, PartCounts]:
    return {number: PartCounts.of(table, sensitive)}


def renumber_parts(parts: Parts, numbers: dict[int, int]) -> Parts:
    """The same rows, those of parts with one number together."""
    return parts.map(partial(_renumbered, numbers), parts.schema).parts(PART)


def _renumbered(numbers: dict[int, int], number: int, table: pa.Table) -> pa.Table:
    new = arrow_from_numpy(np.full(len(table), numbers[number]))
    return table.set_column(table.column_names.index(PART), PART, new)
