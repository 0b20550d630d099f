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
        (A + B, "hidden cells of 'a + b'"),
        ((A + B) * 12.5, "hidden cells of 'a + b'"),
        ([f"band {total}" for total in A + B], "hidden cells of 'a + b'"),
        (1000 - A - B, "hidden cells of 'a + b'"),
        (A, "hidden cells of 'a'"),
    ],
)
def test_a_column_that_gives_the_aggregate_away_is_a_fault(column, reason):
    with pytest.raises(shoal.ShoalError, match="column 'extra' is published as it is and") as error:
        publish(column)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    "column", [DRAW.integers(0, 4, 200), np.arange(200), [f"id {row}" for row in range(200)], [None] * 200]
)
def test_unrelated_columns_are_published(column):
    assert publish(column).result.table.num_rows == 200


@pytest.mark.parametrize(
    "column",
    [
        [f"CHF {total}" for total in A + B],
        [f"{total:,}" for total in (A + B) * 1000],
        np.round((A + B) * 0.2 + 3),
        (A + B) // 3,
        -(A + B) // 2,
        A / 8,
        np.where(A % 2, A * 3, A * 3 + 1),
    ],
    ids=["text", "thousands", "rounded tax", "in threes", "falling", "a quasi column scaled", "one to one"],
)
def test_a_column_that_tells_or_follows_what_is_protected_is_a_fault(column):
    with pytest.raises(shoal.ShoalError, match="column 'extra' is published as it is and"):
        publish(column)


@pytest.mark.parametrize("column", [DRAW.permutation(A + B), DRAW.integers(0, 5, 200), np.arange(200)])
def test_a_column_that_has_nothing_to_do_with_it_is_published(column):
    assert publish(column).verdicts[0].holds
