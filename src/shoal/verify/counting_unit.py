"""What a verdict counts: rows, each as a person, which the policy may say although identifiers repeat."""

from dataclasses import replace

from shoal.policy.model.people import EVERY_ROW_A_PERSON
from shoal.policy.model.policy import Policy
from shoal.verify.verdict import Verdict


def with_counting_unit(verdicts: list[Verdict], policy: Policy) -> list[Verdict]:
    """Verdicts that say so where the policy does."""
    if policy.rows != "people":
        return verdicts
    said = f"{EVERY_ROW_A_PERSON[0].upper()}{EVERY_ROW_A_PERSON[1:]}."
    return [replace(verdict, notes=(*verdict.notes, said)) for verdict in verdicts]
