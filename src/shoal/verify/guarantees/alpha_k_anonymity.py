"""(alpha, k)-anonymity (Wong et al., KDD 2006): k-anonymous, and no sensitive value has a share above alpha.

A suppressed sensitive cell may be any value, so it counts for the most frequent one.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.attackers import Attacker, classes_of
from shoal.verify.cells.cell_codes import STARRED, cell_codes
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.k_anonymity import (
    KAnonymityMeasure,
    measure_k_anonymity,
    verdict_k_anonymity,
)
from shoal.verify.verdict import Verdict


@dataclass(frozen=True)
class AlphaKAnonymityMeasure:
    """What k-anonymity is about, and the largest share of a sensitive value in a class."""

    alike: KAnonymityMeasure
    largest: Fraction

    def joined(self, other: "AlphaKAnonymityMeasure") -> "AlphaKAnonymityMeasure":
        return AlphaKAnonymityMeasure(self.alike.joined(other.alike), max(self.largest, other.largest))


def measure_alpha_k_anonymity(
    published: PublishedTable, asked: AlphaKAnonymity, policy: Policy, attacker: Attacker, hidden: bool
) -> AlphaKAnonymityMeasure:
    """Measure the classes that lie in this part; ``hidden`` says whether the table has hidden quasi cells."""
    alike = measure_k_anonymity(published, KAnonymity(k=asked.k), policy, attacker, hidden)
    shares = (largest_share(published, asked, policy, name) for name in policy.having("sensitive"))
    return AlphaKAnonymityMeasure(alike, max(shares))


def verdict_alpha_k_anonymity(
    asked: AlphaKAnonymity, policy: Policy, found: AlphaKAnonymityMeasure
) -> Verdict:
    """Judge by the smallest class and by the largest share of one sensitive value."""
    alike, largest = verdict_k_anonymity(KAnonymity(k=asked.k), policy, found.alike), found.largest
    share = (
        f"the most frequent sensitive value of a class makes up {float(largest):.4g} of it "
        f"({float(asked.alpha):.4g} were allowed)"
    )
    return replace(
        alike,
        kind=asked.kind,
        holds=alike.holds and largest <= Fraction(asked.alpha),
        asked=asked.model_dump(mode="json", exclude={"kind"}),
        achieved={**alike.achieved, "alpha": float(largest)},
        sentence=f"{alike.sentence[:-1]}; {share}.",
    )


def largest_share(published: PublishedTable, asked: AlphaKAnonymity, policy: Policy, name: str) -> Fraction:
    """The largest share that any value of a sensitive column has in any class."""
    classes = classes_of(published, KAnonymity(k=asked.k), policy)
    cells = cell_codes(published, name)
    starred = cells.hidden == STARRED
    sizes = np.bincount(classes)
    stars = np.bincount(classes, starred).astype(np.int64)
    values = class_numbers([cells.codes])
    most = np.zeros(len(sizes), np.int64)
    width = int(values.max()) + 1
    pairs, counts = np.unique((classes * width + values)[~starred], return_counts=True)
    np.maximum.at(most, pairs // width, counts)
    total = most + stars
    worst = int(np.argmax(total / sizes))
    return Fraction(int(total[worst]), int(sizes[worst]))
