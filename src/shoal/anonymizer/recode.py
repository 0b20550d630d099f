"""Full-domain recoding: every quasi column at one level of its hierarchy, failing classes suppressed."""

from math import floor

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized import Anonymized, NodeReport
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.diversity import method_diversity
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.label_loss import label_losses, objective_of, scales_of
from shoal.anonymizer.labels import Labelled, filled, fit_labels
from shoal.anonymizer.recoding import level_recoding
from shoal.anonymizer.sets import label
from shoal.errors import Infeasible
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.lattice import Lattice, Node
from shoal.methods.ranges import Ints
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.numbers import is_text
from shoal.table.table import Table


def recode_table(table: Table, policy: Policy, key: Key, choice: Choice) -> Anonymized:
    labelled = fit_labels(table, policy)
    lattice = lattice_of(table, policy, labelled)
    limit = floor(policy.method.suppression * len(table)) - (len(table) - len(labelled))
    limit = min(limit, len(labelled) - lattice.k)  # one class has to stay
    found = choice.method.search(lattice, limit) if choice.method.search else []
    if not found:
        raise Infeasible(
            "no generalization satisfies the policy, not even with every column at its top",
            "ask for a smaller k or l, or allow more suppression in [method].",
        )
    return laid_out(table, policy, key, labelled, lattice, found, choice.method.name, choice.why)


def lattice_of(table: Table, policy: Policy, labelled: Labelled) -> Lattice:
    diversity = method_diversity(table, policy, labelled.input_rows)
    return Lattice(
        labelled.codes, scales_of(labelled, policy), smallest_class(policy), diversity, objective_of(policy)
    )


def laid_out(
    table: Table,
    policy: Policy,
    key: Key,
    labelled: Labelled,
    lattice: Lattice,
    found: list[Node],
    method: str,
    why: str,
) -> Anonymized:
    """The release that the first node gives; the others are reported."""
    gone = len(table) - len(labelled)
    kept, classes = lattice.classes(found[0].levels)
    rows = np.flatnonzero(kept)
    order = rows[np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[labelled.input_rows[rows]])]
    numbers = np.unique(classes[order], return_inverse=True)[1]
    reports = [_report(labelled, lattice, node, gone) for node in found]
    shown = reports[0].loss
    return Anonymized(
        table=_published(table, policy, labelled, found[0], order),
        input_rows=labelled.input_rows[order],
        class_of=numbers,
        classes=int(numbers.max()) + 1 if len(numbers) else 0,
        suppressed=len(table) - len(order),
        method=method,
        why=why,
        loss=shown,
        exact_cells=float(np.mean([level == 0 for level in found[0].levels])),
        paid=_paid(labelled, found[0]),
        fallen=0.0,
        nodes=tuple(reports),
        notes=(_levels_note(labelled, found[0]), *_others_note(found, policy)),
        recoding=lambda: level_recoding(policy, method, labelled, found[0].levels),
    )


def _report(labelled: Labelled, lattice: Lattice, node: Node, gone: int) -> NodeReport:
    kept, classes = lattice.classes(node.levels)
    levels = dict(zip(labelled.names, node.levels, strict=True))
    return NodeReport(
        levels, node.suppressed + gone, label_losses(labelled, node.levels, kept, classes, gone)
    )


def _others_note(found: list[Node], policy: Policy) -> list[str]:
    if len(found) == 1:
        return []
    return [
        f"the one with the least {policy.method.objective} of {len(found):,} minimal generalizations, all of "
        "which --nodes lists"
    ]


def _levels_note(labelled: Labelled, node: Node) -> str:
    heights = [hierarchy.height for hierarchy in labelled.hierarchies]
    told = [f"{name} {level} of {top}"
            for name, level, top in zip(labelled.names, node.levels, heights, strict=True)]  # fmt: skip
    return f"levels: {', '.join(told)}"


def _paid(labelled: Labelled, node: Node) -> dict[str, float]:
    losses = {
        name: float(hierarchy.losses(level)[hierarchy.levels[level].group_of[leaves]].sum())
        for name, hierarchy, level, leaves in zip(
            labelled.names, labelled.hierarchies, node.levels, labelled.codes.T, strict=True
        )
    }
    total = sum(losses.values())
    return {name: loss / total if total else 0.0 for name, loss in losses.items()}


def unmistakable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Words that would be read as a set or a star are written as a set of one."""
    if not is_text(column.type):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    words = encoded.dictionary.to_pylist()
    written = [label([word]) for word in words]
    return column if written == words else pa.array(written, pa.string()).take(encoded.indices)


def _published(table: Table, policy: Policy, labelled: Labelled, node: Node, order: Ints) -> pa.Table:
    """Labels for the columns above level 0; the others as they were; identifiers left out."""
    taken = arrow_from_numpy(labelled.input_rows[order])
    columns = {}
    for name in table.names:
        if policy.columns[name] == "identifier":
            continue
        columns[name] = filled(table, policy, name).take(taken)
        if policy.columns[name] == "quasi":
            columns[name] = unmistakable(columns[name])
            at = labelled.names.index(name)
            level = labelled.hierarchies[at].levels[node.levels[at]]
            if node.levels[at]:
                groups = arrow_from_numpy(level.group_of[labelled.codes[order, at]])
                columns[name] = pa.array(level.labels, pa.string()).take(groups)
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))
