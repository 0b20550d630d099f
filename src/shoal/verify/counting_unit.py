"""What a verdict counts: rows, each as a person, which the policy may say although identifiers repeat."""

from dataclasses import replace

from shoal.policy.model.people import SAID
from shoal.policy.model.policy import Policy
from shoal.verify.verdict import Verdict


def said_of_rows(verdicts: list[Verdict], policy: Policy) -> list[Verdict]:
    """Verdicts that say so where the policy does."""
    if policy.rows != "people":
        return verdicts
    said = f"{SAID[0].upper()}{SAID[1:]}."
    return [replace(verdict, notes=(*verdict.notes, said)) for verdict in verdicts]
