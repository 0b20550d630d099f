"""Mondrian with labels, sets and ranges on parts: cut as in `mondrian`, and laid out as in memory.

Classes that show the same are one, wherever they were cut, so what is shown says in which part they meet.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.anonymizer.anonymized import Figures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.local import local_losses, local_notes, paid_in
from shoal.engines.boxes import boxes_schema
from shoal.engines.cuts import cut_into_parts, cut_part, in_parts
from shoal.engines.distinct import column_of
from shoal.engines.local_facts import LocalFacts
from shoal.engines.rows import ROW, Rows
from shoal.engines.sensitive import Sensitive
from shoal.engines.staged import ids_of
from shoal.engines.told import CLASS, TOLD, Told
from shoal.methods.codes import mixed, numbered
from shoal.methods.cut_plan import Rule
from shoal.methods.cut_tree import Tree
from shoal.methods.keyed_hash import Key
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.encoded import encode

MEETING = "shoal:meeting"


@dataclass(frozen=True)
class Labels:
    """What is asked of the plan."""

    policy: Policy
    found: LocalFacts
    key: Key
    sensitive: Sensitive

    @property
    def names(self) -> list[str]:
        return self.found.facts.ends.names

    @property
    def rule(self) -> Rule:
        options, k = self.policy.method.options, smallest_class(self.policy)
        return Rule(
            k,
            bool(options.get("relaxed")),
            bool(options.get("textbook")),
            self.sensitive.rules,
            self.sensitive.values,
            self.found.local.costs(self.policy),
        )


def labels_plan(rows: Rows, asked: Labels) -> Rows:
    facts, rule = asked.found.facts, asked.rule
    whole = Tree.whole(asked.key, facts.staying, *facts.ends.values)
    tree = cut_into_parts(rows, asked.names, rule, asked.key, rows.part_rows, asked.sensitive.names, whole)
    schema = boxes_schema(facts, rows.schema)
    meetings = 1 if len(tree.parts) == 1 else 2 * -(-facts.staying // rows.part_rows)
    shown = in_parts(rows, tree, asked.names).map(
        partial(_shown, asked, rule, tree, meetings, schema), schema.append(pa.field(MEETING, pa.int64()))
    )
    return shown.parts(MEETING).map(partial(_with_classes, asked.names), schema)


def _shown(
    asked: Labels, rule: Rule, tree: Tree, meetings: int, schema: pa.Schema, number: int, table: pa.Table
) -> pa.Table:
    """What a part shows, and where the classes meet that show the same."""
    local = asked.found.part(table)
    ranges = cut_part(tree, rule, asked.names, asked.sensitive.names, number, table)
    cells = [column.cells(ranges, at, local.values, asked.policy) for at, column in enumerate(local.columns)]
    positions, order = np.arange(len(ranges.order)), arrow_from_numpy(ranges.order)
    quasi = {column.name: cell.to_arrow(positions) for column, cell in zip(local.columns, cells, strict=True)}
    columns = {
        name: quasi[name] if name in quasi else table.column(name).take(order)
        for name in asked.found.facts.names
    }
    exact = int((ranges.low == ranges.high).sum())
    told = Told(len(positions), 0, tuple(cell.loss for cell in cells), exact)
    columns[ROW] = arrow_from_numpy(ids_of(table)[ranges.order])
    published = told.on(pa.table(columns), ids_of(table)[ranges.order]).cast(schema)
    hashes = mixed([_hashes(cell.shown)[cell.codes] for cell in cells]).view(np.uint64)
    places = (hashes >> np.uint64(8)) % np.uint64(meetings)
    return published.append_column(MEETING, arrow_from_numpy(places.astype(np.int64)))


def _hashes(cells: pa.Array) -> NDArray[np.int64]:
    """Of every cell; the same for the same cell in any part."""
    return np.array([crc32(str(cell).encode()) for cell in cells.to_pylist()], np.int64)


def _with_classes(names: list[str], _number: int, table: pa.Table) -> pa.Table:
    """Rows that show the same are a class, known by its first row."""
    table = table.drop_columns([MEETING]).combine_chunks()
    ids = column_of(table, ROW)
    class_of = numbered([codes for name in names for codes in _codes(table.column(name))])
    sizes = np.bincount(class_of)
    first = np.full(len(sizes), np.iinfo(np.int64).max)
    np.minimum.at(first, class_of, ids)
    told = Told(0, len(sizes), (0.0,) * len(names), 0, squares=float((sizes.astype(float) ** 2).sum()))
    before = Told.read(table.column(TOLD).drop_null().to_pylist())
    told = told if before is None else told.joined(before)
    return told.on(table.drop_columns([CLASS, TOLD]), first[class_of])


def _codes(column: pa.ChunkedArray) -> list[Any]:
    """Numbers of the different cells; the ends of ranges on their own."""
    if pa.types.is_struct(column.type):
        return [encode(end).numbers for end in column.combine_chunks().flatten()]
    return [encode(column).numbers]


def label_figures(asked: Labels, choice: Choice, told: Told | None) -> Figures:
    """Of a release in labels, sets and ranges, as in memory."""
    assert told is not None  # noqa: S101 - there are rows
    facts, local, policy = asked.found.facts, asked.found.local, asked.policy
    lost = dict(zip(asked.names, told.widths, strict=True))
    return Figures(
        classes=told.classes,
        suppressed=facts.suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=local_losses(local, policy, lost, facts.rows, facts.suppressed, told.classes, told.squares),
        exact_cells=told.exact / (told.rows * len(asked.names)),
        paid=paid_in(lost),
        fallen=0.0,
        notes=(*local.notes, *local_notes(policy)),
    )
