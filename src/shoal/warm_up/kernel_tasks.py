"""Small tasks that together call every kernel, with every kind of arguments that commands call it with."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adversary.attacks import attack
from shoal.adversary.matching.axes import Axis
from shoal.adversary.matching.people_tree import runs_in_tree
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.progress import RowProgress
from shoal.policy.model.policy import Policy
from shoal.release.large_release import release_large
from shoal.release.release import anonymize

Task = Callable[[], None]

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


def task_groups() -> list[dict[str, Task]]:
    """Tasks by name; those that share kernels are together, the groups that take longest come first."""
    averages = [row for row in METHODS if row.average]
    local = [row for row in METHODS if row.group or row.stars]
    search = [row for row in METHODS if row.search]
    rest = [row for row in METHODS if row not in (*averages, *local, *search)]
    families: list[dict[str, Task]] = [
        {row.name: partial(_method, row) for row in rows} for rows in (averages, local, search, rest)
    ]
    return [*families, {"attacks": _attack, "stars": _stars, "tables beyond memory": _large_tables}]


def _method(row: MethodRow) -> None:
    for kind in (kind for kind in ASKED if kind in row.serves):
        anonymize(TABLE, _policy(row, kind), seed=1)


def _policy(row: MethodRow, kind: str) -> Policy:
    words = "other" if kind in ("kf-anonymity", "ke-anonymity") else "quasi"
    options: dict[str, Any] = {"totals": True} if kind == "k-anonymity" and row.average else {}
    return Policy(
        columns={"a": "quasi", "b": "quasi", "c": words, "s": "sensitive"},
        guarantees=[{"kind": kind, **ASKED[kind]}, *([] if row.swap else [DIVERSE])],
        hierarchies={"a": {"groups": [4, 4]}} if kind == "k-anonymity" else {},
        method={"name": row.name, "suppression": 0.1, "options": options},
    )


def _attack() -> None:
    """Attacks on many boxes, and of learning from permuted groups."""
    axis = Axis(np.arange(ROWS), np.arange(ROWS) + 2, np.zeros(0, np.int64))
    runs_in_tree((axis, axis), np.column_stack([np.arange(ROWS), np.arange(ROWS)]))
    permuted = next(row for row in METHODS if row.name == "min-sum")
    attack(TABLE, anonymize(TABLE, _policy(permuted, "ke-anonymity"), seed=1), only=["definetti"])


def _stars() -> None:
    """Stars that match anything, beside no other guarantee."""
    policy = Policy(
        columns={"a": "quasi", "b": "quasi", "c": "quasi", "s": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3, "stars": "any"}],
        method={"name": "suppress-cells"},
    )
    anonymize(TABLE, policy, seed=1)


def _large_tables() -> None:
    """What cuts, orders and deals out tables beyond memory."""
    disk = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 9)
    asked = {"aggranon": "kf-anonymity", "mondrian": "k-anonymity", "min-sum": "ke-anonymity"}
    for row in (row for row in METHODS if row.name in asked):
        with tempfile.TemporaryDirectory() as folder:
            release_large(disk, TABLE, _policy(row, asked[row.name]), Path(folder) / "release", seed=1)
