"""Bayes-optimal privacy (Machanavajjhala et al., ICDE 2006): how sure somebody is who knows the population.

Somebody who knows q of a person, and how often each sensitive value s occurs among people with q, finds the
person's class q* in the release. What they then believe is

    n(q*, s) f(s|q) / f(s|q*), divided by the sum of that over all values,

with n the published counts of the class and f the shares in the population; f(s|q*) is the mean over the
records of the class. f is given as a table of the population, or estimated from the original table one
column at a time, as if the columns were independent given s (with one added to every count). Nothing is
promised by it: it is a report, since no owner knows what an attacker knows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats, Ints
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.table import Table
from shoal.verify.attackers import attackers, classes_of
from shoal.verify.cells.published_table import PublishedTable

CELLS_AT_ONCE = 20_000_000
COUNT = "count"  # a column of this name in a population says how many people a row stands for


@dataclass(frozen=True)
class BayesBeliefs:
    """About one sensitive column: the surest belief, and how many records it nearly proves or disproves."""

    largest: float
    positive: int  # records with a value believed above 1 - delta
    negative: int  # records with a value of the table believed below epsilon
    mean: float  # of the belief in the right value

    def as_dict(self) -> dict[str, float]:
        return {
            "posterior": round(self.largest, 6),
            "posterior_right": round(self.mean, 6),
            "positive_disclosures": self.positive,
            "negative_disclosures": self.negative,
        }


def bayes_optimal(
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    input_rows: Ints,
    name: str,
    population: Table | None = None,
    delta: float = 0.05,
    epsilon: float = 0.01,
) -> BayesBeliefs:
    """The worst over the attackers of the policy."""
    words = categories_from_arrow(published.table.column(name))
    known = _Shares.of(original, policy, name, words.words, population)
    found = [
        _beliefs(
            classes_of(published, attacker, policy),
            words.codes.astype(np.int64),
            known,
            input_rows,
            delta,
            epsilon,
        )
        for attacker in attackers(policy)
    ]
    return max(found, key=lambda beliefs: (beliefs.largest, beliefs.positive))


@dataclass(frozen=True)
class _Shares:
    """f(s|q) for any rows of the original table."""

    values: int
    tables: list[Floats]  # per key: log of how likely it is given s, or how likely s is given it
    keys: list[Ints]

    @classmethod
    def of(
        cls,
        original: PublishedTable,
        policy: Policy,
        name: str,
        words: tuple[str | None, ...],
        population: Table | None,
    ) -> "_Shares":
        quasi = policy.having("quasi")
        if population is not None:
            return cls._given(original, quasi, name, words, population)
        place = {word: at for at, word in enumerate(words)}
        column = categories_from_arrow(original.table.column(name))
        codes = np.array([place.get(word, -1) for word in column.words])[column.codes]
        there = codes >= 0  # values that were suppressed everywhere cannot be believed
        often = np.bincount(codes[there], minlength=len(words))
        tables, keys = [np.log(often / there.sum())[np.newaxis]], [np.zeros(len(codes), np.int64)]
        for column_name in quasi:
            values = categories_from_arrow(original.table.column(column_name))
            counts = np.ones((len(values.words), len(words)))
            np.add.at(counts, (values.codes[there], codes[there]), 1)
            tables.append(np.log(counts / counts.sum(axis=0)))
            keys.append(values.codes.astype(np.int64))
        return cls(len(words), tables, keys)

    @classmethod
    def _given(
        cls,
        original: PublishedTable,
        quasi: list[str],
        name: str,
        words: tuple[str | None, ...],
        population: Table,
    ) -> "_Shares":
        if absent := [column for column in [*quasi, name] if column not in population.names]:
            raise ShoalError(
                f"the population has no column {absent[0]!r}",
                "give a table with all quasi columns, the sensitive one and, if you like, count.",
            )
        rows = [_texts(table, quasi) for table in (original.table, population)]
        number = {row: at for at, row in enumerate(dict.fromkeys(rows[0]))}
        counts = np.zeros((len(number), len(words) + 1))  # and one for values that were not published
        place = {word: at for at, word in enumerate(words)}
        weights = population.numbers(COUNT).units if COUNT in population.names else np.ones(len(rows[1]))
        for row, word, weight in zip(rows[1], _texts(population, [name]), weights.tolist(), strict=True):
            if row in number:
                counts[number[row], place.get(word[0], len(words))] += weight
        with np.errstate(divide="ignore"):
            table = np.log(counts)
        return cls(len(words), [table], [np.array([number[row] for row in rows[0]])])

    def at(self, rows: Ints) -> Floats:
        """One row per record, one column per value; nothing known is all alike."""
        total = sum(table[key[rows]] for table, key in zip(self.tables, self.keys, strict=True))
        highest = np.max(total, axis=1, keepdims=True)
        shares = np.exp(total - np.where(np.isfinite(highest), highest, 0.0))
        shares[~np.isfinite(highest[:, 0]), : self.values] = 1.0
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))[:, : self.values]


def _texts(table: Table, names: list[str]) -> list[tuple[str | None, ...]]:
    return list(zip(*(table.column(name).cast(pa.string()).to_pylist() for name in names), strict=True))


def _beliefs(
    classes: Ints, values: Ints, known: _Shares, input_rows: Ints, delta: float, epsilon: float
) -> BayesBeliefs:
    width = known.values
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(classes[order]) != 0))
    ends = np.append(starts[1:], len(order))
    largest, positive, negative, right = 0.0, 0, 0, 0.0
    first = 0
    while first < len(starts):  # whole classes, as many as fit
        last = int(np.searchsorted(ends, starts[first] + max(CELLS_AT_ONCE // width, 1), "right"))
        last = max(last, first + 1)
        rows = order[starts[first] : ends[last - 1]]
        sizes = ends[first:last] - starts[first:last]
        posterior = _posterior(known.at(input_rows[rows]), values[rows], sizes, width)
        highest = posterior.max(axis=1)
        largest = max(largest, float(highest.max()))
        positive += int((highest > 1 - delta).sum())
        negative += int((posterior < epsilon).any(axis=1).sum())
        right += float(posterior[np.arange(len(rows)), values[rows]].sum())
        first = last
    return BayesBeliefs(largest, positive, negative, right / len(order))


def _posterior(shares: Floats, values: Ints, sizes: Ints, width: int) -> Any:
    """What is believed of every record of some classes, which lie together."""
    starts = np.append(0, np.cumsum(sizes)[:-1])
    number = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.bincount(number * width + values, minlength=len(sizes) * width).reshape(-1, width)
    of_class = np.add.reduceat(shares, starts, axis=0) / sizes[:, np.newaxis]
    likelihood = np.divide(counts, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    weights = shares * likelihood[number]
    total = weights.sum(axis=1, keepdims=True)
    even = counts[number] / sizes[number][:, np.newaxis]  # the population rules everything out: the counts
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), even)
