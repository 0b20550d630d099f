"""(k,p,q,r)-anonymity by its definition, pair by pair, over lists of rows; and the printed heuristic."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.kernels.keyed_hash import Purpose, hash_rows
from shoal.methods.means.rare_values import ConfidentialColumn

from .slow_mdav import slow_mdav, squared_distance
from .slow_partitions import set_partitions

PATHS = [(0, 10), (1, 10), (2, 11), (3, 11), (4, 12), (5, 12)]  # six leaves under three labels
KINDS = "numbers", "words", "tree"


@dataclass(frozen=True)
class Column:
    """The confidential values of all rows, and what is asked of them."""

    kind: str
    values: list  # numbers, or for words and leaves of the tree which one
    q: Fraction
    p: int
    r: Fraction

    def distance(self, one, other):
        if self.kind == "numbers":
            return (one - other) ** 2
        if self.kind == "words":
            return int(one != other)
        return sum(a != b for a, b in zip(PATHS[one], PATHS[other], strict=True))

    def variance(self, rows):
        """Up to a factor that all groups share."""
        values = [self.values[row] for row in rows]
        return Fraction(sum(self.distance(a, b) for a in values for b in values), len(values) ** 2)

    def different(self, rows):
        return len({self.values[row] for row in rows})

    def is_rare(self, row):
        return Fraction(self.values.count(self.values[row]), len(self.values)) < self.q

    def has_rare(self, rows):
        return any(self.is_rare(row) for row in rows)

    def holds(self, rows):
        if not self.has_rare(rows):
            return True
        whole = self.variance(range(len(self.values)))
        return self.different(rows) >= self.p and self.variance(rows) >= self.r * whole

    def confidential(self):
        """The same for the methods."""
        found, codes = np.unique(self.values, return_inverse=True)
        if self.kind == "numbers":
            return ConfidentialColumn.of_numbers(codes, found, self.q, self.p, self.r)
        labels = found[:, np.newaxis] if self.kind == "words" else np.array([PATHS[leaf] for leaf in found])
        return ConfidentialColumn.of_labels(codes, labels, self.q, self.p, self.r)


@dataclass(frozen=True)
class Table:
    points: np.ndarray
    k: int
    columns: list[Column]

    def holds(self, rows):
        return len(rows) >= self.k and all(column.holds(rows) for column in self.columns)

    def solved_by(self, group_of):
        return all(self.holds(np.flatnonzero(group_of == group).tolist()) for group in np.unique(group_of))

    def can_be_solved(self):
        """By any partition, tried one after the other."""
        known = {}

        def holds(rows):
            return known[rows] if rows in known else known.setdefault(rows, self.holds(rows))

        return any(
            all(holds(tuple(sorted(part))) for part in parts)
            for parts in set_partitions(list(range(len(self.points))))
        )

    def confidential(self):
        return [column.confidential() for column in self.columns]


def drawn_table(seed):
    """A small table with ties and duplicates; k may be all rows, p one more than there are values."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 8 if seed % 2 else 25))
    columns = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = KINDS[rng.integers(3)]
        leaves = int(rng.integers(1, 7))
        values = rng.choice(rng.permutation(range(-6, 7))[:leaves] if kind == "numbers" else leaves, rows)
        if rng.random() < 0.5:  # one value is most frequent
            values[rng.random(rows) < 0.7] = values[0]
        p = int(rng.integers(1, len(set(values.tolist())) + 2)) if rng.random() < 0.4 else 2
        q, r = Fraction(int(rng.integers(1, 13)), 12), Fraction(int(rng.integers(0, 13)), 12)
        columns.append(Column(kind, values.tolist(), q, p, r))
    width = int(rng.integers(1, 4))
    points = rng.integers(-4, 5, (rows, width)).astype(float) * rng.choice([0.0, 0.5, 1.0])
    return Table(points, int(rng.integers(1, min(rows, 5) + 1)), columns)


def slow_kpqr_paper(table, key):
    """The group of every row, step by step as printed."""
    points, k, columns = table.points.tolist(), table.k, table.columns
    rows = range(len(points))
    hashes = hash_rows(key, Purpose.STARTS, len(points))
    rare_rows = [[row for row in rows if column.is_rare(row)] for column in columns]
    least = [
        column.r * column.variance(rare) if rare else 0
        for column, rare in zip(columns, rare_rows, strict=True)
    ]
    sensitive = {row for rare in rare_rows for row in rare}
    remaining, left, groups = set(rows), set(sensitive), []

    def near(start):
        return sorted(remaining, key=lambda row: (squared_distance(points[row], points[start]), row))

    def take(group, row):
        group.append(row)
        remaining.discard(row)
        left.discard(row)

    def looked_at(group):
        return [at for at, column in enumerate(columns) if column.has_rare(group)]

    def narrow(group):
        return [at for at in looked_at(group) if columns[at].variance(group) < least[at]]

    def first(found):
        return next(iter(found), None)

    while left:
        start = min(left, key=lambda row: hashes[row])
        group = []
        take(group, start)
        while uniform := [at for at in looked_at(group) if columns[at].different(group) < columns[at].p]:
            column = columns[uniform[0]]
            new = [row for row in near(start) if column.different([*group, row]) > column.different(group)]
            row = first(row for row in new if column.variance([*group, row]) > column.variance(group))
            row = first(new) if row is None else row
            if row is None:
                break
            take(group, row)
        while short := narrow(group):
            column = columns[short[0]]
            row = first(row for row in near(start) if column.variance([*group, row]) > column.variance(group))
            if row is None:
                break
            take(group, row)
        while len(group) < k and remaining:
            row = first(row for row in near(start) if not narrow([*group, row]))
            take(group, near(start)[0] if row is None else row)
        still = [[row for row in rare if row in left] for rare in rare_rows]
        if any(
            rare and (column.variance(rare) < low or column.different(rare) < column.p)
            for column, rare, low in zip(columns, still, least, strict=True)
        ):
            for row in list(left):
                take(group, row)
            if narrow(group):
                remaining |= {row for row in group if row not in sensitive}
                group = [row for row in group if row in sensitive]
        groups.append(group)
    rest = sorted(remaining)
    group_of = {row: number for number, group in enumerate(groups) for row in group}
    if len(rest) >= k:
        found = slow_mdav([points[row] for row in rest], k, "one-group")
        group_of |= {row: len(groups) + group for row, group in zip(rest, found, strict=True)}
    else:
        for row in rest:
            group_of[row] = min(
                range(len(groups)), key=lambda at: squared_distance(_centre(points, groups[at]), points[row])
            )
    return [group_of[row] for row in rows]


def _centre(points, rows):
    return [sum(points[row][column] for row in sorted(rows)) / len(rows) for column in range(len(points[0]))]
