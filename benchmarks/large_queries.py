"""What questions to a large permuted release cost beside the plain questions to the same database.

``python large_queries.py 5000000`` makes a permuted release of so many rows on disk, in a temporary folder,
and asks as `shoal query` would: it opens the folder, which checks the fingerprint of the database, and then
asks every question plainly and with bounds, by turns. ``python large_queries.py FOLDER`` asks a release that
is there. Prints seconds, the least of a few rounds, their ratios, and peaks of memory, as JSON; the release
is made in a process of its own.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.query.permuted.database import open_file
from shoal.release.database.database_file import DATABASE
from shoal.release.integrity.manifest import file_hash
from shoal.release.large_release import release_large

MEMORY = 1_500_000_000
ROWS_AT_ONCE = 1_000_000
PAY_STEP = 50  # salaries are multiples of it: some 5,000 different ones in a million
ROUNDS = 3
QUESTIONS = {
    "sum": "select sum(salary) from data where age between 30 and 60 and education > 7",
    "avg": "select avg(salary), count(*) from data where age > 50",
    "min max": "select min(salary), max(salary) from data where age > 50",
    "avg by gender": "select gender, avg(salary), count(*) from data where age > 50 group by gender",
    "avg by age": "select age, avg(salary), count(*) from data group by age",
    "median": "select median(salary) from data where age > 50",
    "quartile": "select quantile_cont(salary, 0.25) from data where age > 50",
    "variance": "select variance(salary) from data where age > 50",
    "a year's pay": "select avg(12 * salary) from data where age > 50",
    "condition on pay": "select count(*), avg(salary) from data where age > 50 and salary > 40020",
    "not this pay": "select sum(salary) from data where age > 50 and salary <> 40000",
    "everybody": "select sum(salary), avg(salary) from data",
}
POLICY = shoal.Policy(
    columns={"age": "quasi", "gender": "quasi", "education": "quasi", "salary": "sensitive"},
    guarantees=[shoal.KeAnonymity(k=20, e=Decimal(0), sensitive="salary")],
    method={"name": "min-sum"},
)


def people(rows: int) -> Iterator[pa.Table]:
    random = np.random.default_rng(rows)
    for start in range(0, rows, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, rows - start)
        salary = (np.rint(random.lognormal(10.5, 0.6, count) / PAY_STEP) * PAY_STEP).astype(np.int64)
        yield pa.table(
            {
                "age": random.integers(17, 91, count, np.int32),
                "gender": np.where(random.random(count) < 0.5, "F", "M"),
                "education": random.integers(0, 16, count, np.int32),
                "salary": salary,
            }
        )


def make(rows: int, folder: Path) -> dict[str, Any]:
    """The input and its release, inside a folder."""
    batches = people(rows)
    first = next(batches)
    with parquet.ParquetWriter(folder / "people.parquet", first.schema) as file:
        file.write_table(first)
        for table in batches:
            file.write_table(table)
    before, started = _peak(), perf_counter()
    disk = DiskEngine.with_memory(MEMORY, folder)
    release = release_large(disk, folder / "people.parquet", POLICY, folder / "release")
    return {
        "rows": rows,
        "groups": release.result.classes,
        "release_seconds": perf_counter() - started,
        "steps": release.seconds,
        "input_peak_gb": before,
        "release_peak_gb": _peak(),
    }


def ask(folder: Path) -> dict[str, Any]:
    """Both kinds of questions, by turns."""
    database = folder / DATABASE
    hashed = _seconds(file_hash, database)
    opened = shoal.open_release(folder)
    first = _seconds(opened.query, QUESTIONS["sum"])
    plain, _ = open_file(database, opened.policy.having("sensitive"))
    shapes = {}
    for name, sql in QUESTIONS.items():
        spent: dict[str, list[float]] = {"plain": [], "bounds": []}
        for _ in range(ROUNDS):
            spent["plain"].append(_seconds(lambda sql: plain.execute(sql).fetchall(), sql))
            spent["bounds"].append(_seconds(opened.query, sql))
        seconds = {kind: min(times) for kind, times in spent.items()}
        shapes[name] = {**seconds, "ratio": seconds["bounds"] / seconds["plain"]}
    return {
        "file_gb": database.stat().st_size / 1e9,
        "hash_seconds": hashed,
        "first_question_seconds": first,
        "questions": shapes,
        "peak_gb": _peak(),
    }


def _seconds(work: Callable[[Any], Any], what: Any) -> float:
    started = perf_counter()
    work(what)
    return perf_counter() - started


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main(arguments: Sequence[str]) -> None:
    if arguments[0] == "make":
        print(json.dumps(make(int(arguments[1]), Path(arguments[2]))))
        return
    if not arguments[0].isdigit():
        print(json.dumps(ask(Path(arguments[0]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "make", arguments[0], folder]
        made = subprocess.run(command, check=True, capture_output=True, text=True)
        print(json.dumps({"made": json.loads(made.stdout), **ask(Path(folder) / "release")}))


if __name__ == "__main__":
    main(sys.argv[1:] or ["5000000"])
