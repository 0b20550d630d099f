"""Sensitive columns that no guarantee speaks of."""

from shoal.policy.model.guarantee import AlphaKAnonymity, PSensitivity
from shoal.policy.model.policy import Policy


def kinds_about(policy: Policy, name: str) -> list[str]:
    """The kinds of guarantees that speak of a sensitive column; some speak of all."""
    every = PSensitivity | AlphaKAnonymity
    found = (one for one in policy.guarantees if isinstance(one, every) or name in one.columns)
    return list(dict.fromkeys(one.kind for one in found))


def sensitive_without_guarantee(policy: Policy) -> list[str]:
    """Sensitive columns of which a class may have one value alone.

    >>> roles = {"age": "quasi", "illness": "sensitive"}
    >>> sensitive_without_guarantee(Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 5}]))
    ['illness']
    """
    return [name for name in policy.having("sensitive") if not kinds_about(policy, name)]
