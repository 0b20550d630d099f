"""The search for levels: every quasi column at one level of its hierarchy, failing classes suppressed.

Whole classes leave, those of equal published quasi cells; no class is split to keep a part of it.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isinf

import numpy as np

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.leaf_matrix import LeafMatrix
from shoal.anonymizer.levels.label_loss import objective_of, scales_of
from shoal.anonymizer.registry import SearchResult
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import AnyArray, Bools, SmallInts
from shoal.errors import Infeasible, NotFound, ShoalError
from shoal.methods.levels.lattice import MOST_LISTED, Lattice, LatticeNode, Levels
from shoal.policy.model.policy import Policy
from shoal.progress import Progress
from shoal.table.table import Table


def lattice_of(table: Table, policy: Policy, labelled: LeafMatrix, records: int) -> Lattice:
    """The lattice of all records; those that are not labelled have left already."""
    may_leave = policy.method.suppression > 0
    diversity = method_diversity(table, policy, labelled.input_rows, may_leave)
    codes: AnyArray = labelled.codes
    scales = scales_of(labelled, policy)
    lows, highs = level_bounds(labelled, policy)
    if any(lows):
        columns = zip(scales, lows, codes.T, strict=True)
        codes = np.column_stack([scale.groups[low][leaves] for scale, low, leaves in columns])
    scales = [scale.below(high).above(low) for scale, low, high in zip(scales, lows, highs, strict=True)]
    k, gone = smallest_class(policy), records - len(labelled)
    return Lattice(codes, scales, k, diversity, objective_of(policy), labelled.counts, gone, lows)


def level_bounds(labelled: LeafMatrix, policy: Policy) -> tuple[Levels, Levels]:
    """The lowest and the highest levels that are searched, by column: those that the policy allows, and none
    below which leaves are not told apart."""
    lows, highs = [], []
    for name, hierarchy, floor in zip(labelled.names, labelled.hierarchies, labelled.floors, strict=True):
        spec = policy.hierarchies.get(name)
        low, high = (0, hierarchy.height) if spec is None else spec.window(hierarchy.height)
        if floor > high:
            what = f"records differ in too many values of {name!r} for levels up to {high} of its hierarchy"
            raise Infeasible(what, "allow a higher level, or work in memory.")
        lows.append(max(low, floor))
        highs.append(high)
    return tuple(lows), tuple(highs)


def search_lattice(
    lattice: Lattice,
    labelled: LeafMatrix,
    policy: Policy,
    choice: Choice,
    records: int,
    on_progress: Progress,
) -> SearchResult:
    """What the method finds; of all records those that are not labelled have left already."""
    limit = policy.method.most_suppressed(records) - (records - len(labelled))
    limit = min(limit, len(labelled) - lattice.k)  # one class has to stay
    found = _run_search(lattice, policy, choice, limit, on_progress)
    above = [replace(node, levels=_added(node.levels, lattice.first)) for node in found.nodes]
    found = replace(found, nodes=above)
    if any(labelled.floors):  # what lies below was not looked at
        found = replace(found, gap=None, complete=found.complete and lattice.prunes(limit))
    if not found.nodes:
        raise _nothing_found(found, choice, policy)
    return found


def classes_at(lattice: Lattice, node: LatticeNode) -> tuple[Bools, SmallInts]:
    """Which rows stay, and the class of every row."""
    below = [-low for low in lattice.first]
    return lattice.classes(replace(node, levels=_added(node.levels, below)))


def _added(levels: Sequence[int], more: Sequence[int]) -> Levels:
    return tuple(level + other for level, other in zip(levels, more, strict=True))


def _run_search(
    lattice: Lattice, policy: Policy, choice: Choice, limit: int, on_progress: Progress
) -> SearchResult:
    if choice.method.lists and lattice.nodes > MOST_LISTED:
        raise ShoalError(
            f"method {choice.method.name!r} looks at every combination of levels, and there are "
            f"{lattice.nodes:,} of them, more than {MOST_LISTED:,}",
            'use name = "optimal" or "datafly", or give the hierarchies fewer levels.',
        )

    def told(share: float, loss: float, bound: float) -> None:
        on_progress(share, "" if isinf(loss) else distance_to_best(loss / bound - 1 if bound > 0 else inf))

    found: SearchResult = choice.method.run(lattice, limit, policy.method.options, told)
    return found


def _nothing_found(found: SearchResult, choice: Choice, policy: Policy) -> Infeasible:
    """What is said depends on what was searched: there is none, or none was found."""
    less = "ask for a smaller k or l, or allow more suppression in [method]"
    if any(spec.highest is not None for spec in policy.hierarchies.values()):
        less = f"{less}, or a higher level (highest) in [hierarchies]"
    if found.complete:
        return Infeasible(
            "no generalization satisfies the policy, whatever the levels and whichever classes are left out",
            f"{less}.",
        )
    name = choice.method.name
    if found.undecided:
        tried = "not every choice of classes to leave out was tried"
    elif name == "optimal":
        tried, less = (
            "not all combinations of levels were tried in the time",
            f"allow more time_limit, or {less}",
        )
    else:
        tried = "not all combinations of levels were tried"
    if name == "datafly":
        less = f'use name = "optimal", or {less}'
    return NotFound(f"{name} found no generalization that satisfies the policy, but {tried}", f"{less}.")


def distance_to_best(gap: float) -> str:
    """How far the best node may be from the best possible one.

    >>> distance_to_best(0.0312), distance_to_best(2.2)
    ('at most 3.1 % above the least possible loss', 'at most 220 % above the least possible loss')
    """
    if gap <= 0:
        return "the least possible loss"
    if isinf(gap):
        return "no bound yet"
    percent = f"{100 * gap:.2g}" if gap < 0.1 else f"{100 * gap:,.0f}"
    return f"at most {percent} % above the least possible loss"
