"""A column published as it is must not give the aggregate away."""

import numpy as np
import pyarrow as pa
import pytest

import shoal

DRAW = np.random.default_rng(7)
A, B = DRAW.integers(0, 50, 200), DRAW.integers(0, 50, 200)


def publish(column: object) -> shoal.Release:
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi", "extra": "other"},
        guarantees=[shoal.KfAnonymity(k=3, knows=["a + b"])],
    )
    return shoal.anonymize(pa.table({"a": A, "b": B, "extra": column}), policy, seed=1)


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (A + B, "determines a + b"),
        ((A + B) * 12.5, "determines a + b"),
        ([f"band {total}" for total in A + B], "determines a + b"),
        (1000 - A - B, "determines a + b"),
        (A, "equals quasi column 'a'"),
    ],
)
def test_a_column_that_gives_the_aggregate_away_is_a_fault(column, reason):
    with pytest.raises(shoal.ShoalError, match="guarantee would be empty") as error:
        publish(column)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    "column", [DRAW.integers(0, 4, 200), np.arange(200), [f"id {row}" for row in range(200)], [None] * 200]
)
def test_unrelated_columns_are_published(column):
    assert publish(column).made.table.num_rows == 200
