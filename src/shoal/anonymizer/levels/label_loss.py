"""How much a release of labels loses: one figure per measure, suppressed records included.

- ``ncp``: mean over all cells of (leaves under the label - 1) / (leaves - 1); a suppressed cell is 1.
- ``distortion``: mean level as a share of the highest; ``height``: sum of the levels.
- ``entropy`` (non-uniform): how many bits a label leaves open about its leaf, given how often the leaves
  occur, as a share of what the top leaves open.
- ``discernibility``: sum of squared class sizes, and the number of records for every suppressed one.
- ``average_class``: records per class.
"""

from typing import Any

import numpy as np

from shoal.anonymizer.leaf_matrix import LeafMatrix
from shoal.arrays import Floats
from shoal.methods.levels.lattice import Levels, Scale
from shoal.methods.levels.roll_up import AVERAGE_CLASS, DISCERNIBILITY, SEPARABLE
from shoal.policy.model.policy import Policy

TIE = 1e-3  # of a level: what it costs all columns together that every record is suppressed
OBJECTIVES = {"discernibility": DISCERNIBILITY, "average_class": AVERAGE_CLASS}


def objective_of(policy: Policy) -> int:
    """The number by which the search for levels knows the loss that a policy wants small."""
    return OBJECTIVES.get(policy.method.objective, SEPARABLE)


def scales_of(labelled: LeafMatrix, policy: Policy) -> list[Scale]:
    """What each label costs under the policy's objective and weights. The height is the same for all records,
    left out or not; of equal heights the one that leaves out fewest is better."""
    found = []
    for at, (name, hierarchy) in enumerate(zip(labelled.names, labelled.hierarchies, strict=True)):
        weight = policy.method.weights.get(name, 1.0)
        frequencies = labelled.frequencies(at)
        losses, extra = [], []
        for height, level in enumerate(hierarchy.levels):
            if policy.method.objective == "height":
                losses.append(np.full(len(level.labels), weight * height))
                extra.append(np.full(len(level.labels), TIE / len(labelled.names)))
                continue
            loss, more = _costs(policy.method.objective, hierarchy.losses(height),
                                np.bincount(level.group_of, frequencies, len(level.labels)), frequencies,
                                level.group_of)  # fmt: skip
            losses.append(weight * loss)
            extra.append(weight * more)
        found.append(Scale(tuple(level.group_of for level in hierarchy.levels), tuple(losses), tuple(extra)))
    return found


def _costs(objective: str, ncp: Floats, of_label: Any, of_leaf: Any, group_of: Any) -> tuple[Floats, Floats]:
    """Mean loss of a record under each label of a level, and what suppression adds to it."""
    if objective == "entropy":
        total = of_leaf.sum()
        seen = np.maximum(of_label, 1)
        leaves = np.where(of_leaf > 0, of_leaf * np.log2(seen[group_of] / np.maximum(of_leaf, 1)), 0.0)
        mean = np.bincount(group_of, leaves, len(ncp)) / seen
        return mean, np.log2(total / seen)
    return ncp, 1 - ncp


def label_losses(
    labelled: LeafMatrix, levels: Levels, staying: list[Floats], sizes: Floats, gone: int
) -> dict[str, float]:
    """All measures of a release: how often each leaf of each column stays, and in classes of which sizes;
    ``gone`` records left before the search."""
    rows, columns = len(labelled) + gone, len(levels)
    ncp = entropy = most = 0.0
    for at, hierarchy in enumerate(labelled.hierarchies):
        level, frequencies, stays = hierarchy.levels[levels[at]], labelled.frequencies(at), staying[at]
        ncp += float(stays @ hierarchy.losses(levels[at])[level.group_of])
        of_label = np.bincount(level.group_of, frequencies, len(level.labels))[level.group_of]
        seen = np.maximum(frequencies, 1)
        whole, open_bits = np.log2(len(labelled) / seen), np.log2(np.maximum(of_label, 1) / seen)
        entropy += float(stays @ open_bits + (frequencies - stays) @ whole)
        most += float(frequencies @ whole)
    suppressed = rows - int(sizes.sum())
    heights = [hierarchy.height for hierarchy in labelled.hierarchies]
    return {
        "ncp": (ncp + suppressed * columns) / (rows * columns),
        "ncp_range": (ncp + suppressed * columns) / (rows * columns),
        "distortion": float(
            np.mean([level / top if top else 0.0 for level, top in zip(levels, heights, strict=True)])
        ),
        "height": float(sum(levels)),
        "entropy": entropy / most if most else 0.0,
        "discernibility": float((sizes**2).sum() + suppressed * rows),
        "average_class": float(sizes.mean()) if len(sizes) else 0.0,
    }
