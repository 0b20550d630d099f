"""The driver hears what tasks have found, and never the table."""

import pytest
from pyarrow import parquet

from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.rows import SparkWorkspace
from tests.engines.incomes import assert_released_as_in_memory, incomes

ROWS = 4_000_000
PART_ROWS = 500_000
ONE_PERCENT = 100
MOST_SAMPLED = 4_000_000  # bytes of the rows on which leaks are judged, of a table of any size


@pytest.mark.slow
@pytest.mark.parametrize("method", ["aggranon", "residual", "mondrian"])
def test_the_driver_receives_a_sample_and_at_most_a_hundredth_of_the_rows(
    method, spark, tmp_path, monkeypatch
):
    """All that it is ever told, together, beside the table as it lies in memory."""
    received, table, collected = list[int](), incomes(ROWS), SparkWorkspace.collected

    def counted(place, frame, inputs=()):
        said = collected(place, frame, inputs)
        received.append(sum(len(row.found) for row in said))
        return said

    monkeypatch.setattr(SparkWorkspace, "collected", counted)
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=PART_ROWS)
    with SparkEngine(spark, tmp_path, PART_ROWS) as engine:
        assert_released_as_in_memory(engine, tmp_path / "t.parquet", tmp_path, method)
    beyond_samples = sum(received) - MOST_SAMPLED
    assert beyond_samples * ONE_PERCENT < table.nbytes, sorted(received)[-10:]
