"""All rows in one place, where they are few or memory is the engine."""

import pyarrow as pa

from shoal.engines.protocol import Rows


def gather_rows(rows: Rows) -> pa.Table:
    """All rows as one table in memory."""
    found = rows.fold(lambda table: table, lambda one, other: pa.concat_tables([one, other]))
    return rows.schema.empty_table() if found is None else found.combine_chunks()
