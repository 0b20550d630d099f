"""What a run has made, in sentences."""

import pyarrow as pa
import pytest

from shoal.policy.policy import Policy
from shoal.release.release import Release, anonymize
from shoal.report.column_loss import column_losses
from shoal.report.pairs import Pairs
from shoal.report.run_told import run_told
from shoal.table.table import Table

PEOPLE = pa.table(
    {"age": [20, 30, 40, 50, 60, 70], "postcode": [10_000, 90_000, 10_200, 90_200, 10_400, 90_400]}
)


def made(objective: str) -> Release:
    policy = Policy(
        columns=dict.fromkeys(PEOPLE.column_names, "quasi"),
        guarantees=[{"kind": "k-anonymity", "k": 3}],
        method={"name": "mondrian", "objective": objective},
    )
    return anonymize(PEOPLE, policy)


@pytest.mark.parametrize(("objective", "explained"), [("ncp", True), ("ncp_range", False)])
def test_shares_of_the_loss_are_explained_where_they_are_not_what_columns_have_lost(
    objective: str, explained: bool
) -> None:
    release = made(objective)
    [told] = [sentence for sentence in run_told(release) if sentence.startswith("Of this loss")]
    assert ("adds up widths in units" in told) is explained
    pairs = Pairs.of(release.original, Table(release.made.table), release.policy)
    lost = {one.column: one.loss or 0.0 for one in column_losses(pairs)}
    shares = {name: loss / sum(lost.values()) for name, loss in lost.items()}
    assert (release.made.paid == pytest.approx(shares)) is not explained
