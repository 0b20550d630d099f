"""A table of incomes, its policies, and what memory makes of it: every engine gives the same rows."""

from pathlib import Path

import numpy as np
import pyarrow as pa

import shoal
from shoal.release.large_release import release_large
from shoal.release.storage.audit import Audit

NAMES = ("pay", "rent", "gain")
SEED = 5


def incomes(rows: int) -> pa.Table:
    draw = np.random.default_rng(rows)
    columns = {name: draw.integers(-20, 400, rows) * (draw.random(rows) < 0.6) for name in NAMES}
    return pa.table(columns | {"note": [f"n{row % 7}" for row in range(rows)]})


def policy_for(method: str, k: int = 3) -> shoal.Policy:
    sums = {"kind": "kf-anonymity", "k": k, "knows": [" + ".join(NAMES)]}
    return shoal.Policy(
        columns={**dict.fromkeys(NAMES, "quasi"), "note": "other"},
        guarantees=[{"kind": "k-anonymity", "k": k} if method == "mondrian" else sums],
        method={"name": method},
    )


def assert_as_in_memory(folder: Path, audit: Path, table: pa.Table, policy: shoal.Policy) -> None:
    """The same rows in the same order, each from the same input row, once."""
    expected = shoal.anonymize(table, policy, seed=SEED).result
    published = shoal.open_release(folder).read().arrow
    assert published.cast(expected.table.schema) == expected.table
    assert (Audit.load(audit).input_rows == expected.input_rows).all()


def assert_released_as_in_memory(engine, path: Path, tmp_path: Path, method: str = "aggranon") -> None:
    """Publish a Parquet file on an engine; compare with memory and verify the release as a recipient."""
    table, policy = pa.parquet.read_table(path), policy_for(method)
    release_large(engine, path, policy, tmp_path / "release", audit=tmp_path / "audit.csv", seed=SEED)
    assert_as_in_memory(tmp_path / "release", tmp_path / "audit.csv", table, policy)
    assert all(verdict.holds for verdict in shoal.open_release(tmp_path / "release").verify())
