"""A small table with every kind of column, its policy, and a release of it on disk."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory

ROWS = 60
SECRET = bytes(range(16))


def people() -> pa.Table:
    """Recognisable cells: nothing here looks like a count, a size or a line number."""
    return pa.table(
        {
            "region": [f"Region-{row % 5}" for row in range(ROWS)],
            "salary": [830_000 + 1_113 * row for row in range(ROWS)],
            "name": [f"Zaphod-{row:03d}" for row in range(ROWS)],
            "bonus": [Decimal(70_051 + 25 * (row % 11)) / 100 for row in range(ROWS)],
            "illness": [("flutter", "dropsy", None)[row % 3] for row in range(ROWS)],
        }
    )


POLICY = Policy(
    columns={
        "region": "other",
        "salary": "quasi",
        "name": "identifier",
        "bonus": "quasi",
        "illness": "sensitive",
    },
    guarantees=[{"kind": "kf-anonymity", "k": 4, "knows": ["salary + bonus"]}],
)


@dataclass(frozen=True)
class Written:
    release: Release
    folder: Path
    audit: Path


Write = Callable[..., Written]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write("name", format=..., seed=...)``: anonymize the people and write a release."""

    def make(name: str = "release", format: str = "csv", force: bool = False, **how: Any) -> Written:
        release = anonymize_in_memory(people(), POLICY, **how)
        folder, audit = tmp_path / name, tmp_path / f"{name}-audit.csv"
        assert all(verdict.holds for verdict in release.write(folder, format, audit, force))
        return Written(release, folder, audit)

    return make


@pytest.fixture
def written(write: Write) -> Written:
    return write(secret=SECRET)
