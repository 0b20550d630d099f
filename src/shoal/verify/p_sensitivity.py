"""p-sensitive k-anonymity (Truta and Vinay, 2006): p different values of every sensitive column per class.

The classes are those of the attackers that the policy states beside it.
"""

from shoal.policy.guarantee import LDiversity, PSensitivity
from shoal.policy.policy import Policy
from shoal.verify.cells import Published
from shoal.verify.l_diversity import verify_l_diversity
from shoal.verify.verdict import Verdict


def verify_p_sensitivity(published: Published, asked: PSensitivity, policy: Policy) -> Verdict:
    found = {
        name: int(
            verify_l_diversity(published, LDiversity(l=asked.p, sensitive=name, alone=True), policy).achieved[
                "l"
            ]
            or 0
        )
        for name in policy.having("sensitive")
    }
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
    )
