"""Mondrian with labels, sets and ranges on parts: cut as in `mondrian`, and laid out as in memory.

Classes that show the same are one, wherever they were cut, so what is shown says in which part they meet.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.local.local_facts import LocalFacts
from shoal.anonymizer.local.whole_plan import local_losses, local_notes, loss_shares
from shoal.anonymizer.parts.class_merge import (
    merge_equal_classes,
    merge_part_count,
    merge_schema,
    with_merge_part,
)
from shoal.anonymizer.parts.cuts import cut_into_parts, cut_part, parts_of_tree
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.anonymizer.ranges.range_layout import range_schema
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import PartStatistics
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.cut_plan import CutRule
from shoal.methods.boxes.cut_tree import CutTree
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ids_of

PartClasses = Callable[[int, pa.Table], Ranges]  # of a part with this number


@dataclass(frozen=True)
class LocalPlanInput:
    """What is asked of the plan."""

    policy: Policy
    found: LocalFacts
    key: Key
    sensitive: SensitiveCodes

    @property
    def names(self) -> list[str]:
        return self.found.facts.ends.names

    @property
    def rule(self) -> CutRule:
        options, k = self.policy.method.options, smallest_class(self.policy)
        return CutRule(
            k,
            bool(options.get("relaxed")),
            bool(options.get("textbook")),
            self.sensitive.rules,
            self.sensitive.values,
            self.found.local.costs(self.policy),
        )


def labels_plan(rows: Rows, asked: LocalPlanInput) -> Rows:
    facts, rule = asked.found.facts, asked.rule
    whole = CutTree.whole(asked.key, facts.staying, *facts.ends.values)
    tree = cut_into_parts(rows, asked.names, rule, asked.key, rows.part_rows, asked.sensitive.names, whole)
    classes = partial(cut_part, tree, rule, asked.names, asked.sensitive.names)
    return publish_local_parts(rows, asked, tree, classes)


def publish_local_parts(rows: Rows, asked: LocalPlanInput, tree: CutTree, classes: PartClasses) -> Rows:
    """What the ``classes`` of every part of the tree show."""
    schema = range_schema(asked.found.facts, rows.schema)
    meetings = merge_part_count(rows, tree, asked.found.facts.staying)
    shown = parts_of_tree(rows, tree, asked.names).map(
        partial(_shown, asked, classes, meetings, schema), merge_schema(schema)
    )
    return merge_equal_classes(shown, asked.names, schema)


def _shown(
    asked: LocalPlanInput,
    classes: PartClasses,
    meetings: int,
    schema: pa.Schema,
    number: int,
    table: pa.Table,
) -> pa.Table:
    """What a part shows, and where the classes meet that show the same."""
    local = asked.found.part(table)
    ranges = classes(number, table)
    cells = [column.cells(ranges, at, local.values, asked.policy) for at, column in enumerate(local.columns)]
    positions, order = np.arange(len(ranges.order)), arrow_from_numpy(ranges.order)
    quasi = {column.name: cell.to_arrow(positions) for column, cell in zip(local.columns, cells, strict=True)}
    columns = {
        name: quasi[name] if name in quasi else table.column(name).take(order)
        for name in asked.found.facts.names
    }
    exact = int((ranges.low == ranges.high).sum())
    told = PartStatistics(len(positions), 0, tuple(cell.loss for cell in cells), exact)
    columns[ROW] = arrow_from_numpy(ids_of(table)[ranges.order])
    published = told.on(pa.table(columns), ids_of(table)[ranges.order]).cast(schema)
    return with_merge_part(published, [(cell.shown, cell.codes) for cell in cells], meetings)


def local_figures(
    asked: LocalPlanInput, choice: Choice, notes: tuple[str, ...], told: PartStatistics | None
) -> ReleaseFigures:
    """Of a release in labels, sets and ranges, as in memory; ``notes`` say what is different here."""
    assert told is not None  # noqa: S101 - there are rows
    facts, local, policy = asked.found.facts, asked.found.local, asked.policy
    lost = dict(zip(asked.names, told.widths, strict=True))
    return ReleaseFigures(
        classes=told.classes,
        suppressed=facts.suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=local_losses(local, policy, lost, facts.rows, facts.suppressed, told.classes, told.squares),
        exact_cells=told.exact / (told.rows * len(asked.names)),
        paid=loss_shares(lost),
        fallen=0.0,
        notes=(*local.notes, *local_notes(policy), *notes),
    )
