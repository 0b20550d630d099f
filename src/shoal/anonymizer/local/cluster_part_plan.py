"""cluster beyond memory: classes grown and exchanged inside cells, laid out as Mondrian's are in `labels`."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.local.local_facts import local_facts
from shoal.anonymizer.local.part_plan import LocalPlanInput, local_figures, publish_local_parts
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.cut_cells import cell_notes, cut_cells
from shoal.anonymizer.parts.sensitive_codes import sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.registry import GroupRequest
from shoal.engines.protocol import Rows
from shoal.methods.ranges import Ranges
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of, matrix_of


def cluster_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    policy, key, choice = request.policy, request.key, request.choice
    found = local_facts(rows, policy, summarize_columns(rows, policy))
    facts, sensitive = found.facts, sensitive_codes(rows, policy, found.facts.leaving)
    asked = LocalPlanInput(policy, found, key, sensitive)
    ready = stage_rows(rows, facts, sensitive)
    low, high = facts.ends.values
    costs = found.local.costs(policy)
    tree = cut_cells(ready, asked.names, policy, key, (facts.staying, low, high), sensitive, costs)
    published = publish_local_parts(ready, asked, tree, partial(_classes, asked, choice))
    figures = partial(local_figures, asked, choice, cell_notes(tree))
    return AnonymizedRows(published, facts.rows, facts.staying, figures)


def _classes(asked: LocalPlanInput, choice: Choice, _number: int, table: pa.Table) -> Ranges:
    """Of a cell, whose rows the method sees in the order of the input."""
    order = np.argsort(ids_of(table))
    ordered = table.take(arrow_from_numpy(order))
    assert choice.method.group is not None  # noqa: S101 - it was chosen for that
    ranges = choice.method.group(
        GroupRequest(
            values=matrix_of(ordered, asked.names),
            k=smallest_class(asked.policy),
            key=asked.key,
            costs=asked.found.local.costs(asked.policy),
            diversity=asked.sensitive.diversity(ordered),
            options=dict(asked.policy.method.options),
            ids=ids_of(ordered),
        )
    )
    return replace(ranges, order=order[ranges.order])
