"""A part of a permuted release as it is published, and the figures of all of it."""

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.permutation.permutation_facts import PermutationFacts
from shoal.engines.steps.part_statistics import CLASS, STATISTICS
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.permute import permute
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.numbered_rows import ROW, ids_of, ints_of


def permuted_schema(staged: pa.Schema, lines: PermutationFacts) -> pa.Schema:
    kinds = [staged.field(name) for name in lines.names]
    own = [(GROUP, pa.int32()), (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())]
    return pa.schema([*kinds, *(pa.field(*kind) for kind in own)])


def permuted_part(policy: Policy, key: Key, _number: int, table: pa.Table) -> pa.Table:
    """Exact columns as they are, sensitive ones with the cells of another row of the group; what is the
    plan's own is left out. The part holds its groups whole."""
    table = table.combine_chunks()
    groups, ids = ints_of(table, GROUP).astype(np.int64), ids_of(table)
    sensitive = policy.having("sensitive")
    streams = [0 if policy.permutes_together else at for at in range(len(sensitive))]
    sources = {
        stream: arrow_from_numpy(permute(groups - groups.min(), key, stream=stream, ids=ids))
        for stream in dict.fromkeys(streams)
    }
    for name, stream in zip(sensitive, streams, strict=True):
        cells = take_rows(table.column(name), sources[stream])
        table = table.set_column(table.column_names.index(name), table.schema.field(name), cells)
    names = [name for name in table.column_names if not name.startswith("shoal:") and name != GROUP]
    shown = table.select([*names, GROUP, ROW]).append_column(CLASS, arrow_from_numpy(groups))
    return shown.append_column(STATISTICS, pa.nulls(len(table), pa.string()))


def permuted_figures(
    choice: Choice,
    lines: PermutationFacts,
    records: int,
    groups: int,
    errors: dict[str, float],
    notes: tuple[str, ...],
) -> ReleaseFigures:
    return ReleaseFigures(
        classes=groups,
        suppressed=lines.rows - records,
        method=choice.method.name,
        why=choice.why,
        loss={"ncp": 0.0, "ncp_range": 0.0} | errors,
        exact_cells=1.0,
        paid={},
        fallen=0.0,
        notes=notes,
    )
