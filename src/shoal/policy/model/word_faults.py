"""What cannot be asked of a column that [types] says is one of words."""

from typing import TYPE_CHECKING

from shoal.errors import Fault
from shoal.policy.model.guarantee import KeAnonymity, KfAnonymity

if TYPE_CHECKING:
    from shoal.policy.model.policy import Policy


def word_faults(policy: "Policy") -> list[Fault]:
    """Sums, distances, widths and zeros are of numbers."""
    hint = 'give it the kind "number", or leave it out of [types]; numbers are not cut in [prepare].'
    return [
        Fault(f"{name!r} holds words by [types] or [prepare], and {why}", hint)
        for name in policy.columns
        if policy.of_words(name)
        for why in _reasons(policy, name)
    ]


def _reasons(policy: "Policy", name: str) -> list[str]:
    reasons = []
    for place, asked in enumerate(policy.guarantees, 1):
        if isinstance(asked, KfAnonymity | KeAnonymity) and name in asked.columns:
            reasons.append(f"guarantee {place} needs its numbers")
    if name in policy.hierarchies and policy.hierarchies[name].intervals is not None:
        reasons.append("[hierarchies] makes intervals of it")
    if policy.missing_counts.get(name) == "zero":
        reasons.append("[missing] counts its missing cells as zero")
    return reasons
