"""The classic figures of re-identification: prosecutor, journalist, marketer, uniqueness.

They are about somebody who knows all quasi values of a person. The prosecutor knows that the person is in the
table: a class of f records is hit once in f times. The journalist does not, and counts the F people of the
population that the class may stand for. The marketer wants many people, not one: the mean of either.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.attack.population import head_count, people_per_class
from shoal.attack.superpopulation import chance_of_unique, expected_inverse
from shoal.errors import ShoalError, nearest
from shoal.policy.guarantee import AlphaKAnonymity, KAnonymity, KpqrAnonymity
from shoal.policy.policy import Policy
from shoal.table.table import Table
from shoal.verify.attackers import classes_of
from shoal.verify.cells import Published

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
THRESHOLD = 0.09
Source = Literal["table", "weights", "size"]
ESTIMATES = ("benedetti-franconi", "pitman", "zayatz", "worst case")
MODELS = {
    "exact": "counted in the given population",
    "census": "the table is the whole population",
    "worst case": "at worst: where all records are alone, they tell nothing about the population",
    "benedetti-franconi": "by the weights, after Benedetti and Franconi",
    "pitman": "by the sizes of the classes, after Pitman",
    "zayatz": "by the sizes of the classes, after Zayatz",
}


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


@dataclass(frozen=True)
class Risk:
    """``promised`` says whether the policy promises anything against somebody who knows all quasi values."""

    records: int
    classes: int
    smallest_class: int
    unique: int
    threshold: float
    prosecutor: Chances
    promised: bool
    permuted: bool = False
    population: InPopulation | None = None

    @property
    def marketer(self) -> float:
        """The share of all records that a match of all of them gets right: classes / records."""
        return self.classes / self.records

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        found = asdict(self) | {"unique_share": self.unique / self.records, "marketer": self.marketer}
        if self.population is not None:
            found["population"] |= {"unique": dict(self.population.unique)}
        return found

    def sentences(self) -> list[str]:
        """The figures in plain English."""
        found = [
            *self._about_promise(),
            self._about_prosecutor(),
            self._about_uniques(),
            self._about_marketer(),
        ]
        return found if self.population is None else [*found, *_about(self.population, self.threshold)]

    def _about_promise(self) -> list[str]:
        if self.permuted:
            return [
                "Quasi values are published exactly by design, so records can be found by them; what is "
                "protected is which sensitive value of a group belongs to whom."
            ]
        if not self.promised:
            return [
                "These figures are about somebody who knows all quasi values of a person; the policy "
                "promises nothing against that, only against those whom it names."
            ]
        return []

    def _about_prosecutor(self) -> str:
        return (
            "Somebody who knows that a person is in the table finds the right record with a chance of at "
            f"most {shown(self.prosecutor.largest)} ({shown(self.prosecutor.mean)} on average); it is above "
            f"{shown(self.threshold)} for {self.prosecutor.at_risk:,} of {self.records:,} records."
        )

    def _about_uniques(self) -> str:
        if not self.unique:
            return (
                f"No record is alone with its quasi values; the smallest class has {self.smallest_class:,}."
            )
        share = 100 * self.unique / self.records
        return f"{self.unique:,} records ({share:.3g} %) are alone in the table with their quasi values."

    def _about_marketer(self) -> str:
        return f"Matching everybody gets {shown(self.marketer)} of all records right, by chance."


def shown(chance: float) -> str:
    """Three digits that matter; never down to nothing.

    >>> shown(1 / 11), shown(1.0), shown(0.00001234)
    ('0.0909', '1', '1.23e-05')
    """
    return f"{chance:.3g}"


def _amount(number: float) -> str:
    """
    >>> _amount(12345.6), _amount(0.0314), _amount(7.0)
    ('12,346', '0.031', '7')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def _about(found: InPopulation, threshold: float) -> list[str]:
    chances = found.chances
    sentences = [
        f"Somebody who does not know whether a person, one of {round(found.people):,}, is in the table "
        f"finds the right record with a chance of at most {shown(chances.largest)} ({shown(chances.mean)} on "
        f"average, which is also the share of everybody matched); above {shown(threshold)} for "
        f"{chances.at_risk:,} records."
    ]
    sentences += [
        f"{'About ' if model in ESTIMATES else ''}{_amount(number)} records are alone in the population too "
        f"({MODELS[model]})."
        for model, number in found.unique.items()
    ]
    if found.outside:
        sentences.append(
            f"For the classes of {found.outside:,} records the given population has fewer people than the "
            "table has records; the table's own counts were used there."
        )
    return sentences


def risk_figures(
    published: Published,
    policy: Policy,
    *,
    population: Table | None = None,
    weights: str | Floats | None = None,
    population_size: int | None = None,
    threshold: float = THRESHOLD,
) -> Risk:
    """The figures of a published table, or of a raw one. The population is a table of it, or the weights of
    the records (a column's name, or one number each), or its size; the first of these that is given counts.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> found = risk_figures(Published(Table(pa.table({"age": [30, 30, 41]}))), policy)
    >>> found.prosecutor.largest, round(found.marketer, 4), found.unique
    (1.0, 0.6667, 1)
    """
    if not 0 < threshold <= 1:
        raise ShoalError("the threshold of a risk lies above 0 and is at most 1", "0.09 is the usual one.")
    if not len(published):
        raise ShoalError("the table has no records", "give a table with rows.")
    classes = classes_of(published, KAnonymity(k=2), policy)
    sizes = np.bincount(classes)
    return Risk(
        records=len(classes),
        classes=len(sizes),
        smallest_class=int(sizes.min()),
        unique=int((sizes == 1).sum()),
        threshold=threshold,
        prosecutor=Chances.of(1 / sizes, sizes, threshold),
        promised=promises_classes(policy),
        permuted=policy.permutes,
        population=_in_population(
            published, policy, classes, population, weights, population_size, threshold
        ),
    )


def promises_classes(policy: Policy) -> bool:
    """Does it promise classes of identical quasi cells, in which a star is a value of its own?"""
    return any(
        isinstance(asked, AlphaKAnonymity | KpqrAnonymity)
        or (isinstance(asked, KAnonymity) and asked.stars == "own")
        for asked in policy.guarantees
    )


def _in_population(
    published: Published,
    policy: Policy,
    classes: Ints,
    population: Table | None,
    weights: str | Floats | None,
    population_size: int | None,
    threshold: float,
) -> InPopulation | None:
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
