"""How many people of a population each published class admits."""

import numpy as np
from numpy.typing import NDArray

from shoal.attack.attackers.linkage import quasi_fits
from shoal.attack.scene import Scene
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.classes import one_of_each
from shoal.verify.cells.published_table import Published
from shoal.verify.truth.bayes_optimal import COUNT

Ints = NDArray[np.int64]


def people_per_class(published: Published, classes: Ints, population: Table, policy: Policy) -> Ints:
    """For every class, in the order of their numbers, how many people of the population it may stand for."""
    quasi = policy.having("quasi")
    if absent := [name for name in quasi if name not in population.names]:
        raise ShoalError(
            [
                Fault(f"the population has no column {one!r}", nearest(one, population.names, "it"))
                for one in absent
            ]
        )
    fits = quasi_fits(Scene(Published(population), published, policy), quasi)
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
