"""On tables of many parts, every engine says of its releases what memory says."""

import numpy as np
import pyarrow as pa
import pytest

import shoal

from .engines import assert_as_in_memory
from .tables import Case

ROWS, PART_ROWS = 30_000, 4_000
ALIKE = shoal.KAnonymity(k=5)
SUM = shoal.KfAnonymity(k=5, knows=["pay + rent + gain"])
APART = shoal.KeAnonymity(k=5, e=20, sensitive="income")
ASKED = {"aggranon": SUM, "residual": SUM, "mondrian": ALIKE, "optimal": ALIKE, "min-sum": APART}


def people():
    """Few enough different records for a search to see them all at once."""
    draw = np.random.default_rng(4)
    return pa.table(
        {
            "pay": draw.integers(0, 40, ROWS) * 100,
            "rent": draw.integers(0, 12, ROWS),
            "gain": draw.integers(-3, 4, ROWS),
            "income": draw.integers(0, 900, ROWS),
        }
    )


@pytest.mark.parametrize(
    "engine", ["disk", pytest.param("spark", marks=pytest.mark.slow)], indirect=["engine"]
)
@pytest.mark.parametrize("method", ASKED)
def test_a_table_of_many_parts_is_released_as_in_memory(engine, method, tmp_path):
    policy = shoal.Policy(
        columns=dict.fromkeys(["pay", "rent", "gain"], "quasi") | {"income": "sensitive"},
        guarantees=[ASKED[method]],
        method={"name": method, "suppression": 0.1},
    )
    case = Case(people(), policy, "parquet", seed=3)
    release = shoal.anonymize(case.original, policy, seed=case.seed)
    release.write(tmp_path / "memory", "parquet")
    engine.write(case, tmp_path, PART_ROWS)
    assert_as_in_memory(tmp_path, release)
    assert all(verdict.holds for verdict in shoal.open_release(tmp_path / "release").verify())
