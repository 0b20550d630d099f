"""What a release in labels loses, node by node, and what its recipient should know of it."""

from collections.abc import Callable
from math import isinf

import numpy as np

from shoal.anonymizer.anonymized_table import NodeReport, ReleaseFigures
from shoal.anonymizer.leaf_matrix import LeafMatrix
from shoal.anonymizer.levels.label_loss import label_losses
from shoal.anonymizer.levels.level_search import classes_at, distance_to_best
from shoal.anonymizer.registry import SearchResult
from shoal.arrays import Bools, Floats, SmallInts
from shoal.methods.levels.lattice import Lattice, LatticeNode
from shoal.policy.model.policy import Policy


def level_figures(
    policy: Policy,
    labelled: LeafMatrix,
    lattice: Lattice,
    found: SearchResult,
    records: int,
    method: str,
    why: str,
    staying: Callable[[LatticeNode, Bools], list[Floats]] | None = None,
) -> ReleaseFigures:
    """Figures of the release that the first node gives. ``staying`` counts the leaves that are left at a
    node, where rows do not tell."""
    gone = records - len(labelled)
    reports, sizes = [], []
    for node in found.nodes:
        kept, classes = classes_at(lattice, node)
        sizes.append(_sizes(labelled, kept, classes))
        leaves = labelled.staying(kept) if staying is None else staying(node, kept)
        loss = label_losses(labelled, node.levels, leaves, sizes[-1], gone)
        levels = dict(zip(labelled.names, node.levels, strict=True))
        reports.append(NodeReport(levels, node.suppressed + gone, loss))
    node = found.nodes[0]
    return ReleaseFigures(
        classes=len(sizes[0]),
        suppressed=records - int(sizes[0].sum()),
        method=method,
        why=why,
        loss=reports[0].loss,
        exact_cells=float(np.mean([level == 0 for level in node.levels])),
        paid=_paid(labelled, node),
        nodes=tuple(reports),
        gap=None if found.gap is None or isinf(found.gap) else found.gap,
        notes=(
            _levels_note(labelled, node),
            *_nothing_left(labelled, node),
            *_gap_notes(found),
            *_others_note(found, policy),
        ),
    )


def _sizes(labelled: LeafMatrix, kept: Bools, classes: SmallInts) -> Floats:
    """Sizes of the classes that stay, in records."""
    sizes = np.bincount(classes[kept], labelled.counts[kept]).astype(float)
    return sizes[sizes > 0]


def _gap_notes(found: SearchResult) -> list[str]:
    ended = "the search ended at its time limit"
    if found.undecided:
        ended = "not every choice of classes to leave out was tried"
    if found.gap is None:
        return [f"{ended}: another combination of levels may do as well or better"] if found.undecided else []
    if found.gap == 0:
        return ["proved best: no allowed combination of levels loses less"]
    if isinf(found.gap):
        return [f"{ended}, and how far the loss is from the least is not known"]
    return [f"{ended}: the loss is {distance_to_best(found.gap)}"]


def _nothing_left(labelled: LeafMatrix, node: LatticeNode) -> list[str]:
    columns = zip(labelled.names, labelled.hierarchies, node.levels, strict=True)
    tops = [name for name, hierarchy, level in columns if level == hierarchy.height > 0]
    return [f"nothing is left of {', '.join(tops)}: every cell is *"] if tops else []


def _others_note(found: SearchResult, policy: Policy) -> list[str]:
    if len(found.nodes) == 1:
        return []
    known = "minimal generalizations that were found" if found.undecided else "minimal generalizations"
    return [
        f"the one with the least {policy.method.objective} of {len(found.nodes):,} {known}, all of which "
        "--nodes lists"
    ]


def _levels_note(labelled: LeafMatrix, node: LatticeNode) -> str:
    heights = [hierarchy.height for hierarchy in labelled.hierarchies]
    told = [f"{name} {level} of {top}"
            for name, level, top in zip(labelled.names, node.levels, heights, strict=True)]  # fmt: skip
    return f"levels: {', '.join(told)}"


def _paid(labelled: LeafMatrix, node: LatticeNode) -> dict[str, float]:
    losses = {
        name: float(labelled.frequencies(at) @ hierarchy.losses(level)[hierarchy.levels[level].group_of])
        for at, (name, hierarchy, level) in enumerate(
            zip(labelled.names, labelled.hierarchies, node.levels, strict=True)
        )
    }
    total = sum(losses.values())
    return {name: loss / total if total else 0.0 for name, loss in losses.items()}
