"""What was made of rows in memory, as one table in the order that is drawn for it."""

from dataclasses import fields
from functools import partial

import numpy as np

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.output import public_columns
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.steps.shuffle import shuffle
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key
from shoal.table.columns.numbered_rows import ids_of, ints_of


def gather(made: AnonymizedRows, key: Key) -> AnonymizedTable:
    """Classes are numbered in the order in which they are published."""
    rows = shuffle(made.rows, key, made.records)
    assert isinstance(rows, MemoryRows)  # noqa: S101 - as what was given
    shown = rows.table
    figures = made.figures(PartStatistics.read(shown.column(STATISTICS).drop_null().to_pylist()))
    input_rows = ids_of(shown)
    class_of = dense_codes([ints_of(shown, CLASS)])
    linkage = made.linkage and partial(made.linkage, class_of[np.argsort(input_rows)])
    return AnonymizedTable(
        **{one.name: getattr(figures, one.name) for one in fields(figures)},
        table=public_columns(shown),
        input_rows=input_rows,
        class_of=class_of,
        linkage=linkage,
        recoding=made.recoding,
    )
