"""Full-domain recoding: every quasi column at one level of its hierarchy, failing classes suppressed.

Whole classes leave, those of equal published quasi cells; no class is split to keep a part of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import inf, isinf
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized_table import AnonymizedTable, NodeReport, ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.leaf_matrix import LeafMatrix, column_with_zeros, fit_leaves
from shoal.anonymizer.levels.label_loss import label_losses, objective_of, scales_of
from shoal.anonymizer.plan_request import Progress
from shoal.anonymizer.recoding import level_recoding
from shoal.anonymizer.registry import SearchResult
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import AnyArray, Bools, Floats, Ints, SmallInts
from shoal.errors import Infeasible, NotFound, ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.levels.lattice import MOST_LISTED, Lattice, LatticeNode, Levels
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.categories import categories_of
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import fifteen_digits
from shoal.table.columns.word_set import cell_of
from shoal.table.table import Table


def recode_table(
    table: Table, policy: Policy, key: Key, choice: Choice, on_progress: Progress
) -> AnonymizedTable:
    labelled = fit_leaves(table, policy)
    lattice = lattice_of(table, policy, labelled, len(table))
    found = search_lattice(lattice, labelled, policy, choice, len(table), on_progress)
    return lay_out_levels(table, policy, key, labelled, lattice, found, choice.method.name, choice.why)


def lattice_of(table: Table, policy: Policy, labelled: LeafMatrix, records: int) -> Lattice:
    """Of all records those that are not labelled have left already."""
    may_leave = policy.method.suppression > 0
    diversity = method_diversity(table, policy, labelled.input_rows, may_leave)
    codes: AnyArray = labelled.codes
    scales = scales_of(labelled, policy)
    if any(labelled.floors):
        columns = list(zip(scales, labelled.floors, codes.T, strict=True))
        codes = np.column_stack([scale.groups[floor][leaves] for scale, floor, leaves in columns])
        scales = [scale.above(floor) for scale, floor, _ in columns]
    k, gone = smallest_class(policy), records - len(labelled)
    return Lattice(codes, scales, k, diversity, objective_of(policy), labelled.counts, gone)


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
    found = _found(lattice, policy, choice, limit, on_progress)
    if any(labelled.floors):  # what lies below was not looked at
        above = [replace(node, levels=_added(node.levels, labelled.floors)) for node in found.nodes]
        found = replace(found, nodes=above, gap=None, complete=found.complete and lattice.prunes(limit))
    if not found.nodes:
        raise _nothing_found(found, choice)
    return found


def classes_at(lattice: Lattice, labelled: LeafMatrix, node: LatticeNode) -> tuple[Bools, SmallInts]:
    """Which rows stay, and the class of every row."""
    below = [-floor for floor in labelled.floors]
    return lattice.classes(replace(node, levels=_added(node.levels, below)) if below else node)


def _added(levels: Sequence[int], more: Sequence[int]) -> Levels:
    return tuple(level + other for level, other in zip(levels, more, strict=True))


def lay_out_levels(
    table: Table,
    policy: Policy,
    key: Key,
    labelled: LeafMatrix,
    lattice: Lattice,
    found: SearchResult,
    method: str,
    why: str,
) -> AnonymizedTable:
    """The release that the first node gives; the others are reported."""
    node = found.nodes[0]
    kept, classes = classes_at(lattice, labelled, node)
    rows = np.flatnonzero(kept)
    order = rows[np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[labelled.input_rows[rows]])]
    figures = level_figures(policy, labelled, lattice, found, len(table), method, why)
    return AnonymizedTable(
        **{one.name: getattr(figures, one.name) for one in fields(figures)},
        table=_published(table, policy, labelled, node, order),
        input_rows=labelled.input_rows[order],
        class_of=dense_codes([classes[order]]),
        recoding=lambda: level_recoding(policy, method, labelled.hierarchies, node.levels),
    )


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
    """Of the release that the first node gives. ``staying`` counts the leaves that are left at a node, where
    rows do not tell."""
    gone = records - len(labelled)
    reports, sizes = [], []
    for node in found.nodes:
        kept, classes = classes_at(lattice, labelled, node)
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
    """Of the classes that stay, in records."""
    weights = None if labelled.counts is None else labelled.counts[kept]
    sizes = np.bincount(classes[kept], weights).astype(float)
    return sizes[sizes > 0]


def _found(
    lattice: Lattice, policy: Policy, choice: Choice, limit: int, on_progress: Progress
) -> SearchResult:
    if choice.method.lists and lattice.nodes > MOST_LISTED:
        raise ShoalError(
            f"method {choice.method.name!r} looks at every combination of levels, and there are "
            f"{lattice.nodes:,} of them, more than {MOST_LISTED:,}",
            'use name = "optimal" or "datafly", or give the hierarchies fewer levels.',
        )

    def told(share: float, loss: float, bound: float) -> None:
        on_progress(share, "" if isinf(loss) else _standing(loss / bound - 1 if bound > 0 else inf))

    options = policy.method.options
    return choice.method.search(lattice, limit, options, told) if choice.method.search else SearchResult([])


def _nothing_found(found: SearchResult, choice: Choice) -> Infeasible:
    """What is said depends on what was searched: there is none, or none was found."""
    less = "ask for a smaller k or l, or allow more suppression in [method]"
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


def _standing(gap: float) -> str:
    """How far the best node may be from the best possible one.

    >>> _standing(0.0312), _standing(2.2)
    ('at most 3.1 % above the least possible loss', 'at most 220 % above the least possible loss')
    """
    if gap <= 0:
        return "the least possible loss"
    if isinf(gap):
        return "no bound yet"
    percent = f"{100 * gap:.2g}" if gap < 0.1 else f"{100 * gap:,.0f}"
    return f"at most {percent} % above the least possible loss"


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
    return [f"{ended}: the loss is {_standing(found.gap)}"]


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
        name: float(labelled.frequencies(at) @ _leaf_losses(hierarchy, level))
        for at, (name, hierarchy, level) in enumerate(
            zip(labelled.names, labelled.hierarchies, node.levels, strict=True)
        )
    }
    total = sum(losses.values())
    return {name: loss / total if total else 0.0 for name, loss in losses.items()}


def _leaf_losses(hierarchy: Hierarchy, level: int) -> Floats:
    return np.asarray(hierarchy.losses(level)[hierarchy.levels[level].group_of])


def _published(
    table: Table, policy: Policy, labelled: LeafMatrix, node: LatticeNode, order: Ints
) -> pa.Table:
    """Labels for the columns above level 0; the others as they were; identifiers left out."""
    rows = labelled.input_rows[order]
    columns = {}
    for name in table.names:
        if not policy.publishes(name):
            continue
        columns[name] = column_in_one_spelling(table, policy, name, rows)
        if policy.columns[name] == "quasi":
            at = labelled.names.index(name)
            level = labelled.hierarchies[at].levels[node.levels[at]]
            if node.levels[at]:
                groups = level.group_of.astype(np.int32)[labelled.codes[order, at]]
                columns[name] = _in_words(groups, list(level.labels))
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def column_in_one_spelling(table: Table, policy: Policy, name: str, rows: Ints) -> Any:
    """A quasi column of text by its values, each in one spelling: several would tell records apart that count
    as alike. Words that would be read as a set, a range or a star are a set of one (``word_set``)."""
    encoded = column_with_zeros(table, policy, name) if policy.columns[name] != "other" else None
    if encoded is None or not is_text(encoded.cells.type):
        return _in_fifteen_digits(table.column(name).take(arrow_from_numpy(rows)), policy.columns[name])
    if policy.columns[name] != "quasi":
        return _in_words(encoded.numbers[rows], encoded.cells.to_pylist())
    values = categories_of(encoded)
    return _in_words(values.codes[rows], [cell_of([word]) for word in values.words])


def _in_fifteen_digits(column: Any, role: str) -> Any:
    """Floats that count as one number are published as one where they tell people apart."""
    if role != "quasi" or not pa.types.is_float64(column.type):
        return column
    reals = fifteen_digits(numpy_from_arrow(column.combine_chunks().fill_null(0.0)))
    return pc.if_else(column.is_valid(), arrow_from_numpy(reals), pa.scalar(None, pa.float64()))


def _in_words(numbers: SmallInts, words: list[str | None]) -> pa.DictionaryArray:
    """An encoded column; missing cells are missing numbers, not words."""
    if None not in words:
        return pa.DictionaryArray.from_arrays(arrow_from_numpy(numbers), pa.array(words, pa.string()))
    gap = words.index(None)
    closed = arrow_from_numpy(numbers - (numbers > gap).astype(np.int32))
    indices = pc.if_else(arrow_from_numpy(numbers == gap), pa.scalar(None, pa.int32()), closed)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words[:gap] + words[gap + 1 :], pa.string()))
