"""What may be promised of sensitive columns: l-diversity, where their values allow it at a fair price."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from shoal.table.columns.categories import categories_of
from shoal.table.profile.profile import Profile
from shoal.table.table import Table

L = 3
MANY = 2_000  # different values
RARE = 0.05  # of the records have another value than the most frequent one


@dataclass(frozen=True)
class DiversityProposal:
    """So many different values in every class; ``off`` says why it is a comment."""

    l: int
    off: str = ""


def propose_diversity(table: Table, found: Profile) -> dict[str, DiversityProposal]:
    """A proposal for every sensitive column."""
    names = [column.name for column in found.columns if column.guess == "sensitive"]
    return {name: _of_counts(_shares(table, name)) for name in names}


def _shares(table: Table, name: str) -> list[float]:
    """The share of each value, the most frequent first."""
    try:
        counts: Mapping[str | None, int] = categories_of(table.encoded(name)).word_counts()
    except pa.ArrowException:
        return []
    total = sum(counts.values()) or 1
    return sorted((count / total for count in counts.values()), reverse=True)


def _of_counts(shares: list[float]) -> DiversityProposal:
    """
    >>> _of_counts([0.5, 0.3, 0.2]), _of_counts([0.6, 0.4]).l, _of_counts([1.0]).off
    (DiversityProposal(l=3, off=''), 2, 'all records have the same value')
    """
    if len(shares) < 2:
        return DiversityProposal(2, "all records have the same value")
    if len(shares) > MANY:
        return DiversityProposal(2, "so many have a value of their own that classes differ")
    if 1 - shares[0] < RARE:
        rare = f"{1 - shares[0]:.1%}".replace("%", " %")
        return DiversityProposal(2, f"only {rare} of the records have another value than most")
    return DiversityProposal(L if 1 - shares[0] - shares[1] >= RARE else 2)
