"""A weighted sum of the columns of an aggregate is an equation about every record, and is refused."""

import numpy as np
import pyarrow as pa
import pytest

import shoal

DRAW = np.random.default_rng(11)
ROWS = 400
WAGES, PENSION = DRAW.integers(0, 900, ROWS) * 100, DRAW.integers(0, 3000, ROWS)
TAX = np.round(0.3 * WAGES + 0.1 * PENSION)
SLIPS = np.where(np.arange(ROWS) % 50 == 7, TAX[::-1], TAX)


def publish(extra, accept=()):
    policy = shoal.Policy(
        columns={"wages": "quasi", "pension": "quasi", "extra": "other"},
        guarantees=[{"kind": "kf-anonymity", "k": 5, "knows": ["wages + pension"]}],
        leaks={"accept": list(accept)},
    )
    return shoal.anonymize(pa.table({"wages": WAGES, "pension": PENSION, "extra": extra}), policy, seed=1)


@pytest.mark.parametrize(
    "extra",
    [TAX, WAGES - PENSION, 0.3 * WAGES - 2 * PENSION + 7, SLIPS],
    ids=["tax", "minus", "more", "slips"],
)
def test_a_weighted_sum_of_the_columns_of_an_aggregate_is_refused(extra):
    with pytest.raises(shoal.ShoalError, match="column 'extra' is published as it is"):
        publish(extra)
    told = publish(extra, accept=["extra"]).result.leaks
    assert any(leak.fills and leak.columns == ("extra",) for leak in told)


@pytest.mark.parametrize("number", range(25))
def test_columns_of_their_own_are_published_without_a_word(number):
    draw = np.random.default_rng(number)
    kinds = [draw.integers(0, 12, ROWS), draw.integers(0, 5000, ROWS), draw.normal(0, 1, ROWS).round(3)]
    assert publish(kinds[number % 3]).result.leaks == ()
