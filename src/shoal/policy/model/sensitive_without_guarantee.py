"""Sensitive columns that no guarantee speaks of."""

from shoal.policy.model.guarantee import (
    AlphaKAnonymity,
    KeAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.model.policy import Policy


def columns_with_guarantee(policy: Policy) -> set[str]:
    """The columns of which some guarantee asks for different values."""
    promised = {
        name
        for asked in policy.guarantees
        if isinstance(asked, LDiversity | TCloseness | KeAnonymity | KpqrAnonymity)
        for name in asked.columns
    }
    if any(isinstance(asked, PSensitivity | AlphaKAnonymity) for asked in policy.guarantees):
        promised |= set(policy.having("sensitive"))
    return promised


def sensitive_without_guarantee(policy: Policy) -> list[str]:
    """Sensitive columns of which a class may have one value alone.

    >>> roles = {"age": "quasi", "illness": "sensitive"}
    >>> sensitive_without_guarantee(Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 5}]))
    ['illness']
    """
    promised = columns_with_guarantee(policy)
    return [name for name in policy.having("sensitive") if name not in promised]
