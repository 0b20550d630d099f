"""The classic figures of re-identification: prosecutor, journalist, marketer, uniqueness.

They are about somebody who knows all quasi values of a person. The prosecutor knows that the person is in the
table: a class of f records is hit once in f times. The journalist does not, and counts the F people of the
population that the class may stand for. The marketer wants many people, not one: the mean of either.
"""

from dataclasses import asdict, dataclass
from typing import Any

from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity, KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.risk.population_risk import Chances, PopulationRisk

THRESHOLD = 0.09
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
    population: PopulationRisk | None = None

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
            f"most {three_digits(self.prosecutor.largest)} ({three_digits(self.prosecutor.mean)} on "
            f"average); it is above {three_digits(self.threshold)} for {self.prosecutor.at_risk:,} of "
            f"{self.records:,} records. (Records "
            "count as alike if they show exactly the same; where ranges overlap, more of them fit a person.)"
        )

    def _about_uniques(self) -> str:
        if not self.unique:
            return (
                f"No record is alone with its quasi values; the smallest class has {self.smallest_class:,}."
            )
        share = f"{100 * self.unique / self.records:.3g} %"
        alone = "record is" if self.unique == 1 else "records are"
        return f"{self.unique:,} {alone} alone in the table with those quasi values ({share})."

    def _about_marketer(self) -> str:
        return f"Matching everybody by these values gets {100 * self.marketer:.3g} % of all records right."


def three_digits(chance: float) -> str:
    """Three digits that matter; never down to nothing.

    >>> three_digits(1 / 11), three_digits(1.0), three_digits(0.00001234)
    ('0.0909', '1', '1.23e-05')
    """
    return f"{chance:.3g}"


def _amount(number: float) -> str:
    """
    >>> _amount(12345.6), _amount(99.7), _amount(0.0314), _amount(7.0)
    ('12,346', '100', '0.031', '7')
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _about(found: PopulationRisk, threshold: float) -> list[str]:
    chances = found.chances
    sentences = [
        f"Somebody who does not know whether a person, one of {round(found.people):,}, is in the table "
        f"finds the right record with a chance of at most {three_digits(chances.largest)} "
        f"({three_digits(chances.mean)} on "
        f"average, which is also the share of everybody matched); above {three_digits(threshold)} for "
        f"{chances.at_risk:,} records."
    ]
    sentences += [
        f"{_amount(number)} {'record is' if number == 1 else 'records are'} "
        f"{'probably ' if model in ESTIMATES else ''}alone in the population too ({MODELS[model]})."
        for model, number in found.unique.items()
    ]
    if found.outside:
        sentences.append(
            f"For the classes of {found.outside:,} records the given population has fewer people than the "
            "table has records; the table's own counts were used there."
        )
    return sentences


def promises_classes(policy: Policy) -> bool:
    """Does it promise classes of identical quasi cells, in which a star is a value of its own?"""
    return any(
        isinstance(asked, AlphaKAnonymity | KpqrAnonymity)
        or (isinstance(asked, KAnonymity) and asked.stars == "own")
        for asked in policy.guarantees
    )
