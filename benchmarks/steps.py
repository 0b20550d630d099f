"""What the methods cost beside what memory allows, on one table of whole numbers, in one process.

``python steps.py times table.npy 3`` prints milliseconds per step, ``python steps.py peak table.npy
aggranon`` the most memory that a process which does nothing else ever held.
"""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.aggregates.aggranon import aggranon
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.aligned import aligned
from shoal.methods.aggregates.knowledge import Knowledge
from shoal.methods.aggregates.residual import residual
from shoal.methods.boxes.mondrian import mondrian

Step = Callable[[Ints], object]

K = 10
KEY = seeded_key(1)
MILLION = 1_000_000
COMPILE_ROWS = 1_000
FLOOR = ("row sums", "stable argsort", "gather")


def total(values: Ints) -> WeightedSum:
    return WeightedSum(np.ones(values.shape[1], np.int64))


METHODS: dict[str, Step] = {
    "aggranon": lambda values: aggranon(values, total(values), K, KEY),
    "mondrian": lambda values: mondrian(values, K, KEY),
    "mondrian relaxed": lambda values: mondrian(values, K, KEY, relaxed=True),
    "residual": lambda values: residual(values, Knowledge((total(values),)), K, KEY),
    "aligned": lambda values: aligned(values, total(values), K, KEY),
}
MOST_ROWS = {"mondrian relaxed": MILLION, "residual": MILLION}  # beyond, they would only take long


def methods_for(rows: int) -> list[str]:
    return [name for name in METHODS if rows <= MOST_ROWS.get(name, rows)]


def floor_steps(values: Ints) -> dict[str, Step]:
    """Sort the rows by their sum and fetch them in that order: nobody can do less."""
    sums = values.sum(axis=1)
    order = np.argsort(sums, kind="stable")
    return {
        "row sums": lambda values: values.sum(axis=1),
        "stable argsort": lambda _: np.argsort(sums, kind="stable"),
        "gather": lambda values: values[order],
    }


def times(values: Ints, rounds: int) -> dict[str, dict[str, float]]:
    """Median milliseconds and cores of every step; rounds go through all steps, so that a busy
    machine hits all of them alike. Compiling is done before and not counted."""
    steps = floor_steps(values) | {name: METHODS[name] for name in methods_for(len(values))}
    for name in methods_for(len(values)):
        METHODS[name](values[:COMPILE_ROWS])
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            started, worked = perf_counter(), process_time()
            step(values)
            taken[name].append((perf_counter() - started, process_time() - worked))
    return {name: _summary(spent) for name, spent in taken.items()}


def _summary(spent: list[tuple[float, float]]) -> dict[str, float]:
    wall, work = (median(part) for part in zip(*spent, strict=True))
    return {"ms": wall * 1e3, "cores": work / wall}


def peak(values: Ints, name: str) -> dict[str, float]:
    METHODS[name](values)
    return {"peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9}


def main(task: str, file: str, argument: str) -> None:
    values = np.load(Path(file))
    print(json.dumps(times(values, int(argument)) if task == "times" else peak(values, argument)))


if __name__ == "__main__":
    main(*sys.argv[1:])
