"""What a run has made, in sentences."""

import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory
from shoal.report.run_sentences import _moments_sentence, run_sentences
from shoal.table.table import Table
from shoal.utility.column_loss import column_losses
from shoal.utility.column_pairs import ColumnPairs

PEOPLE = pa.table(
    {"age": [20, 30, 40, 50, 60, 70], "postcode": [10_000, 90_000, 10_200, 90_200, 10_400, 90_400]}
)


def made(objective: str) -> Release:
    policy = Policy(
        columns=dict.fromkeys(PEOPLE.column_names, "quasi"),
        guarantees=[{"kind": "k-anonymity", "k": 3}],
        method={"name": "mondrian", "objective": objective},
    )
    return anonymize_in_memory(PEOPLE, policy)


@pytest.mark.parametrize(("objective", "explained"), [("ncp", True), ("ncp_range", False)])
def test_shares_of_the_loss_are_explained_where_they_are_not_what_columns_have_lost(
    objective: str, explained: bool
) -> None:
    release = made(objective)
    [told] = [sentence for sentence in run_sentences(release) if sentence.startswith("Of this loss")]
    assert ("adds up widths in units" in told) is explained
    pairs = ColumnPairs.of(release.original, Table(release.result.table), release.policy)
    lost = {one.column: one.loss or 0.0 for one in column_losses(pairs)}
    shares = {name: loss / sum(lost.values()) for name, loss in lost.items()}
    assert (release.result.paid == pytest.approx(shares)) is not explained


def test_weights_are_not_part_of_what_columns_are_said_to_carry():
    """Two columns of one range each: what they carry are their widths, however they are weighted."""
    table = pa.table({"a": [0, 10, 100, 110] * 5, "b": [0, 30, 200, 230] * 5})
    policy = {
        "columns": {"a": "quasi", "b": "quasi"},
        "guarantees": [{"kind": "kf-anonymity", "k": 10, "knows": ["a + b"]}],
        "method": {"name": "aggranon", "weights": {"a": 1000.0}},
    }
    release = anonymize_in_memory(table, Policy(**policy), seed=1)
    cells = {
        name: sum(cell["hi"] - cell["lo"] for cell in release.table[name].to_pylist()) for name in ("a", "b")
    }
    shares = {name: width / sum(cells.values()) for name, width in cells.items()}
    assert release.result.paid == pytest.approx(shares)
    assert "all figures here count the columns alike" in " ".join(run_sentences(release))


def test_weights_are_said_to_be_part_of_the_squared_distances():
    table = pa.table({"a": list(range(40)), "b": [row * row for row in range(40)]})
    policy = {
        "columns": {"a": "quasi", "b": "quasi"},
        "guarantees": [{"kind": "k-anonymity", "k": 4}],
        "method": {"name": "mdav", "weights": {"a": 3.0}},
    }
    told = " ".join(run_sentences(anonymize_in_memory(table, Policy(**policy), seed=1)))
    assert "sse_sst counts the columns by the policy's weights" in told


def test_the_least_variance_that_is_kept_is_told_as_the_least():
    columns = {"mean": {"before": [1.0, 1.0], "after": [1.0, 1.0]},
               "variance": {"before": [4.0, 10.0], "after": [3.0, 5.0]}}  # fmt: skip
    told = _moments_sentence({"columns": ["a", "b"], "largest_change": None, **columns})
    assert told == "Means are kept, variances keep at least 50.0% of their size (least: b)."
