"""Risk against the population that a table is a sample of: counted, or estimated by weights or its size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.attack.risk_figures import head_count, people_per_class
from shoal.errors import ShoalError, nearest
from shoal.policy.model.policy import Policy
from shoal.risk.superpopulation import chance_of_unique, expected_inverse
from shoal.table.table import Table
from shoal.verify.cells.published_table import Published

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Source = Literal["table", "weights", "size"]


@dataclass(frozen=True)
class Chances:
    """Of being found, over the records: the largest, the mean, and how many lie above the threshold."""

    largest: float
    mean: float
    at_risk: int
    share: float

    @classmethod
    def of(cls, chance: Floats, sizes: Ints, threshold: float) -> "Chances":
        """From the chance in every class, and how many records it has."""
        records = int(sizes.sum())
        at_risk = int(sizes[chance > threshold].sum())
        mean = float((chance * sizes).sum() / records)
        return cls(float(chance.max()), mean, at_risk, at_risk / records)


@dataclass(frozen=True)
class InPopulation:
    """The same against the population. ``unique`` is how many records are alone there too, by each model;
    ``outside`` how many have classes for which the given population has fewer people than the table."""

    source: Source
    people: float
    chances: Chances
    unique: Mapping[str, float]
    outside: int = 0


def in_population(
    published: Published,
    policy: Policy,
    classes: Ints,
    population: Table | None,
    weights: str | Floats | None,
    population_size: int | None,
    threshold: float,
) -> InPopulation | None:
    """By the first of the three that is given; None without any."""
    sizes = np.bincount(classes)
    if population is not None and not policy.averages:
        people = people_per_class(published, classes, population, policy)
        return _counted(sizes, people, head_count(population, policy), threshold)
    if weights is not None:
        return _weighted(sizes, classes, _weights(published, weights), threshold)
    if population is not None:  # a mean does not tell whom it stands for
        population_size = head_count(population, policy)
    return None if population_size is None else _sized(sizes, population_size, threshold)


def _counted(sizes: Ints, people: Ints, total: int, threshold: float) -> InPopulation:
    known = np.maximum(people, sizes)
    return InPopulation(
        source="table",
        people=total,
        chances=Chances.of(1 / known, sizes, threshold),
        unique={"exact": float((known == 1).sum())},
        outside=int(sizes[people < sizes].sum()),
    )


def _weights(published: Published, weights: str | Floats) -> Floats:
    if isinstance(weights, str):
        if weights not in published.table.names:
            raise ShoalError(
                f"the table has no column {weights!r} of weights",
                nearest(weights, published.table.names, "it"),
            )
        numbers = published.table.numbers(weights)
        missing, given = numbers.missing, numbers.units / 10.0**numbers.scale
    else:
        given = np.asarray(weights, np.float64)
        missing = ~np.isfinite(given)
    if len(given) != len(published):
        raise ShoalError("there is not one weight for every record", "give one number for each.")
    if missing.any():
        what = f"{int(missing.sum()):,} of {len(given):,} weights are missing"
        raise ShoalError(what, "every record needs the number of people that it stands for.")
    if (given < 1).any():
        raise ShoalError(
            f"{int((given < 1).sum()):,} of {len(given):,} weights are below 1",
            "a weight is the number of people that a record stands for, itself included; if yours were "
            "scaled to a mean of 1, multiply them by the size of the population / the number of records.",
        )
    return given


def _weighted(sizes: Ints, classes: Ints, weights: Floats, threshold: float) -> InPopulation:
    people = np.bincount(classes, weights=weights)
    share = np.minimum(sizes / people, 1.0)
    total = float(weights.sum())
    alone = {"benedetti-franconi": float(share[sizes == 1].sum())}
    return InPopulation(
        source="weights",
        people=total,
        chances=Chances.of(expected_inverse(sizes, share), sizes, threshold),
        unique=alone | _unique_by_sizes(sizes, round(total)),
    )


def _sized(sizes: Ints, population_size: int, threshold: float) -> InPopulation:
    records = int(sizes.sum())
    if population_size < records:
        raise ShoalError(
            f"a population of {population_size:,} is smaller than the table, which has {records:,} records",
            "give the number of people that the table is a sample of.",
        )
    chance = expected_inverse(sizes, np.full(len(sizes), records / population_size))
    unique = _unique_by_sizes(sizes, population_size)
    alone = sizes == 1
    if alone.any():  # the mean of 1 / F is no less than the share that have F = 1
        chance[alone] = np.maximum(chance[alone], next(iter(unique.values())) / alone.sum())
    return InPopulation("size", population_size, Chances.of(chance, sizes, threshold), unique)


def _unique_by_sizes(sizes: Ints, people: int) -> dict[str, float]:
    chance, model = chance_of_unique(sizes, people)
    return {model: chance * int((sizes == 1).sum())}
