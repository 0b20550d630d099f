"""How much a release of ranges blurs: the normalized certainty penalty (NCP), two ways.

The NCP of a cell is the width of its range as a share of a domain, 0 for an exact value and 1 for a
suppressed one. ``ncp`` measures every column by one common domain, as the paper does, ``ncp_range``
each column by its own. Domains declared in the policy take the place of the data's.

In a column of words, a set of m out of n has the width m - 1 in a domain of n - 1. With such a column
there is no common domain, and both figures are the same.
"""

import numpy as np

from shoal.anonymizer.fit import QuasiMatrix
from shoal.arrays import Floats
from shoal.methods.ranges import column_ends
from shoal.policy.model.policy import Policy


def range_losses(
    fitted: QuasiMatrix, policy: Policy, widths: Floats, suppressed: int, staying: int | None = None
) -> dict[str, float]:
    """Mean NCP over all quasi cells of the input, from the widths summed per column. ``staying`` is how many
    records there are where ``fitted`` has not all of them."""
    units = 10.0 ** np.array(fitted.scales)
    rows = (len(fitted) if staying is None else staying) + suppressed
    low, high = domains(fitted, policy)
    common = float((high.max() - low.min()) or 1.0)
    own = np.where(high > low, high - low, 1.0)
    gone = suppressed * len(units)
    cells = rows * len(units)
    by_range = float(((widths / units / own).sum() + gone) / cells)
    return {
        "ncp": by_range if fitted.categories else float(((widths / units).sum() / common + gone) / cells),
        "ncp_range": by_range,
    }


def range_loss_shares(fitted: QuasiMatrix, policy: Policy, widths: Floats) -> dict[str, float]:
    """The share of the loss that each column carries, under the policy's objective. Weights steer the search;
    what is lost counts alike."""
    costs = widths * _width_shares(fitted, policy)
    total = float(costs.sum())
    return {name: float(cost / total) if total else 0.0
            for name, cost in zip(fitted.names, costs, strict=True)}  # fmt: skip


def width_costs(fitted: QuasiMatrix, policy: Policy) -> Floats:
    """What one unit of a column's width costs under the policy's objective and weights."""
    weights = np.array([policy.method.weights.get(name, 1.0) for name in fitted.names])
    return np.asarray(weights * _width_shares(fitted, policy))


def _width_shares(fitted: QuasiMatrix, policy: Policy) -> Floats:
    """One unit of a column's width in the loss that the objective names, up to a factor."""
    units = 10.0 ** np.array(fitted.scales)
    if policy.method.objective == "ncp_range" or fitted.categories:
        low, high = domains(fitted, policy)
        return np.asarray(1 / units / np.where(high > low, high - low, 1.0))
    return np.asarray(1 / units)


def domains(fitted: QuasiMatrix, policy: Policy) -> tuple[Floats, Floats]:
    """The limits of every quasi column: the declared ones, else the smallest and largest value."""
    units = 10.0 ** np.array(fitted.scales)
    smallest, largest = column_ends(fitted.values)
    low, high = smallest / units, largest / units
    for at, name in enumerate(fitted.names):
        if name in policy.domains:
            low[at], high[at] = (float(end) for end in policy.domains[name])
    return low, high
