"""What a question to a permuted release costs beside the plain question to the same table.

``python queries.py 1000000 20`` writes a database of so many rows into a temporary file, opens it as a reader
would, and prints the milliseconds of both questions, median of so many rounds, as JSON. DuckDB plans a
prepared statement again whenever it runs: on 10,000 rows both times are mostly planning, which grows with the
number of expressions. On a busy machine the ratio of processor times (``cpu``) is the steadier one.
"""

import json
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.min_sum import min_sum
from shoal.query.permuted.database import open_file, write_database
from shoal.query.permuted.rewrite import rewrite

K = 20
PAY_STEP = 50  # salaries are multiples of it: some 5,000 different ones in a million
SHAPES = {
    "sum": "select sum(salary) from data where age between 30 and 60 and education > 7",
    "avg": "select avg(salary), count(*) from data where age > 50",
    "min max": "select min(salary), max(salary) from data where age > 50",
    "avg by gender": "select gender, avg(salary), count(*) from data where age > 50 group by gender",
    "median": "select median(salary) from data where age > 50",
}
OTHERS = {
    "count where salary": "select count(*) from data where age > 50 and salary > 60000",
    "sum where salary": "select sum(salary) from data where age > 50 and salary > 60000",
    "avg where salary": "select avg(salary) from data where age > 50 and salary > 60000",
    "stddev": "select stddev(salary) from data where age > 50",
    "avg by age": "select age, avg(salary), count(*) from data group by age",
    "median by gender": "select gender, median(salary) from data group by gender",
}


def release(rows: int) -> pa.Table:
    """People with a lognormal salary in (20,0)-anonymous groups with the least sum of ranges."""
    random = np.random.default_rng(rows)
    salary = (np.rint(random.lognormal(10.5, 0.6, rows) / PAY_STEP) * PAY_STEP).astype(np.int64)
    return pa.table(
        {
            "age": random.integers(17, 91, rows, np.int32),
            "gender": np.where(random.random(rows) < 0.5, "F", "M"),
            "education": random.integers(0, 16, rows, np.int32),
            "salary": salary,
            "shoal_group": min_sum(salary, K, 0, seeded_key(1)),
        }
    )


def measure(rows: int, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "release.duckdb"
        table = release(rows)
        before = _peak()
        started = perf_counter()
        with duckdb.connect(str(file)) as connection:
            write_database(connection, table, ["salary"])
        seconds = perf_counter() - started
        connection, schema = open_file(file, ["salary"])
        shapes = {
            name: _both(connection, sql, rewrite(sql, schema).sql(), rounds)
            for name, sql in (SHAPES | OTHERS).items()
        }
        return {
            "rows": rows,
            "build_seconds": seconds,
            "table_peak_gb": before,
            "build_peak_gb": _peak(),
            "file_gb": file.stat().st_size / 1e9,
            "shapes": shapes,
        }


def _both(connection: duckdb.DuckDBPyConnection, plain: str, rewritten: str, rounds: int) -> dict[str, float]:
    """Both by turns, so that a busy machine hits them alike."""
    connection.execute(f"PREPARE plain AS {plain}")
    connection.execute(f"PREPARE rewritten AS {rewritten}")
    taken: dict[str, list[tuple[float, float]]] = {"plain": [], "rewritten": []}
    for _ in range(rounds + 1):
        for name, spent in taken.items():
            started, busy = perf_counter(), process_time()
            connection.execute(f"EXECUTE {name}").fetchall()
            spent.append((perf_counter() - started, process_time() - busy))
    wall, processor = (
        {name: median(pair[which] for pair in spent[1:]) * 1e3 for name, spent in taken.items()}
        for which in (0, 1)
    )
    ratios = {"ratio": wall["rewritten"] / wall["plain"], "cpu": processor["rewritten"] / processor["plain"]}
    return {**wall, **ratios}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main(arguments: Sequence[str]) -> None:
    rows, rounds = arguments
    print(json.dumps(measure(int(rows), int(rounds))))


if __name__ == "__main__":
    main(sys.argv[1:])
