"""Small tasks that together call every kernel, with every kind of arguments that commands call it with."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adversary.attacks import attack
from shoal.adversary.beliefs.sweep_line import SweepLine
from shoal.adversary.matching.axes import Axis
from shoal.adversary.matching.people_tree import runs_in_tree
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.kernels.order import LARGE, random_tie_order
from shoal.methods.means.linkage import linkage_shares
from shoal.methods.permutation.merge_groups import join_failing
from shoal.methods.permutation.points import FEW, points_of
from shoal.policy.model.policy import Policy
from shoal.release.apply import apply_recoding
from shoal.release.large_release import release_large
from shoal.release.release import anonymize_in_memory
from shoal.table.files.csv_blocks import end_of_first_row, rows_of_block

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

AVERAGES = {row.name for row in METHODS if row.family == "means"}


def task_groups() -> list[dict[str, Task]]:
    """Tasks by name; those that share kernels are together, the groups that take longest come first."""
    averages = [row for row in METHODS if row.name in AVERAGES]
    local = [row for row in METHODS if row.one_box or row.family == "stars"]
    search = [row for row in METHODS if row.family == "levels"]
    rest = [row for row in METHODS if row not in (*averages, *local, *search)]
    families: list[dict[str, Task]] = [
        {row.name: partial(_method, row) for row in rows} for rows in (averages, local, search, rest)
    ]
    others: dict[str, Task] = {
        "bands": _bands,
        "one axis": _single_axis,
        "rare values": _rare_values,
        "points": _points,
        "long columns": _long_columns,
        "stars": _stars,
        "recodings": _applied,
    }
    files: dict[str, Task] = {"attacks": _attacks, "files": _files, "tables beyond memory": _large_tables}
    return [*families, others, files]


def _method(row: MethodRow) -> None:
    """Each guarantee that the method serves, with and without a demand on sensitive values."""
    for kind in (kind for kind in ASKED if kind in row.serves):
        for besides in ([],) if row.baseline else ([DIVERSE], []):
            anonymize_in_memory(TABLE, _policy(row.name, ASKED[kind] | {"kind": kind}, *besides), seed=1)


def _policy(method: str, *guarantees: dict[str, Any], **options: Any) -> Policy:
    kind = guarantees[0]["kind"]
    words = "other" if kind in ("kf-anonymity", "ke-anonymity") else "quasi"
    if kind == "k-anonymity" and method in AVERAGES:
        options = {"totals": True} | options
    return Policy(
        columns={"a": "quasi", "b": "quasi", "c": words, "s": "sensitive"},
        guarantees=guarantees,
        hierarchies={"a": {"groups": [4, 4]}} if kind == "k-anonymity" else {},
        method={"name": method, "suppression": 0.1, "options": options},
    )


def _bands() -> None:
    """Attackers who know a total not quite, or more besides."""
    known = ASKED["kf-anonymity"] | {"kind": "kf-anonymity"}
    for more in ({"within": "0.2"}, {"within": "0.2", "band": "any"}, {"also": ["c"]}, {"knows": ["a", "b"]}):
        for method in ("residual", "aggranon", "aligned"):
            with suppress(ShoalError):  # not every method serves everything
                anonymize_in_memory(TABLE, _policy(method, known | more), seed=1)
    anonymize_in_memory(TABLE, _policy("aggranon", known | {"knows": ["max(a, b)"]}), seed=1)


def _rare_values() -> None:
    """Classes that fall short at the end, and centres that lie beside a record's own."""
    random = np.random.default_rng(0)
    columns = {"a": random.integers(0, 31, ROWS), "b": random.integers(0, 17, ROWS)}
    shares = [0.5, 0.2, 0.1, 0.1, 0.05, 0.05]
    policy = Policy(
        columns={"a": "quasi", "b": "quasi", "s": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3}, DIVERSE | {"variant": "recursive", "c": 1.5}],
        method={"name": "cluster"},
    )
    anonymize_in_memory(pa.table({**columns, "s": random.choice(6, ROWS, p=shares)}), policy, seed=0)
    join_failing(np.zeros(3, np.bool_))
    points = np.arange(8.0).reshape(4, 2)
    linkage_shares(points, points[:2], np.array([0, 0, 1, 1]))


