"""Spark's Python workers are copies of this process, which has loaded once what each of them needs."""

import pyarrow as pa

import shoal.engines.csv_pieces
import shoal.engines.spark.part_files
import shoal.engines.spark.tasks
import shoal.kernels.keyed_hash  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    pa.array([0])  # at the first value it is given, Arrow looks for pandas
    manager()
