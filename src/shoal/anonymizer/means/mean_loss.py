"""What a release of class means loses, and what its recipient should know of it."""

from dataclasses import dataclass

import numpy as np

from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.means.mean_columns import AxisColumn, LineColumn, MeanColumns
from shoal.arrays import Floats, Ints
from shoal.policy.model.policy import Policy


def mean_notes(
    policy: Policy, moved: dict[str, bool], records: int, classes: int, suppressed: int
) -> list[str]:
    """What a recipient of means should know: where they are of little use or far from the truth, and that
    preserved totals tell what left. ``moved`` are the quasi columns, and which have means far from it."""
    notes = []
    if classes == 1 and records > 2 * smallest_class(policy):
        notes.append(
            "all records are one class, so every quasi column shows one value: ask for less (a larger t, a "
            'smaller r or p), or for numbers use distance = "ordered"'
        )
    if far := [repr(name) for name, some in moved.items() if some]:
        notes.append(
            f"to keep the totals, some means of {', '.join(far)} lie more than a unit of the last decimal "
            "beside the true ones"
        )
    if suppressed:
        exactly = all(policy.keeps_total(name) for name in moved)
        kept = "exactly" if exactly else "up to rounding"
        notes.append(
            f"{suppressed:,} records were left out, and the means keep the totals of the others {kept}: "
            "whoever knows the totals of all records can tell what those that left add up to"
        )
    return notes


@dataclass(frozen=True)
class Spread:
    """How far the original values of a class lie apart, as shares of each column's span (NCP)."""

    columns: list[AxisColumn]
    policy: Policy
    widths: Floats  # per column, summed over records
    exact: int  # cells in classes whose values are all equal
    rows: int

    @classmethod
    def of(cls, keys: MeanColumns, policy: Policy, class_of: Ints) -> "Spread":
        order = np.argsort(class_of, kind="stable")
        starts = np.flatnonzero(np.diff(class_of[order], prepend=-1))
        sizes = np.bincount(class_of)
        spreads = [column.spreads(class_of, order, starts) for column in keys.columns]
        widths = np.array([float(spread @ sizes) for spread in spreads])
        exact = sum(int(sizes[spread == 0].sum()) for spread in spreads)
        return cls(keys.columns, policy, widths, exact, len(class_of))

    @property
    def by_column(self) -> Floats:
        """Mean over records, as a share of the column's span."""
        spans = np.array([column.span(self.policy) for column in self.columns])
        return np.asarray(self.widths / self.rows / spans)

    @property
    def common(self) -> float:
        """The same for all columns by their common domain, where all are numbers."""
        lines = [column for column in self.columns if isinstance(column, LineColumn) and not column.is_date]
        if len(lines) < len(self.columns):
            return float(self.by_column.mean())
        ends = [column.ends(self.policy) for column in lines]
        widest = max(high for _, high in ends) - min(low for low, _ in ends) or 1.0
        return float((self.widths / self.rows).mean() / widest)

    @property
    def exact_cells(self) -> float:
        return self.exact / (self.rows * len(self.columns))

    def losses(self, suppressed: int) -> dict[str, float]:
        """A record that left has lost everything."""
        share = suppressed / (self.rows + suppressed)
        return {
            "ncp": self.common * (1 - share) + share,
            "ncp_range": float(self.by_column.mean()) * (1 - share) + share,
        }

    def paid(self) -> dict[str, float]:
        shares = self.by_column
        total = float(shares.sum()) or 1.0
        return {column.name: float(share / total)
                for column, share in zip(self.columns, shares, strict=True)}  # fmt: skip
