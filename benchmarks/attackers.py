"""What attacks cost beside a sort of the same records, in one process.

``python attackers.py`` prints milliseconds as JSON: of a sort of a million totals and of their order, and
of the aggregate and linkage attacks on the raw table and on a release of it by aggranon.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
import pyarrow as pa

from shoal.adversary.attackers.aggregate import aggregate
from shoal.adversary.attackers.linkage import linkage
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.anonymizer.anonymize import anonymize_table
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

MILLION = 1_000_000
COLUMNS = tuple(f"income_{number}" for number in range(7))
ROUNDS = 5
SORT, ORDER = "sort of the totals", "order of the records (argsort)"


def milliseconds(step: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = perf_counter()
        step()
        times.append((perf_counter() - started) * 1e3)
    return round(median(times), 1)


def scenes(rows: int) -> tuple[pa.Table, dict[str, Scene]]:
    random = np.random.default_rng(rows)
    table = pa.table({name: random.lognormal(8, 1.5, rows).astype(np.int64) for name in COLUMNS})
    asked = {"kind": "kf-anonymity", "k": 10, "knows": [" + ".join(COLUMNS)]}
    policy = Policy(columns=dict.fromkeys(COLUMNS, "quasi"), guarantees=[asked], method={"name": "aggranon"})
    original = Table(table)
    made = anonymize_table(original, policy, seeded_key(1)).table
    published = Scene(PublishedTable(original), PublishedTable(Table(made)), policy)
    return table, {"raw": Scene.raw_table(original, policy), "release": published}


def _first(attack: Callable[[Scene], Iterator[AttackResult]], scene: Scene) -> float:
    return next(attack(scene)).below


def main() -> None:
    table, found = scenes(MILLION)
    totals = np.sum([table[name].to_numpy() for name in COLUMNS], axis=0)
    times = {SORT: milliseconds(lambda: np.sort(totals)), ORDER: milliseconds(lambda: np.argsort(totals))}
    for name, scene in found.items():
        next(aggregate(scene))  # cells are read once, whoever attacks
        for attack in (aggregate, linkage):
            times[f"{attack.__name__}, {name}"] = milliseconds(partial(_first, attack, scene))
    print(json.dumps(times))


if __name__ == "__main__":
    main()
