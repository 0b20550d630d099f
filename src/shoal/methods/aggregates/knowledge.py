"""What the attacker knows about a record."""

from dataclasses import dataclass

from shoal.arrays import AnyArray, Ints
from shoal.methods.aggregates.aggregate import Aggregate, WeightedSum


@dataclass(frozen=True)
class Tolerance:
    """The attacker knows f only up to a share d: centred on it, or in any range containing it."""

    share: float
    anywhere: bool = False


@dataclass(frozen=True)
class Knowledge:
    """What the attacker knows of a record: aggregates, and some columns exactly."""

    aggregates: tuple[Aggregate | WeightedSum, ...]
    also: tuple[int, ...] = ()
    names: tuple[str, ...] = ()  # of the aggregates, for messages

    def sums(self) -> tuple[WeightedSum, ...] | None:
        """The aggregates, if all of them add up."""
        found = tuple(f for f in self.aggregates if isinstance(f, WeightedSum))
        return found if len(found) == len(self.aggregates) else None

    def values(self, values: Ints) -> list[AnyArray]:
        """All that is known, a value per row."""
        totals = [
            f.of(values) if isinstance(f, WeightedSum) else f.image(values, values)[0]
            for f in self.aggregates
        ]
        return [*totals, *(values[:, column] for column in self.also)]

    @property
    def one_aggregate(self) -> Aggregate | WeightedSum | None:
        """The aggregate, if nothing but one is known."""
        return self.aggregates[0] if len(self.aggregates) == 1 and not self.also else None
