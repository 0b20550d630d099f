"""Ranges and sets of words; where a method shows labels, `local` takes over.

A table in one part is the method's own business. What it makes of many is found in one plan per method.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.local.plan import labels_plan
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.cuts import parts_of_tree
from shoal.anonymizer.parts.parsed_text import parsed_text
from shoal.anonymizer.parts.sensitive_codes import sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import TableFacts, summarize_columns, table_facts
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.ranges.aggranon_plan import aggranon_plan
from shoal.anonymizer.ranges.mondrian_plan import mondrian_plan
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_figures import range_figures
from shoal.anonymizer.ranges.range_layout import publish_alone, range_rows, range_schema
from shoal.anonymizer.ranges.residual_plan import residual_plan
from shoal.anonymizer.recoding import Recoding, class_recoding
from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.engines.steps.part_statistics import CLASS
from shoal.engines.steps.shuffle import shuffled_order
from shoal.methods.aggregates import residual_parts
from shoal.methods.boxes.cut_tree import CutTree
from shoal.methods.ranges import Ranges
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.number_summary import NumberSummary
from shoal.table.columns.numbered_rows import ids_of, matrix_of

RANGE_PLANS: dict[str, Callable[[Rows, RangesPlanInput], Rows]] = {
    "aggranon": aggranon_plan,
    "residual": residual_plan,
    "mondrian": mondrian_plan,
}


def ranges_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    """Publish a range or a set of words for every class, or labels where the method shows them."""
    policy, choice = request.policy, request.choice
    rows = parsed_text(rows, policy.having("quasi"), policy.spoken)
    seen = summarize_columns(rows, policy)
    if choice.method.name == "mondrian" and _shows_labels(seen, policy):
        return labels_plan(rows, request, seen)
    facts = table_facts(rows, policy, seen)
    sensitive = sensitive_codes(rows, policy, facts.leaving)
    asked = RangesPlanInput(policy, facts, request.key, choice, sensitive)
    ready = stage_rows(rows, facts, sensitive)
    if rows.whole:
        return _in_memory(ready, asked)
    one_part = residual_parts.ROWS_AT_ONCE if choice.method.name == "residual" else rows.part_rows
    alone = facts.staying <= one_part
    published = (_in_one_part if alone else RANGE_PLANS[choice.method.name])(ready, asked)
    figures = partial(range_figures, asked, () if alone else _notes(asked))
    return AnonymizedRows(published, facts.rows, facts.staying, figures)


def _shows_labels(summaries: dict[str, NumberSummary], policy: Policy) -> bool:
    """Are there columns to publish as labels or sets, and nobody who knows aggregates of numbers?"""
    if any(isinstance(asked, KfAnonymity) for asked in policy.guarantees):
        return False
    return any(name in policy.hierarchies or not column.mostly_numbers for name, column in summaries.items())


def _in_memory(staged: Rows, asked: RangesPlanInput) -> AnonymizedRows:
    facts, table = asked.facts, gather_rows(staged)
    ranges = asked.classes(table)
    order = shuffled_order(ids_of(table), asked.key)
    published = staged.map(partial(_numbered, facts, ranges, order), range_schema(facts, staged.schema))
    recoding = partial(_recoding, asked, table, ranges) if asked.choice.method.recodes else None
    figures = partial(range_figures, asked, ())
    return AnonymizedRows(published, facts.rows, facts.staying, figures, recoding=recoding)


def _numbered(facts: TableFacts, ranges: Ranges, order: Ints, table: pa.Table) -> pa.Table:
    """Classes by the numbers that the method gives them: whoever permutes inside classes publishes these, and
    they must not tell in what order the table was."""
    shown = range_rows(facts, ranges, order, None, table)
    numbers = np.empty(len(table), np.int64)
    numbers[ranges.order] = ranges.class_of()
    return shown.set_column(shown.column_names.index(CLASS), CLASS, arrow_from_numpy(numbers[order]))


def _recoding(asked: RangesPlanInput, table: pa.Table, ranges: Ranges) -> Recoding:
    fitted = replace(asked.facts.ends, values=matrix_of(table, asked.names))
    return class_recoding(asked.policy, asked.choice.method.name, fitted, ranges)


def _in_one_part(staged: Rows, asked: RangesPlanInput) -> Rows:
    facts = asked.facts
    whole = CutTree.whole(asked.key, facts.staying, *facts.ends.values)
    parts = parts_of_tree(staged, whole, asked.names)
    return parts.map(partial(publish_alone, asked), range_schema(facts, staged.schema))


def _notes(asked: RangesPlanInput) -> tuple[str, ...]:
    """What many parts make different from one; classes of Mondrian are the same."""
    method, notes = asked.choice.method.name, []
    if method == "aggranon" and asked.sensitive:
        notes.append(
            "blocks grow until they are diverse inside parts of the table, each on its own: in memory some "
            "of them would be others"
        )
    if method != "mondrian" and asked.request.within is not None:
        notes.append("within is left aside in a table of more than one part, which is stricter")
    return tuple(notes)
