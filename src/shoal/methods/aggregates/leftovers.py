"""Leftovers: records that no candidate class wanted find a place in the classes there are.

Every class is a box with the columns it has opened. A single record joins the class it makes least more
expensive, or founds a new one with records that need no class or whose classes have more than they need.
"""

from collections.abc import Callable

import numpy as np

from shoal.arrays import Bools, Floats, Hashes, Ints

OPEN, ALONE = np.int64(-1), np.int64(-2)  # not yet in a class; in need of none
MOST_DONORS = 20_000  # drawn at random, as the rows are


class Leftovers:
    """``class_of`` is changed in place; ``opened`` grows with new classes. Classes may become empty.

    ``totals`` and ``weights`` have a row per aggregate; all members of a class show the same in the columns
    that are ``always`` known. ``draws`` decide, row by row, between places that cost the same.
    """

    def __init__(
        self,
        values: Ints,
        totals: Ints,
        weights: Ints,
        costs: Floats,
        k: int,
        always: Bools,
        class_of: Ints,
        opened: Bools,
        draws: Hashes,
    ) -> None:
        self.values, self.totals, self.weights, self.costs, self.k = values, totals, weights, costs, k
        self.class_of, self.opened, self.always, self.draws = class_of, opened, always, draws
        order = np.argsort(class_of, kind="stable")
        order = order[np.searchsorted(class_of[order], 0) :]
        starts = np.searchsorted(class_of[order], np.arange(len(opened) + 1))
        self.sizes = np.diff(starts)
        members = values[order]
        first = starts[:-1]
        self.low = np.minimum.reduceat(members, first) if len(first) else members
        self.high = np.maximum.reduceat(members, first) if len(first) else members
        self.example = members[first]

    def settle(self, row: int) -> None:
        """Put one row where it costs least."""
        join_cost, place, opened = self._cheapest_join(row)
        new_cost, donors, columns = self._cheapest_new(row)
        if new_cost < join_cost:
            self._open_class(np.append(donors, row), columns)
        elif len(self.sizes):
            self._join(row, place, opened)
        else:  # too few records for anything but one class of all that are not safe already
            self._open_class(np.flatnonzero(self.class_of < 0), np.ones(self.values.shape[1], bool))

    def grow_until(self, rows: Ints, enough: Callable[[Ints], bool]) -> Ints:
        """These rows and those of the classes nearest to them, until they are enough for a class."""
        while not enough(rows) and (self.sizes > 0).any():
            place = self._cheapest_join(int(rows[-1]))[1]
            members = np.flatnonzero(self.class_of == place)
            self.class_of[members], self.sizes[place] = OPEN, 0
            rows = np.append(rows, members)
        return rows

    def found_all(self, classes: list[Ints]) -> None:
        """New classes that open every column."""
        for rows in classes:
            self.class_of[rows] = len(self.opened)
            self.opened = np.vstack([self.opened, np.ones(self.values.shape[1], bool)])

    def _join(self, row: int, place: int, opened: Bools) -> None:
        self.class_of[row] = place
        self.sizes[place] += 1
        self.opened[place] = opened
        self.low[place] = np.minimum(self.low[place], self.values[row])
        self.high[place] = np.maximum(self.high[place], self.values[row])

    def _cheapest_join(self, row: int) -> tuple[float, int, Bools]:
        """Join a class of the same residuals, or any class by opening all its columns."""
        cells = self.values[row]
        if not len(self.sizes):
            return np.inf, -1, np.zeros(len(cells), bool)
        now = self.sizes * (np.where(self.opened, self.high - self.low, 0) @ self.costs)
        wider = np.maximum(self.high, cells) - np.minimum(self.low, cells)
        grown = self.sizes + 1
        there = self.sizes > 0
        by_opening = np.where(there, grown * (wider @ self.costs) - now, np.inf)
        exact = np.where(self.opened, 0, self.example - cells)
        same = ((exact @ self.weights.T) == 0).all(axis=1) & (exact[:, self.always] == 0).all(axis=1) & there
        as_it_is = np.where(same, grown * (np.where(self.opened, wider, 0) @ self.costs) - now, np.inf)
        place, opening = self._cheapest_place(row, as_it_is), self._cheapest_place(row, by_opening)
        if as_it_is[place] <= by_opening[opening]:
            return float(as_it_is[place]), place, self.opened[place]
        return float(by_opening[opening]), opening, np.ones(len(cells), bool)

    def _cheapest_new(self, row: int) -> tuple[float, Ints, Bools]:
        """A new class with k - 1 rows that need none, or whose classes have more than they need."""
        found = [(np.inf, np.zeros(0, np.int64), np.zeros(0, bool))]
        large = np.append(self.sizes > self.k, [True, False])  # at the end: ALONE and OPEN
        spare = np.flatnonzero(large[self.class_of])[:MOST_DONORS]
        if len(spare) < self.k - 1:
            return found[0]
        apart = self.values[spare] - self.values[row]
        difference = self.totals[:, spare] - self.totals[:, [row]]
        for columns in [*np.eye(apart.shape[1], dtype=bool), np.ones(apart.shape[1], bool)]:
            columns = columns | self.always
            explained = self.weights[:, columns] @ apart[:, columns].T
            fits = np.flatnonzero((difference == explained).all(axis=0))
            far = np.abs(apart[fits][:, columns]) @ self.costs[columns]
            nearest = spare[fits[np.argsort(far, kind="stable")]]
            donors = self._within_means(nearest)
            if len(donors) == self.k - 1:
                cells = self.values[np.append(donors, row)][:, columns]
                cost = self.k * float((cells.max(axis=0) - cells.min(axis=0)) @ self.costs[columns])
                found.append((cost, donors, columns))
        return found[self._cheapest_place(row, np.array([cost for cost, _, _ in found]))]

    def _cheapest_place(self, row: int, costs: Floats) -> int:
        """The cheapest place; of equally cheap ones, the one that the row has drawn."""
        cheapest = np.flatnonzero(costs == costs.min())
        return int(cheapest[int(self.draws[row]) % len(cheapest)])

    def _within_means(self, nearest: Ints) -> Ints:
        """The first k - 1 of these rows that leave their classes with k rows each."""
        given: dict[int, int] = {}
        donors: list[int] = []
        for row in nearest.tolist():
            place = int(self.class_of[row])
            if place == ALONE or self.sizes[place] - given.get(place, 0) > self.k:
                given[place] = given.get(place, 0) + 1
                donors.append(row)
            if len(donors) == self.k - 1:
                break
        return np.array(donors, np.int64)

    def _open_class(self, members: Ints, opened: Bools) -> None:
        left, counts = np.unique(self.class_of[members], return_counts=True)
        self.sizes[left[left >= 0]] -= counts[left >= 0]
        self.class_of[members] = len(self.opened)
        cells = self.values[members]
        self.opened = np.vstack([self.opened, opened])
        self.sizes = np.append(self.sizes, len(members))
        self.low = np.vstack([self.low, cells.min(axis=0)])
        self.high = np.vstack([self.high, cells.max(axis=0)])
        self.example = np.vstack([self.example, cells[-1]])