def _single_axis() -> None:
    policy = Policy(
        columns={"a": "quasi", "b": "other", "c": "other", "s": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3}],
        method={"name": "refined"},
    )
    anonymize_in_memory(TABLE, policy, seed=1)


def _points() -> None:
    """Values that lie close together, few that lie far apart, and many that do."""
    many = np.arange(FEW + 1, dtype=np.int64)
    for values in (many, many[:9] << 40, many << 20, many << 46):
        points_of(values)
    gap = {"kind": "ke-anonymity", "k": 3, "e": 4, "gap": "2", "sensitive": "s"}
    for method in ("min-max-exact", "min-max", "min-sum", "random"):
        with suppress(ShoalError):
            anonymize_in_memory(TABLE, _policy(method, gap), seed=1)


def _long_columns() -> None:
    """Columns that are sorted on two cores."""
    random_tie_order(np.arange(LARGE, dtype=np.int64), seeded_key(1))


def _attacks() -> None:
    """Attacks on many boxes, on sums of many classes, and of learning from permuted groups."""
    axis = Axis(np.arange(ROWS), np.arange(ROWS) + 2, np.zeros(0, np.int64))
    runs_in_tree((axis, axis), np.column_stack([np.arange(ROWS), np.arange(ROWS)]))
    people = Axis(np.arange(ROWS), np.arange(ROWS) + 2, np.arange(ROWS))
    SweepLine.of(people, np.arange(ROWS), np.arange(ROWS))[0].narrowest(np.ones(ROWS))
    permuted = _policy("min-sum", ASKED["ke-anonymity"] | {"kind": "ke-anonymity"})
    attack(TABLE, anonymize_in_memory(TABLE, permuted, seed=1), only=["definetti"])
    boxes = _policy("residual", ASKED["kf-anonymity"] | {"kind": "kf-anonymity"})
    attack(TABLE, anonymize_in_memory(TABLE, boxes, seed=1), only=["aggregate"])


def _stars() -> None:
    """Stars that match anything, beside no other guarantee."""
    policy = Policy(
        columns={"a": "quasi", "b": "quasi", "c": "quasi", "s": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3, "stars": "any"}],
        method={"name": "suppress-cells"},
    )
    anonymize_in_memory(TABLE, policy, seed=1)


def _applied() -> None:
    """Recodings on new rows: places in boxes."""
    for method in ("mondrian", "cluster", "optimal"):
        release = anonymize_in_memory(TABLE, _policy(method, {"kind": "k-anonymity", "k": 3}), seed=1)
        if release.recoding is not None:
            apply_recoding(release.recoding, TABLE, seed=1)


def _files() -> None:
    """Files with quotes, read whole and in blocks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "quoted.csv"
        lines = [f'{a},{b},"{c}, {c}",{s}\n' for a, b, c, s in zip(*TABLE.to_pydict().values(), strict=True)]
        file.write_text("a,b,c,s\n" + "".join(lines), encoding="utf-8")
        policy = _policy("mondrian", {"kind": "k-anonymity", "k": 3})
        anonymize_in_memory(file, policy, seed=1)
        rows_of_block(file.read_bytes(), '"', ",", False)
        end_of_first_row(file.read_bytes(), '"', ",")
        release_large(_disk(), file, policy, Path(folder) / "release", seed=1)


def _large_tables() -> None:
    """What cuts, orders and deals out tables beyond memory."""
    asked = {
        "aggranon": "kf-anonymity",
        "mondrian": "k-anonymity",
        "mdav": "k-anonymity",
        "kpqr": "kpqr-anonymity",
        "optimal": "k-anonymity",
        "min-sum": "ke-anonymity",
    }
    for method, kind in asked.items():
        for besides in ([DIVERSE], []):
            policy = _policy(method, ASKED[kind] | {"kind": kind}, *besides)
            with tempfile.TemporaryDirectory() as folder, suppress(ShoalError):
                release_large(_disk(), TABLE, policy, Path(folder) / "release", seed=1)


def _disk() -> DiskEngine:
    return DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 9)
