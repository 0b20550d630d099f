"""Full-domain recoding: a search over the different records, then row by row what was found.

Records with the same cells are counted and meet in one place, where the lattice is searched. If there are too
many of them, levels below which they are too many are not searched.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.exact_columns import column_in_one_spelling, text_type, words_of_codes
from shoal.anonymizer.fit import refuse_leaving
from shoal.anonymizer.leaf_matrix import LeafMatrix
from shoal.anonymizer.levels.leaf_records import (
    LeafRecords,
    add_counts,
    coarsen_records,
    leaf_codes,
    leaf_records,
)
from shoal.anonymizer.levels.leaves import Leaves
from shoal.anonymizer.levels.level_figures import level_figures
from shoal.anonymizer.levels.level_search import classes_at, lattice_of, search_lattice
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.table_facts import table_columns
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.recoding import level_recoding
from shoal.arrays import Bools, Floats, Ints
from shoal.engines.memory.rows import whole_table
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.class_numbers import ClassNumbers
from shoal.engines.steps.distinct import COUNT
from shoal.engines.steps.part_statistics import CLASS, STATISTICS
from shoal.engines.steps.shuffle import shuffled_order
from shoal.kernels.keyed_hash import Key
from shoal.methods.levels.lattice import LatticeNode, Levels
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ints_of
from shoal.table.columns.numbers import is_text
from shoal.table.table import Table


@dataclass(frozen=True)
class PublishedLevels:
    """A node: the level of every column, its classes, and which of them stay."""

    leaves: Leaves
    levels: Levels
    classes: ClassNumbers
    passing: Bools

    @classmethod
    def of(cls, leaves: Leaves, labelled: LeafMatrix, levels: Levels, kept: Bools) -> "PublishedLevels":
        """``kept`` says which rows stay."""
        groups = leaves.groups(labelled.codes.T, levels)
        sizes = [len(one.levels[level].labels) for one, level in zip(leaves.hierarchies, levels, strict=True)]
        classes = ClassNumbers.over(groups, sizes)
        number = classes.of(groups)
        passing = np.zeros(int(number.max(initial=-1)) + 1, bool)
        passing[number] = kept
        return cls(leaves, levels, classes, passing)


def levels_plan(rows: Rows, request: PlanRequest, most: int | None = None) -> AnonymizedRows:
    """``most`` is how many different records may meet in one place."""
    policy, choice = request.policy, request.choice
    every = leaf_records(rows, policy)
    leaves = every.leaves
    most = rows.most_gathered if most is None else most
    occurs = every.occurs() if every.found.count > most else ()
    few = coarsen_records(every, occurs, most)
    table, labelled = few.labelled(occurs)
    refuse_leaving(policy, leaves.records, len(labelled))
    lattice = lattice_of(table, policy, labelled, leaves.records)
    found = search_lattice(lattice, labelled, policy, choice, leaves.records, request.on_progress)
    staying = partial(_staying, every, labelled) if any(few.floors) else None
    figures = level_figures(
        policy, labelled, lattice, found, leaves.records, choice.method.name, choice.why, staying
    )
    figures = replace(figures, notes=(*figures.notes, *_floors_note(few, most)))
    node = found.nodes[0]
    kept, _ = classes_at(lattice, node)
    made = publish_levels(rows, PublishedLevels.of(leaves, labelled, node.levels, kept), figures, request.key)
    recoding = partial(level_recoding, policy, choice.method.name, labelled.hierarchies, node.levels)
    return replace(made, recoding=recoding)


def publish_levels(rows: Rows, shown: PublishedLevels, figures: ReleaseFigures, key: Key) -> AnonymizedRows:
    """What these rows show at the levels that were chosen, each batch in the order that is drawn for it."""
    schema, records = _schema(rows, shown), shown.leaves.records
    published = rows.map(partial(_published_batch, shown, schema, key), schema)
    return AnonymizedRows(published, records, records - figures.suppressed, lambda _told: figures)


def _staying(every: LeafRecords, labelled: LeafMatrix, node: LatticeNode, kept: Bools) -> list[Floats]:
    """How often each leaf is left: the rows of the search do not tell leaves below its first levels apart."""
    occurs = labelled.occurs
    if not kept.all():
        shown = PublishedLevels.of(every.leaves, labelled, node.levels, kept)
        occurs = every.found.rows.fold(partial(_leaf_counts_of_batch, shown), add_counts) or ()
    return [often.astype(float) for often in occurs]


def _leaf_counts_of_batch(shown: PublishedLevels, table: pa.Table) -> tuple[Ints, ...]:
    table = table.filter(table.column(STAYS))
    codes, counts = leaf_codes(shown.leaves, table), ints_of(table, COUNT)
    stays = shown.passing[shown.classes.of(shown.leaves.groups(codes, shown.levels))]
    return shown.leaves.occurs(codes, np.where(stays, counts, 0))


def _schema(rows: Rows, shown: PublishedLevels) -> pa.Schema:
    labels = {name for name, level in zip(shown.leaves.names, shown.levels, strict=True) if level}
    text = text_type(rows)
    plain = plain_column_types(rows, shown.leaves, text)
    table = whole_table(rows)
    few = {name for name, kind in plain if table and is_text(kind) and table.encoded_if_few(name)}
    kinds = [(name, text if name in labels | few else kind) for name, kind in plain]
    return pa.schema([*kinds, (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())])


def plain_column_types(rows: Rows, leaves: Leaves, text: pa.DataType) -> list[tuple[str, pa.DataType]]:
    """The types of published columns that show their values themselves; ``text`` is that of text."""
    kinds = []
    for name in table_columns(rows):
        kind = rows.schema.field(name).type
        if name in leaves.text or (leaves.policy.columns[name] != "other" and is_text(kind)):
            kind = text
        if leaves.policy.publishes(name):
            kinds.append((name, kind))
    return kinds


def _published_batch(shown: PublishedLevels, schema: pa.Schema, key: Key, table: pa.Table) -> pa.Table:
    """Labels for the columns above level 0, the others as they were, without the classes that fail."""
    leaves, batch = shown.leaves, Table.of_batch(table)
    stays, codes = leaves.of(batch)
    rows = np.flatnonzero(stays)[shuffled_order(ints_of(table, ROW)[stays], key)]
    groups = leaves.groups(codes[:, rows], shown.levels)
    number = shown.classes.of(groups)
    kept = shown.passing[number]
    rows, number = rows[kept], number[kept]
    places = zip(leaves.names, leaves.hierarchies, shown.levels, groups, strict=True)
    columns = {
        name: words_of_codes(group[kept], hierarchy.levels[level].labels)
        for name, hierarchy, level, group in places
        if level
    }
    for name in schema.names[:-3]:
        if name not in columns:
            kind = schema.field(name).type
            columns[name] = column_in_one_spelling(batch, leaves.policy, name, rows, kind)
    columns |= {ROW: arrow_from_numpy(ints_of(table, ROW)[rows]), CLASS: arrow_from_numpy(number)}
    columns[STATISTICS] = pa.nulls(len(rows), pa.string())
    return pa.table([columns[name] for name in schema.names], schema.names).cast(schema)


def _floors_note(few: LeafRecords, most: int) -> list[str]:
    if not any(few.floors):
        return []
    begin = [f"{name} {floor}" for name, floor in zip(few.leaves.names, few.floors, strict=True) if floor]
    return [
        f"searched from level {', '.join(begin)} on: below it there are more than {most:,} different rows, "
        "and a combination of levels that was not looked at may lose less"
    ]
