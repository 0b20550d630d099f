"""Let every method run once on a small table, on two cores, so that tests need not compile it twice each."""

import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal.adversary.matching.axes import Axis
from shoal.adversary.matching.people_tree import runs_in_tree
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.progress import RowProgress
from shoal.release.large_release import release_large

ROWS = 40
TABLE = pa.table(
    {
        "a": [(7 * row) % 31 for row in range(ROWS)],
        "b": [(5 * row) % 17 for row in range(ROWS)],
        "c": ["xyz"[row % 3] for row in range(ROWS)],
        "s": [(3 * row) % 8 for row in range(ROWS)],
    }
)
DIVERSE: dict[str, Any] = {"kind": "l-diversity", "l": 2, "sensitive": "s"}
ASKED: dict[str, dict[str, Any]] = {
    "kf-anonymity": {"k": 3, "knows": ["a + b"]},
    "ke-anonymity": {"k": 3, "e": 2, "sensitive": "s"},
    "kpqr-anonymity": {"k": 3, "p": 3, "q": "0.3", "r": "0.9", "sensitive": "s"},
    "k-anonymity": {"k": 3},
}


def parts() -> list[list[MethodRow]]:
    """Methods that share kernels together, those that take longest first."""
    averages = [row for row in METHODS if row.family == "means"]
    local = [row for row in METHODS if row.one_box or row.family == "stars"]
    search = [row for row in METHODS if row.family == "levels"]
    return [averages, local, search, [row for row in METHODS if row not in (*averages, *local, *search)]]


def compile_all(names: list[str]) -> None:
    for row in (row for row in METHODS if row.name in names):
        for kind in (kind for kind in ASKED if kind in row.serves):
            shoal.anonymize(TABLE, _policy(row, kind), seed=1)


def _policy(row: MethodRow, kind: str) -> shoal.Policy:
    words = "other" if kind in ("kf-anonymity", "ke-anonymity") else "quasi"
    options: dict[str, Any] = {"totals": True} if kind == "k-anonymity" and row.family == "means" else {}
    return shoal.Policy(
        columns={"a": "quasi", "b": "quasi", "c": words, "s": "sensitive"},
        guarantees=[{"kind": kind, **ASKED[kind]}, *([] if row.baseline else [DIVERSE])],
        hierarchies={"a": {"groups": [4, 4]}} if kind == "k-anonymity" else {},
        method={"name": row.name, "suppression": 0.1, "options": options},
    )


def compile_attacks() -> None:
    """Those of many boxes, and of learning from permuted groups."""
    axis = Axis(np.arange(ROWS), np.arange(ROWS) + 2, np.zeros(0, np.int64))
    runs_in_tree((axis, axis), np.column_stack([np.arange(ROWS), np.arange(ROWS)]))
    permuted = next(row for row in METHODS if row.name == "min-sum")
    shoal.attack(TABLE, shoal.anonymize(TABLE, _policy(permuted, "ke-anonymity"), seed=1), only=["definetti"])


def compile_engines() -> None:
    """What cuts, orders and deals out tables beyond memory."""
    disk = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 9)
    asked = {"aggranon": "kf-anonymity", "mondrian": "k-anonymity", "min-sum": "ke-anonymity"}
    for row in (row for row in METHODS if row.name in asked):
        with tempfile.TemporaryDirectory() as folder:
            release_large(disk, TABLE, _policy(row, asked[row.name]), Path(folder) / "release", seed=1)


def compile_stars() -> None:
    """Stars that match anything, beside no other guarantee."""
    shoal.anonymize(
        TABLE,
        shoal.Policy(
            columns={"a": "quasi", "b": "quasi", "c": "quasi", "s": "sensitive"},
            guarantees=[{"kind": "k-anonymity", "k": 3, "stars": "any"}],
            method={"name": "suppress-cells"},
        ),
        seed=1,
    )


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        methods = pool.map(compile_all, [[row.name for row in part] for part in parts()])
        others = [pool.submit(task) for task in (compile_attacks, compile_stars, compile_engines)]
        list(methods)
        for other in others:
            other.result()


if __name__ == "__main__":
    main()
