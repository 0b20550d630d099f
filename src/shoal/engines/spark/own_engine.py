"""A Spark session of shoal's own and the engine on it, for as long as a run lasts."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.session import session

PART_ROWS = 500_000


@contextmanager
def spark_engine(
    master: str | None, folder: Path, settings: dict[str, str] | None = None
) -> Iterator[SparkEngine]:
    """An engine on all cores of this machine, or wherever ``master`` says; both see the folder."""
    spark = session(master or f"local[{os.cpu_count()}]", folder, settings)
    try:
        with SparkEngine(spark, folder, PART_ROWS) as engine:
            yield engine
    finally:
        spark.stop()
