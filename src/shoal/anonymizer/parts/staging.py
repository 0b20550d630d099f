"""Rows made ready for a method: quasi columns as whole numbers, what is published as it is beside them."""

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.anonymizer.parts.table_facts import TableFacts, drop_leaving_rows
from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.number_summary import units_on_scale
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.spelling import same_values


def stage_rows(rows: Rows, facts: TableFacts, sensitive: SensitiveCodes | None = None) -> Rows:
    """Rows as methods read them, with the codes of sensitive values where something is asked of those."""
    sensitive = sensitive or SensitiveCodes.nothing()
    kinds = [
        (name, rows.schema.field(name).type if name in facts.carried else pa.int64()) for name in facts.names
    ]
    kinds += [(name, pa.int64()) for name in (ROW, *sensitive.names)]
    return rows.map(partial(_stage, facts, sensitive), pa.schema(kinds)).kept()


def _stage(facts: TableFacts, sensitive: SensitiveCodes, table: pa.Table) -> pa.Table:
    table = drop_leaving_rows(facts.leaving, table)
    scales = dict(zip(facts.ends.names, facts.ends.scales, strict=True))
    columns = {}
    for name in (*facts.names, ROW):
        columns[name] = column = table.column(name)
        if name in facts.words:
            columns[name] = _codes(column, facts.words[name], facts.places.get(name))
        elif name in scales:
            columns[name] = arrow_from_numpy(units_on_scale(column, scales[name])[0])
    return pa.table(columns | sensitive.coded(table))


def _codes(column: pa.ChunkedArray, words: tuple[str | None, ...], places: Ints | None) -> pa.ChunkedArray:
    """The number of every value among all words of the column, however it is spelt."""
    cells = encode(column)
    found = pc.index_in(same_values(cells.cells), value_set=pa.array(words, pa.string())).cast(pa.int64())
    codes = found.take(arrow_from_numpy(cells.numbers))
    return codes if places is None else pc.take(arrow_from_numpy(places), codes)
