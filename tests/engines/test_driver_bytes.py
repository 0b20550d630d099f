"""The driver hears what tasks have found, and never the table."""

import pytest
from pyarrow import parquet

from shoal.engines.spark import SparkEngine
from shoal.engines.spark_rows import Place

from .incomes import incomes, released_as_in_memory

ROWS = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("method", ["aggranon", "residual", "mondrian"])
def test_the_driver_receives_little(method, spark, tmp_path, monkeypatch):
    received, table, collected = list[int](), incomes(ROWS), Place.collected

    def counted(place, frame):
        said = collected(place, frame)
        received.append(sum(len(row.found) for row in said))
        return said

    monkeypatch.setattr(Place, "collected", counted)
    monkeypatch.setattr("shoal.methods.residual_parts.ROWS_AT_ONCE", 5000)
    monkeypatch.setattr("shoal.engines.leaks.ENOUGH", 100)  # 50,000 rows, which are few of a large table
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=4000)
    with SparkEngine(spark, tmp_path, part_rows=3000) as engine:
        released_as_in_memory(engine, tmp_path / "t.parquet", tmp_path, method)
    assert max(received) < table.nbytes / 10, sorted(received)
