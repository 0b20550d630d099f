"""Stars are found inside cells of the table, in memory one; classes that show the same are one class."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.exact_columns import column_in_one_spelling
from shoal.anonymizer.fit import refuse_leaving
from shoal.anonymizer.levels.leaves import Leaves, leaves_of_rows
from shoal.anonymizer.levels.plan import plain_column_types
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.class_merge import (
    merge_equal_classes,
    merge_part_count,
    merge_schema,
    with_merge_part,
)
from shoal.anonymizer.parts.cut_cells import cell_notes, cut_cells, sort_by_row
from shoal.anonymizer.parts.cuts import parts_of_tree
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes, sensitive_codes
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.stars.star_search import column_with_stars, find_stars, star_losses, star_notes
from shoal.engines.protocol import PART, Rows
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.steps.value_counts import most_values
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbered_rows import ROW, ids_of, matrix_of
from shoal.table.table import Table

LEAF = "shoal:leaf:"
STAR = "shoal:star:"


@dataclass(frozen=True)
class StarsPlanInput:
    """What is asked of the plan. ``limit`` of the ``staying`` records may still leave."""

    policy: Policy
    leaves: Leaves
    key: Key
    sensitive: SensitiveCodes
    choice: Choice
    staying: int
    limit: int

    @property
    def names(self) -> list[str]:
        return list(self.leaves.names)

    @property
    def codes(self) -> list[str]:
        """The columns of leaves."""
        return [f"{LEAF}{at}" for at in range(len(self.names))]

    @property
    def stars(self) -> list[str]:
        """The columns that say where stars are."""
        return [f"{STAR}{at}" for at in range(len(self.names))]


def stars_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    """Publish rows with stars in the cells that set them apart; classes that then look alike are merged."""
    policy, key, choice = request.policy, request.key, request.choice
    leaves = leaves_of_rows(rows, policy, most_values(rows))
    staying = rows.fold(partial(_staying, leaves), int.__add__) or 0
    refuse_leaving(policy, leaves.records, staying)
    leaving = {name: True for name in leaves.names if policy.missing_counts.get(name) == "suppress"}
    limit = policy.method.most_suppressed(leaves.records) - (leaves.records - staying)
    asked = StarsPlanInput(
        policy, leaves, key, sensitive_codes(rows, policy, leaving), choice, staying, limit
    )
    kinds = plain_column_types(rows, leaves, pa.string())
    ready = _rows_before_stars(rows, asked, pa.schema(kinds))
    ends = np.array([len(hierarchy.leaves) - 1 for hierarchy in leaves.hierarchies], np.int64)
    whole = staying, np.zeros_like(ends), ends
    tree = cut_cells(ready, asked.codes, policy, key, whole, asked.sensitive)
    ours = [(ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())]
    schema = pa.schema([*kinds, *ours, *((name, pa.bool_()) for name in asked.stars)])
    found = parts_of_tree(ready, tree, asked.codes).map(partial(_with_stars, asked, schema), schema).kept()
    records, anywhere = found.fold(partial(_any_stars, asked), _add_tallies) or (0, frozenset())
    schema = pa.schema([*((name, pa.string() if name in anywhere else kind) for name, kind in kinds), *ours])
    meetings = merge_part_count(rows, tree, staying)
    shown = found.map(partial(_starred_part, asked, anywhere, meetings, schema), merge_schema(schema))
    figures = partial(_figures, asked, cell_notes(tree))
    return AnonymizedRows(merge_equal_classes(shown, asked.names, schema), leaves.records, records, figures)


def _staying(leaves: Leaves, table: pa.Table) -> int:
    return int(leaves.of(Table.of_batch(table))[0].sum())


def _rows_before_stars(rows: Rows, asked: StarsPlanInput, shown: pa.Schema) -> Rows:
    """What is published without stars, and the leaves of the quasi columns beside it."""
    numbers = [(name, pa.int64()) for name in (ROW, *asked.codes, *asked.sensitive.names)]
    schema = pa.schema([*shown, *(pa.field(*number) for number in numbers)])
    return rows.map(partial(_stage, asked, schema), schema).kept()


def _stage(asked: StarsPlanInput, schema: pa.Schema, table: pa.Table) -> pa.Table:
    batch = Table.of_batch(table)
    stays, codes = asked.leaves.of(batch)
    rows = np.flatnonzero(stays)
    taken = table.take(arrow_from_numpy(rows))
    leaves = {name: arrow_from_numpy(own[rows].astype(np.int64))
              for name, own in zip(asked.codes, codes, strict=True)}  # fmt: skip
    columns = leaves | asked.sensitive.coded(taken) | {ROW: taken.column(ROW)}
    for name in schema.names:
        if name not in columns:
            columns[name] = column_in_one_spelling(batch, asked.policy, name, rows)
    return pa.table([columns[name] for name in schema.names], schema.names).cast(schema)


def _with_stars(asked: StarsPlanInput, schema: pa.Schema, _number: int, table: pa.Table) -> pa.Table:
    """A cell without the records that leave, and where its stars are. Cells share those that may leave."""
    table = sort_by_row(table.drop_columns([PART]))
    limit = asked.limit * len(table) // asked.staying
    codes, diversity = matrix_of(table, asked.codes).astype(np.int32), asked.sensitive.diversity(table)
    method = asked.choice.method.run
    stars, own = find_stars(method, codes, asked.names, asked.policy, asked.key, diversity, limit)
    kept = np.flatnonzero(stars.kept)
    starred = stars.starred[kept]
    left = table.take(arrow_from_numpy(kept)).drop_columns([*asked.codes, *asked.sensitive.names])
    statistics = PartStatistics(
        len(kept), 0, tuple(starred.sum(axis=0).astype(float).tolist()), 0, sums=(float(len(own)),)
    )
    left = statistics.on(left, ids_of(left))
    for at, name in enumerate(asked.stars):
        left = left.append_column(name, arrow_from_numpy(starred[:, at].copy()))
    return left.cast(schema)


def _any_stars(asked: StarsPlanInput, table: pa.Table) -> tuple[int, frozenset[str]]:
    """How many records there are, and which columns have stars."""
    pairs = zip(asked.names, asked.stars, strict=True)
    return len(table), frozenset(name for name, stars in pairs if pc.any(table.column(stars)).as_py())


def _add_tallies(
    one: tuple[int, frozenset[str]], other: tuple[int, frozenset[str]]
) -> tuple[int, frozenset[str]]:
    return one[0] + other[0], one[1] | other[1]


def _starred_part(
    asked: StarsPlanInput, anywhere: frozenset[str], meetings: int, schema: pa.Schema, table: pa.Table
) -> pa.Table:
    """Columns with stars somewhere are text."""
    columns = {name: table.column(name) for name in schema.names}
    for name, stars in zip(asked.names, asked.stars, strict=True):
        if name in anywhere:
            columns[name] = column_with_stars(columns[name], table.column(stars))
    shown = pa.table([columns[name] for name in schema.names], schema.names).cast(schema)
    cells = [encode(shown.column(name)) for name in asked.names]
    return with_merge_part(shown, [(one.cells, one.numbers) for one in cells], meetings)


def _figures(
    asked: StarsPlanInput, notes: tuple[str, ...], statistics: PartStatistics | None
) -> ReleaseFigures:
    assert statistics is not None  # noqa: S101 - there are rows
    starred = {name: int(count) for name, count in zip(asked.names, statistics.widths, strict=True)}
    suppressed = asked.leaves.records - statistics.rows
    return ReleaseFigures(
        classes=statistics.classes,
        suppressed=suppressed,
        method=asked.choice.method.name,
        why=asked.choice.why,
        starred=sum(starred.values()),
        notes=(*star_notes(asked.policy, starred, int(statistics.sums[0])), *notes),
        **star_losses(starred, asked.leaves.records, suppressed),
    )
