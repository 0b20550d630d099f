"""Risk against the population that a table is a sample of: counted, or estimated by weights or its size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.errors import ShoalError
from shoal.risk.superpopulation import chance_of_unique, expected_inverse

PopulationSource = Literal["table", "weights", "size"]


@dataclass(frozen=True)
class Chances:
    """Chances of being found, over the records: the largest, the mean, and how many lie above the
    threshold."""

    largest: float
    mean: float
    at_risk: int
    share: float

    @classmethod
    def of(cls, chance: Floats, sizes: Ints, threshold: float) -> "Chances":
        """Chances from that in every class, and how many records it has."""
        records = int(sizes.sum())
        at_risk = int(sizes[chance > threshold].sum())
        mean = float((chance * sizes).sum() / records)
        return cls(float(chance.max()), mean, at_risk, at_risk / records)


@dataclass(frozen=True)
class PopulationRisk:
    """The same against the population. ``unique`` is how many records are alone there too, by each model;
    ``outside`` how many have classes for which the given population has fewer people than the table."""

    source: PopulationSource
    people: float
    chances: Chances
    unique: Mapping[str, float]
    outside: int = 0


def counted_risk(sizes: Ints, people: Ints, total: int, threshold: float) -> PopulationRisk:
    """The risk where the people that each class may stand for were counted in a table of the population."""
    known = np.maximum(people, sizes)
    return PopulationRisk(
        source="table",
        people=total,
        chances=Chances.of(1 / known, sizes, threshold),
        unique={"exact": float((known == 1).sum())},
        outside=int(sizes[people < sizes].sum()),
    )


def weighted_risk(sizes: Ints, classes: Ints, weights: Floats, threshold: float) -> PopulationRisk:
    """The risk where every record says how many people it stands for."""
    people = np.bincount(classes, weights=weights)
    share = np.minimum(sizes / people, 1.0)
    total = float(weights.sum())
    alone = {"benedetti-franconi": float(share[sizes == 1].sum())}
    return PopulationRisk(
        source="weights",
        people=total,
        chances=Chances.of(expected_inverse(sizes, share), sizes, threshold),
        unique=alone | _unique_by_sizes(sizes, round(total)),
    )


def sized_risk(sizes: Ints, population_size: int, threshold: float) -> PopulationRisk:
    """The risk where nothing is known but how many people there are."""
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
    return PopulationRisk("size", population_size, Chances.of(chance, sizes, threshold), unique)


def _unique_by_sizes(sizes: Ints, people: int) -> dict[str, float]:
    chance, model = chance_of_unique(sizes, people)
    return {model: chance * int((sizes == 1).sum())}
