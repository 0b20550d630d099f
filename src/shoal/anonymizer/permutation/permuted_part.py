"""A part of a permuted release as it is published."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from shoal.anonymizer.permutation.permutation_facts import POINT, PermutationFacts
from shoal.anonymizer.plan_request import PlanRequest
from shoal.arrays import Ints
from shoal.engines.steps.part_statistics import CLASS, STATISTICS
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.permute import permute
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.numbered_rows import ROW, ids_of, ints_of


def permuted_schema(staged: pa.Schema, lines: PermutationFacts) -> pa.Schema:
    """The columns of published rows: those of the policy, and the group, number and class of each row."""
    kinds = [staged.field(name) for name in lines.names]
    own = [(GROUP, pa.int32()), (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())]
    return pa.schema([*kinds, *(pa.field(*kind) for kind in own)])


def permuted_part(policy: Policy, key: Key, _number: int, table: pa.Table) -> pa.Table:
    """Exact columns as they are, sensitive ones with the cells of another row of the group; what is the
    plan's own is left out. The part holds its groups whole."""
    table = table.combine_chunks()
    groups, ids = ints_of(table, GROUP).astype(np.int64), np.array(ids_of(table))

    def source_of(stream: int) -> Ints:
        return permute(groups - groups.min(), key, stream=stream, ids=ids)

    return _permuted_columns(policy, table, source_of, groups)


def swapped_table(request: PlanRequest, table: pa.Table) -> pa.Table:
    """All rows, the sensitive cells of which are those of a row of near rank; each row is a class."""
    points, options = np.array(ints_of(table, POINT)), request.policy.method.options
    source = request.choice.method.run(points, request.key, options)
    return _permuted_columns(request.policy, table, lambda _stream: source, ids_of(table))


def _permuted_columns(
    policy: Policy, table: pa.Table, source_of: Callable[[int], Ints], classes: Ints
) -> pa.Table:
    """Sensitive columns have the cells of the rows ``source_of(stream)``."""
    sensitive = policy.having("sensitive")
    streams = [0 if policy.permutes_together else at for at in range(len(sensitive))]
    sources = {stream: arrow_from_numpy(source_of(stream)) for stream in dict.fromkeys(streams)}
    for name, stream in zip(sensitive, streams, strict=True):
        cells = take_rows(table.column(name), sources[stream])
        table = table.set_column(table.column_names.index(name), table.schema.field(name), cells)
    names = [name for name in table.column_names if not name.startswith("shoal:")]
    shown = table.select([*names, ROW]).append_column(CLASS, arrow_from_numpy(classes))
    return shown.append_column(STATISTICS, pa.nulls(len(table), pa.string()))
