"""Values and how often they occur, row by row, beside the people whose rows these are."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints


@dataclass(frozen=True)
class ValueShares:
    """Row i has the values ``value[starts[i]:starts[i + 1]]``, in rising order, as often as ``weight`` says;
    ``total`` counts suppressed cells too. Person by person: ``places`` among all people, ``row``, and the
    person's ``own`` value (-1 if no record shows it)."""

    starts: Ints
    value: Ints
    weight: Floats
    total: Floats
    width: int
    places: Ints
    row: Ints
    own: Ints
    records: Floats

    @classmethod
    def of(
        cls, counts: Any, total: Floats, places: Ints, row: Ints, own: Ints, records: Floats | None = None
    ) -> "ValueShares":
        """Shares from a sparse table of counts; ``records`` are those behind each row, if they are not its
        total."""
        counts.sort_indices()
        starts, value = counts.indptr.astype(np.int64), counts.indices.astype(np.int64)
        behind = total if records is None else records
        return cls(starts, value, counts.data, total, counts.shape[1], places, row, own, behind)

    @cached_property
    def rows(self) -> Ints:
        """The row of every entry."""
        return np.repeat(np.arange(len(self.total)), self.different)

    @cached_property
    def different(self) -> Ints:
        """How many different values each row has."""
        return np.diff(self.starts)

    @cached_property
    def unsuppressed(self) -> Floats:
        """How many cells of each row are not suppressed."""
        return np.asarray(np.bincount(self.rows, self.weight, len(self.total)), np.float64)

    @cached_property
    def keys(self) -> Ints:
        return self.rows * self.width + self.value

    @cached_property
    def before(self) -> Floats:
        """The weight of all entries in front of each, and of all."""
        return np.append(0.0, np.cumsum(self.weight))

    def place_of(self, row: Ints, value: Ints) -> Ints:
        """The first entry of a row that is not below a value."""
        return np.searchsorted(self.keys, row * self.width + value)

    def largest(self, figures: Floats) -> Floats:
        """The largest figure of the entries of each row; 0 without any."""
        found = np.zeros(len(self.total))
        np.maximum.at(found, self.rows, figures)
        return found

    @cached_property
    def own_weight(self) -> Floats:
        """How often people's own values occur in their rows."""
        if not len(self.keys):
            return np.zeros(len(self.row))
        at = np.minimum(self.place_of(self.row, self.own), len(self.keys) - 1)
        there = (self.own >= 0) & (self.keys[at] == self.row * self.width + self.own)
        return np.where(there, self.weight[at], 0.0)

    @cached_property
    def own_share(self) -> Floats:
        return self.own_weight / self.total[self.row]

    @cached_property
    def largest_share(self) -> Floats:
        """The largest share that one value has in each row; 0 where nobody fits."""
        return self.largest(self.weight) / np.where(self.total > 0, self.total, 1.0)
