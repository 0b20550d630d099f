"""What (k,e)-anonymous partitions cost beside a sort of the same values, in one process.

``python partitions.py`` prints milliseconds as JSON: of a sort and of every method on a million values of
several shapes, of min-max-exact on 100,000 values, and of the permutation of ten million rows.
"""

import json
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.max_groups import max_groups
from shoal.methods.permutation.min_max import min_max
from shoal.methods.permutation.min_max_exact import min_max_exact
from shoal.methods.permutation.min_sum import min_sum
from shoal.methods.permutation.permute import permute

K = 5
KEY = seeded_key(1)
MILLION = 1_000_000
ROUNDS = 7
SORT = "sort"
EXACT = "min-max-exact, 100,000 values, 5,000 different"
PERMUTE = "permute, 10,000,000 rows in groups of 100"
METHODS = {"min-sum": min_sum, "max-groups": max_groups, "min-max": min_max}


def shapes(rows: int) -> dict[str, Ints]:
    rng = np.random.default_rng(rows)
    wide, few = rng.integers(-(2**39), 2**39, rows), rng.integers(0, 100, rows)
    return {
        "uniform over 2^40": wide,
        "uniform, some equal": rng.integers(0, rows, rows),
        "lognormal, many equal": np.round(rng.lognormal(10, 1, rows)).astype(np.int64),
        "negative and positive": rng.integers(-5000, 5000, rows),
        "100 different": few,
        "100 different, far apart": few * 10**9,
        "blocks of 1,000 equal": np.repeat(rng.permutation(rows // 1000), 1000),
    }


def milliseconds(step: Callable[[], object]) -> float:
    started = perf_counter()
    step()
    return (perf_counter() - started) * 1e3


def partition_times() -> dict[str, dict[str, float]]:
    """Medians per shape; the range asked for is a two-thousandth of all values."""
    for method in METHODS.values():  # compile
        for values in shapes(30_000).values():
            method(values, K, 1, KEY)
    found = {}
    for shape, values in shapes(MILLION).items():
        e = int(values.max() - values.min()) // 2000
        spent: dict[str, list[float]] = {name: [] for name in (SORT, *METHODS)}
        for _ in range(ROUNDS):
            spent[SORT].append(milliseconds(partial(np.sort, values)))
            for name, method in METHODS.items():
                spent[name].append(milliseconds(partial(method, values, K, e, KEY)))
        found[shape] = {name: median(times) for name, times in spent.items()}
    return found


def single_times() -> dict[str, float]:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5000, 100_000) ** 2
    groups = rng.permutation(10 * MILLION) % (MILLION // 10)
    min_max_exact(values[:1000], K, 100, KEY)
    permute(groups[:1000] % 10, KEY)
    return {
        EXACT: milliseconds(lambda: min_max_exact(values, K, 10_000, KEY)),
        PERMUTE: milliseconds(lambda: permute(groups, KEY)),
    }


if __name__ == "__main__":
    print(json.dumps({"partitions": partition_times(), "single": single_times()}))
