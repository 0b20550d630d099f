"""What a task does with its rows; no session is needed for that."""

import pyarrow as pa

from shoal.engines.spark_tasks import Pack


def test_rows_that_are_all_filtered_out_are_not_sent():
    table = pa.table({"part": [3, 1, 3], "x": ["a", "b", "c"]})
    for tables, parts in (([table.slice(0, 0)], []), ([table.slice(0, 0), table, table.slice(0, 0)], [1, 3])):
        pack = Pack(lambda _, tables=tables: enumerate(tables), "part")
        sent = [batch.column(0)[0].as_py() for batch in pack(iter(()))]
        assert sent == parts
