"""The figures of re-identification of a table: its classes, and whom of a population each may stand for."""

import numpy as np

from shoal.adversary.attackers.linkage import quasi_matches
from shoal.adversary.scene import Scene
from shoal.arrays import Floats, Ints
from shoal.errors import Fault, ShoalError, nearest
from shoal.kernels.classes import one_of_each
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.risk.population_risk import Chances, PopulationRisk, counted_risk, sized_risk, weighted_risk
from shoal.risk.reidentification import THRESHOLD, Risk, promises_classes
from shoal.table.table import Table
from shoal.verify.attackers import classes_of
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.bayes_optimal import COUNT


def risk_figures(
    published: PublishedTable,
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
    >>> found = risk_figures(PublishedTable(Table(pa.table({"age": [30, 30, 41]}))), policy)
    >>> found.prosecutor.largest, round(found.marketer, 4), found.unique
    (1.0, 0.6667, 1)
    """
    if not 0 < threshold <= 1:
        raise ShoalError("the threshold of a risk lies above 0 and is at most 1", "0.09 is the usual one.")
    if not len(published):
        raise ShoalError("the table has no records", "give a table with rows.")
    names = published.table.names
    if absent := [name for name in policy.having("quasi") if name not in names]:
        raise ShoalError(
            [Fault(f"the table has no column {one!r}", nearest(one, names, "it")) for one in absent]
        )
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
        population=in_population(published, policy, classes, population, weights, population_size, threshold),
    )


def in_population(
    published: PublishedTable,
    policy: Policy,
    classes: Ints,
    population: Table | None,
    weights: str | Floats | None,
    population_size: int | None,
    threshold: float,
) -> PopulationRisk | None:
    """The risk in a population, by the first of the three that is given; None without any."""
    sizes = np.bincount(classes)
    if population is not None and not policy.averages:
        people = people_per_class(published, classes, population, policy)
        return counted_risk(sizes, people, head_count(population, policy), threshold)
    if weights is not None:
        return weighted_risk(sizes, classes, _weights(published, weights), threshold)
    if population is not None:  # a mean does not tell whom it stands for
        population_size = head_count(population, policy)
    return None if population_size is None else sized_risk(sizes, population_size, threshold)


def _weights(published: PublishedTable, weights: str | Floats) -> Floats:
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


def people_per_class(published: PublishedTable, classes: Ints, population: Table, policy: Policy) -> Ints:
    """For every class, in the order of their numbers, how many people of the population it may stand for."""
    quasi = policy.having("quasi")
    if absent := [name for name in quasi if name not in population.names]:
        raise ShoalError(
            [
                Fault(f"the population has no column {one!r}", nearest(one, population.names, "it"))
                for one in absent
            ]
        )
    fits = quasi_matches(Scene(PublishedTable(population), published, policy), quasi)
    per_box = fits.people_per_box(_copies(population, quasi))
    return np.asarray(per_box[fits.box_of[one_of_each(classes)]])


def head_count(population: Table, policy: Policy) -> int:
    """How many people the rows of a population stand for."""
    return int(_copies(population, policy.having("quasi")).sum())


def _copies(population: Table, quasi: list[str]) -> Ints:
    """A column named count says how many people a row stands for."""
    if COUNT not in population.names or COUNT in quasi:
        return np.ones(len(population), np.int64)
    numbers = population.numbers(COUNT)
    if numbers.scale or numbers.missing.any() or (numbers.units < 0).any():
        what = f"column {COUNT!r} of the population is to be whole numbers that are not negative"
        raise ShoalError(what, "give another name to a column that does not count people.")
    return numbers.units
