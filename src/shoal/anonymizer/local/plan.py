"""Local recoding: every class shows the lowest label over its values, a range of numbers, or a set.

Columns with a hierarchy show labels, or sets with ``cells = "sets"``; other columns of words show sets and
numbers show ranges. The classes are Mondrian's, or are formed inside cells that it has cut; a table in memory
is one cell. Classes that show the same are one, wherever they are, so what is shown says in which part they
meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.local.local_columns import LocalCells, LocalColumns
from shoal.anonymizer.local.local_facts import LocalFacts, local_facts
from shoal.anonymizer.local.local_loss import local_figures, local_notes
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.class_merge import (
    merge_equal_classes,
    merge_part_count,
    merge_schema,
    with_merge_part,
)
from shoal.anonymizer.parts.cut_cells import cell_notes, cut_cells
from shoal.anonymizer.parts.cuts import PartClasses, mondrian_parts, parts_of_tree
from shoal.anonymizer.parts.parsed_text import parsed_text
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes, sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.ranges.range_layout import range_schema
from shoal.anonymizer.recoding import local_recoding
from shoal.engines.protocol import Rows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.engines.steps.part_statistics import PartStatistics
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.cut_tree import CutTree
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.number_summary import NumberSummary
from shoal.table.columns.numbered_rows import ROW, ids_of, matrix_of

WHOLE = 0  # the number of the only part


@dataclass(frozen=True)
class LocalPlanInput:
    """What is asked of the plan."""

    policy: Policy
    local_facts: LocalFacts
    key: Key
    choice: Choice
    sensitive: SensitiveCodes

    @property
    def names(self) -> list[str]:
        return self.local_facts.facts.ends.names

    def cells(self, local: LocalColumns, ranges: Ranges) -> list[LocalCells]:
        """What the classes of these rows show in each column."""
        columns = enumerate(local.columns)
        return [column.cells(ranges, at, local.values, self.policy) for at, column in columns]


def cluster_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    """Publish labels, ranges and sets of classes that the method forms itself."""
    policy = request.policy
    rows = parsed_text(rows, policy.having("quasi"), policy.spoken)
    return labels_plan(rows, request, summarize_columns(rows, policy))


def labels_plan(rows: Rows, request: PlanRequest, summaries: dict[str, NumberSummary]) -> AnonymizedRows:
    """Publish labels, ranges and sets; ``summaries`` as of `summarize_columns`."""
    policy, key, choice = request.policy, request.key, request.choice
    found = local_facts(rows, policy, summaries)
    facts, sensitive = found.facts, sensitive_codes(rows, policy, found.facts.leaving)
    asked = LocalPlanInput(policy, found, key, choice, sensitive)
    ready = stage_rows(rows, facts, sensitive)
    whole, costs = (facts.staying, *facts.ends.values), found.local.costs(policy)
    classes: PartClasses
    notes = *found.local.notes, *local_notes(policy)
    if choice.method.name == "mondrian":
        tree, classes = mondrian_parts(ready, asked.names, policy, key, whole, sensitive, costs)
    else:
        tree = cut_cells(ready, asked.names, policy, key, whole, sensitive, costs)
        classes, notes = partial(_clustered, asked), (*notes, *cell_notes(tree))
    figures = partial(local_figures, policy, found.local, facts.rows, choice.method.name, choice.why, notes)
    if not rows.whole:
        published = _in_parts(ready, asked, tree, classes)
        return AnonymizedRows(published, facts.rows, facts.staying, figures)
    table = gather_rows(ready)
    local, ranges = found.part(table), classes(WHOLE, table)
    cells, schema = asked.cells(local, ranges), range_schema(facts, ready.schema)
    published = ready.map(partial(class_rows, facts.names, local, ranges, cells), schema)
    recoding = partial(local_recoding, policy, choice.method.name, local, ranges)
    return AnonymizedRows(published, facts.rows, facts.staying, figures, recoding=recoding)


def _clustered(asked: LocalPlanInput, _number: int, table: pa.Table) -> Ranges:
    """Of a cell, whose rows the method sees in the order of the input."""
    order = np.argsort(ids_of(table))
    ordered = table.take(arrow_from_numpy(order))
    ranges: Ranges = asked.choice.method.run(
        matrix_of(ordered, asked.names),
        smallest_class(asked.policy),
        asked.key,
        asked.local_facts.local.costs(asked.policy),
        asked.sensitive.diversity(ordered),
    )
    return replace(ranges, order=order[ranges.order])


def _in_parts(rows: Rows, asked: LocalPlanInput, tree: CutTree, classes: PartClasses) -> Rows:
    """What the ``classes`` of every part of the tree show."""
    schema = range_schema(asked.local_facts.facts, rows.schema)
    meetings = merge_part_count(rows, tree, asked.local_facts.facts.staying)
    shown = parts_of_tree(rows, tree, asked.names).map(
        partial(_published_part, asked, classes, meetings, schema), merge_schema(schema)
    )
    return merge_equal_classes(shown, asked.names, schema)


def _published_part(
    asked: LocalPlanInput,
    classes: PartClasses,
    meetings: int,
    schema: pa.Schema,
    number: int,
    table: pa.Table,
) -> pa.Table:
    """What a part shows, and where the classes meet that show the same."""
    local, ranges = asked.local_facts.part(table), classes(number, table)
    cells = asked.cells(local, ranges)
    shown = _laid_out(asked.local_facts.facts.names, local, ranges, cells, table)
    published = _statistics(ranges, cells).on(shown, ids_of(shown)).cast(schema)
    return with_merge_part(published, [(column.cells, column.codes) for column in cells], meetings)


def class_rows(
    names: Sequence[str], local: LocalColumns, ranges: Ranges, cells: list[LocalCells], table: pa.Table
) -> pa.Table:
    """Rows of which no class reaches into another part, with the class of each beside them."""
    class_of = dense_codes([cell.codes for cell in cells])  # classes that show the same are one
    sizes = np.bincount(class_of).astype(float)
    statistics = replace(_statistics(ranges, cells), classes=len(sizes), squares=float((sizes**2).sum()))
    return statistics.on(_laid_out(names, local, ranges, cells, table), class_of)


def _statistics(ranges: Ranges, cells: list[LocalCells]) -> PartStatistics:
    exact = int((ranges.low == ranges.high).sum())
    return PartStatistics(len(ranges.order), 0, tuple(cell.loss for cell in cells), exact)


def _laid_out(
    names: Sequence[str], local: LocalColumns, ranges: Ranges, cells: list[LocalCells], table: pa.Table
) -> pa.Table:
    """Rows in the order of their classes: what these show, and the other columns with these names."""
    order = arrow_from_numpy(ranges.order)
    quasi = {column.name: cell.to_arrow() for column, cell in zip(local.columns, cells, strict=True)}
    names = *names, ROW
    return pa.table(
        {name: quasi[name] if name in quasi else take_rows(table.column(name), order) for name in names}
    )
