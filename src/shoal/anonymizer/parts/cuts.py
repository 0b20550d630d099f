"""Rows cut into parts that fit into memory, in which whole classes of Mondrian lie."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.arrays import Ints
from shoal.engines.protocol import PART, Parts, Rows
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.common_cell import Costs
from shoal.methods.boxes.cut_plan import CutPlan, CutRule
from shoal.methods.boxes.cut_questions import CutCounts, QuestionBatch, answer_questions
from shoal.methods.boxes.cut_tree import CutTree
from shoal.methods.boxes.mondrian import MondrianRanges, mondrian
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.numbered_rows import ids_of, matrix_of

Whole = tuple[int, Ints, Ints]  # how many rows a table has, and the ends of its columns
PartClasses = Callable[[int, pa.Table], Ranges]  # of a part with this number


def mondrian_parts(
    rows: Rows,
    names: list[str],
    policy: Policy,
    key: Key,
    whole: Whole,
    sensitive: SensitiveCodes,
    costs: Costs | None = None,
) -> tuple[CutTree, PartClasses]:
    """Cuts of staged rows, and what gives the classes of every part that they leave."""
    options = policy.method.options
    relaxed, textbook = bool(options.get("relaxed")), bool(options.get("textbook"))
    rule = CutRule(smallest_class(policy), relaxed, textbook, sensitive.rules, costs)
    tree = cut_into_parts(rows, names, rule, key, whole, rows.part_rows, sensitive.names)
    return tree, partial(cut_part, tree, rule, names, sensitive.names)


def cut_into_parts(
    rows: Rows,
    columns: list[str],
    rule: CutRule,
    key: Key,
    whole: Whole,
    part_rows: int,
    sensitive: list[str],
) -> CutTree:
    """Cut until parts have at most so many rows or are one class; one pass over the rows per round.

    ``columns`` are those that are cut, ``sensitive`` the codes that each rule is about, all of them int64
    without gaps.
    """
    plan = CutPlan(CutTree.whole(key, *whole), rule, part_rows)
    while (questions := plan.questions()) is not None:
        found = rows.fold(partial(_answers_of_batch, questions, columns, sensitive), CutCounts.joined)
        assert found is not None  # noqa: S101 - a table without rows has no questions
        plan.hear(found)
    return plan.tree


def parts_of_tree(rows: Rows, tree: CutTree, columns: list[str]) -> Parts:
    """The rows by the parts of a tree, whose number they carry as ``PART``."""
    schema = rows.schema.append(pa.field(PART, pa.int64()))
    return rows.map(partial(_numbered, tree, columns, schema), schema).parts(PART)


def cut_part(
    tree: CutTree,
    rule: CutRule,
    columns: list[str],
    sensitive: list[str],
    number: int,
    part: pa.Table,
) -> MondrianRanges:
    """The classes of a part, as positions in it: those that the whole table would have there."""
    return mondrian(
        matrix_of(part, columns),
        rule.k,
        tree.key,
        rule.relaxed,
        rule.textbook,
        Diversity(matrix_of(part, sensitive), rule.rules),
        rule.costs,
        tree.region(number, np.array(ids_of(part))),
    )


def _numbered(tree: CutTree, columns: list[str], schema: pa.Schema, batch: pa.Table) -> pa.Table:
    part_of = tree.part_of(matrix_of(batch, columns), np.array(ids_of(batch)))
    return pa.table([*batch.columns, part_of], schema=schema)


def _answers_of_batch(
    questions: QuestionBatch, columns: list[str], sensitive: list[str], batch: pa.Table
) -> CutCounts:
    return answer_questions(
        questions, matrix_of(batch, columns), np.array(ids_of(batch)), matrix_of(batch, sensitive)
    )
