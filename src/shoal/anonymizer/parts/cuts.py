"""Rows cut into parts that fit into memory, in which whole classes of Mondrian lie."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.engines.protocol import PART, Parts, Rows
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.cut_plan import CutPlan, CutRule
from shoal.methods.boxes.cut_questions import CutCounts, EndsQuestion, QuestionBatch, answer_questions
from shoal.methods.boxes.cut_tree import CutTree
from shoal.methods.boxes.mondrian import MondrianRanges, mondrian
from shoal.methods.diversity import Diversity
from shoal.table.columns.numbered_rows import ROW


def cut_into_parts(
    rows: Rows,
    columns: Sequence[str],
    rule: CutRule,
    key: Key,
    part_rows: int,
    sensitive: Sequence[str] = (),
    whole: CutTree | None = None,
) -> CutTree:
    """Cut until parts have at most so many rows or are one class; one pass over the rows per round.

    ``columns`` are those that are cut, ``sensitive`` the codes that each rule is about, all of them int64
    without gaps. The ``whole`` table in one part saves a pass where its ends are known.
    """
    whole = whole or whole_table(rows, columns, key)
    plan = CutPlan(whole, rule, part_rows)
    while (questions := plan.questions()) is not None:
        found = rows.fold(partial(_seen, questions, columns, sensitive), CutCounts.joined)
        assert found is not None  # noqa: S101 - a table without rows has no questions
        plan.hear(found)
    return plan.tree


def whole_table(rows: Rows, columns: Sequence[str], key: Key) -> CutTree:
    """All rows in one part."""
    blank = CutTree.whole(key, 0, *np.zeros((2, len(columns)), np.int64))
    asked = QuestionBatch(blank, {0: EndsQuestion()}, (0, 0))
    found = rows.fold(partial(_seen, asked, columns, ()), CutCounts.joined)
    return blank if found is None else CutTree.whole(key, int(found.counts[0]), found.low[0], found.high[0])


def parts_of_tree(rows: Rows, tree: CutTree, columns: Sequence[str]) -> Parts:
    """The rows by the parts of a tree, whose number they carry as ``PART``."""
    schema = rows.schema.append(pa.field(PART, pa.int64()))
    return rows.map(partial(_numbered, tree, columns, schema), schema).parts(PART)


def cut_part(
    tree: CutTree,
    rule: CutRule,
    columns: Sequence[str],
    sensitive: Sequence[str],
    number: int,
    part: pa.Table,
) -> MondrianRanges:
    """The classes of a part, as positions in it: those that the whole table would have there."""
    return mondrian(
        matrix(part, columns),
        rule.k,
        tree.key,
        rule.relaxed,
        rule.textbook,
        Diversity(matrix(part, sensitive), rule.rules),
        rule.costs,
        tree.region(number, row_numbers(part)),
    )


def matrix(batch: pa.Table, columns: Sequence[str]) -> Ints:
    """Columns of whole numbers side by side."""
    found = np.empty((len(batch), len(columns)), np.int64)
    for at, name in enumerate(columns):
        found[:, at] = batch[name].to_numpy()
    return found


def row_numbers(batch: pa.Table) -> Ints:
    """The number that each row of a batch has in the whole table."""
    return np.array(batch[ROW].to_numpy())  # not read-only, for which kernels would be compiled again


def _numbered(tree: CutTree, columns: Sequence[str], schema: pa.Schema, batch: pa.Table) -> pa.Table:
    part_of = tree.part_of(matrix(batch, columns), row_numbers(batch))
    return pa.table([*batch.columns, part_of], schema=schema)


def _seen(
    questions: QuestionBatch, columns: Sequence[str], sensitive: Sequence[str], batch: pa.Table
) -> CutCounts:
    return answer_questions(questions, matrix(batch, columns), row_numbers(batch), matrix(batch, sensitive))
