"""What each quasi column loses, read from the published cells alone.

Of generalized columns this is the normalized certainty penalty (NCP), the mean over all original records: the
width of a range as a share of the column's domain, (m - 1) / (n - 1) for a set or label of m out of n words,
1 for a star and for a record that was left out. The mean over the columns is the release's ``ncp_range``.
Class means show no ranges; there it is the share of a numeric column's variance that is gone, which is its
SSE / SST.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from shoal.table.columns.same_value import value_of
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.numeric_pair import NumericPair
from shoal.utility.word_pair import WordPair, leaves_below, word_pair


@dataclass(frozen=True)
class ColumnLoss:
    """Shares from 0 to 1: of the column's information that is lost, and of its published cells."""

    column: str
    measure: Literal["ncp", "variance"]
    loss: float | None  # None of class modes, which have no ranges and no variance
    exact: float | None  # cells that stand for one value only; None of class means
    stars: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def public(self) -> dict[str, Any]:
        """The same: none of it is a value of the original."""
        return self.as_dict()


def column_losses(pairs: ColumnPairs) -> tuple[ColumnLoss, ...]:
    """Losses of the quasi columns whose cells can be read, in the policy's order."""
    measure = _variance_loss if pairs.policy.averages else _penalty
    found = ((name, _as_generalized(pairs, name)) for name in pairs.quasi)
    return tuple(measure(name, pair, pairs) for name, pair in found if pair is not None)


def _as_generalized(pairs: ColumnPairs, name: str) -> NumericPair | WordPair | None:
    """Numbers and dates lose as words do, if labels of a hierarchy or sets are what was published of them."""
    pair, table = pairs[name], pairs.published.table
    if (
        pairs.policy.averages
        or not isinstance(pair, NumericPair)
        or pa.types.is_struct(table.column(name).type)
    ):
        return pair
    if name not in pairs.policy.hierarchies and not pair.dates:
        return pair
    below = leaves_below(pairs.original, pairs.policy, name)
    cells = [value_of(cell) for cell in table.words(name).words]
    sets = [bool(cell) and str(cell).startswith("{") for cell in cells]
    labels = bool(below) and all(one or cell in below for one, cell in zip(sets, cells, strict=True))
    if labels or (pair.dates and any(sets)):
        return word_pair(pairs.original, table, pairs.policy, name)
    return pair


def _penalty(name: str, pair: NumericPair | WordPair, pairs: ColumnPairs) -> ColumnLoss:
    if isinstance(pair, NumericPair):
        span = pair.domain[1] - pair.domain[0] or 1.0
        lost = np.where(pair.starred, 1.0, (pair.high - pair.low) / span)
        exact, starred = (pair.low == pair.high) & ~pair.starred, pair.starred
    else:
        by_label = np.where(pair.stars, 1.0, (pair.sizes - 1) / max(pair.leaves - 1, 1))
        lost, starred = by_label[pair.after], pair.stars[pair.after]
        exact = ((pair.sizes == 1) & ~pair.stars)[pair.after]
    records = len(lost) + pairs.suppressed
    return ColumnLoss(
        name,
        "ncp",
        float((lost.sum() + pairs.suppressed) / records) if records else None,
        _share(exact),
        _share(starred),
    )


def _share(cells: Any) -> float:
    return float(cells.mean()) if len(cells) else 0.0


def _variance_loss(name: str, pair: NumericPair | WordPair, pairs: ColumnPairs) -> ColumnLoss:  # noqa: ARG001
    if isinstance(pair, WordPair):
        return ColumnLoss(name, "variance", None, None, _share(pair.stars[pair.after]))
    shown = pair.known_ranges()[0]
    before = float(pair.known_values().var())
    after = float(shown.var()) if len(shown) else 0.0
    lost = 1 - after / before if before else 0.0
    return ColumnLoss(name, "variance", min(max(lost, 0.0), 1.0), None, _share(pair.starred))
