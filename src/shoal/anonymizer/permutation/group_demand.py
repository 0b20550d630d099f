"""What a (k,e) guarantee asks of a group in units of its column, and what is said where none can give it."""

from math import ceil

from shoal.errors import Infeasible
from shoal.methods.permutation.partition import GroupDemand
from shoal.policy.model.guarantee import KeAnonymity

WIDEST = 2**63 - 1


def partition_demand(asked: KeAnonymity, scale: int) -> GroupDemand:
    """The demand in the column's own units; what no column can span is cut off."""
    e, gap = (min(ceil(width * 10**scale), WIDEST) for width in (asked.e, asked.gap or 0))
    return GroupDemand(asked.k, e, max(gap, 1))


def impossible_groups(asked: KeAnonymity, different: int) -> Infeasible:
    """The column has so many different values."""
    hint = "ask for a smaller e" + (", a smaller gap" if asked.gap else "")
    if different < asked.k:
        hint = f"{asked.sensitive!r} has {different:,} different values: ask for a k of at most {different:,}"
    return Infeasible(
        f"the policy asks that {asked.sentence()}; even the whole table as one group fails",
        f"{hint}, or give it another role.",
    )
