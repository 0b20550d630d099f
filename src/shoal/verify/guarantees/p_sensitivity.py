"""p-sensitive k-anonymity (Truta and Vinay, 2006): p different values of every sensitive column per class.

The classes are those of the attackers that the policy states beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.policy.model.guarantee import LDiversity, PSensitivity
from shoal.policy.model.policy import Policy
from shoal.verify.attackers import Attacker
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.l_diversity import (
    LDiversityMeasure,
    measure_l_diversity,
    needs_values,
    verdict_l_diversity,
)
from shoal.verify.verdict import Verdict


@dataclass(frozen=True)
class PSensitivityMeasure:
    """How diverse each sensitive column is on its own."""

    columns: Mapping[str, LDiversityMeasure]

    def joined(self, other: "PSensitivityMeasure") -> "PSensitivityMeasure":
        return PSensitivityMeasure(
            {name: found.joined(other.columns[name]) for name, found in self.columns.items()}
        )


def columns_needing_values(asked: PSensitivity, policy: Policy) -> list[str]:
    """Names of the columns of which all values of the table have to be known."""
    return [name for name in policy.having("sensitive") if needs_values(_alone(asked, name), policy)]


def measure_p_sensitivity(
    published: PublishedTable,
    asked: PSensitivity,
    policy: Policy,
    attacker: Attacker,
    whole: Mapping[str, CellCounts],
) -> PSensitivityMeasure:
    """Measure the classes of an attacker that lie in this part."""
    return PSensitivityMeasure(
        {
            name: measure_l_diversity(published, _alone(asked, name), policy, attacker, whole)
            for name in policy.having("sensitive")
        }
    )


def _alone(asked: PSensitivity, name: str) -> LDiversity:
    return LDiversity(l=asked.p, sensitive=name, alone=True)


def verdict_p_sensitivity(asked: PSensitivity, policy: Policy, variety: PSensitivityMeasure) -> Verdict:
    """Judge by the fewest different values of any sensitive column in a class."""
    verdicts = {
        name: verdict_l_diversity(_alone(asked, name), policy, diversity)
        for name, diversity in variety.columns.items()
    }
    found = {name: int(verdict.achieved["l"] or 0) for name, verdict in verdicts.items()}
    p = min(found.values())
    holds = p >= asked.p
    short = ", ".join(name for name, values in found.items() if values < asked.p)
    return Verdict(
        kind=asked.kind,
        holds=holds,
        asked={"p": asked.p},
        achieved={"p": p},
        sentence=(
            f"In this table every class has at least {p} different values of every sensitive column "
            f"({asked.p} were asked for)."
            if holds
            else f"In this table a class has only {p} different values of {short} ({asked.p} were asked for)."
        ),
        notes=tuple(dict.fromkeys(note for verdict in verdicts.values() for note in verdict.notes)),
    )
