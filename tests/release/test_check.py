"""The function behind ``shoal check``: tables from any tool."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.policy import Policy
from shoal.release.check import check

from .conftest import POLICY, Write, people

K_ANONYMOUS = Policy(
    columns={"age": "quasi", "name": "identifier"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
)


@pytest.mark.parametrize(
    "ages", [["[20, 39]"] * 2, ["20-39", "20..39"], ["20 - 39", "[20,39]"], [30, 30], ["30", "30.0"]]
)
def test_ranges_are_understood_however_they_are_written(ages: list[object]) -> None:
    (verdict,) = check(pa.table({"age": ages}), K_ANONYMOUS)
    assert verdict.holds


def test_a_raw_table_fails(write: Write) -> None:
    verdicts = check(people(), POLICY)
    assert [(verdict.kind, verdict.holds) for verdict in verdicts] == [
        ("kf-anonymity", False),
        ("no-identifiers", False),
    ]
    assert check(write().folder / "data.csv", POLICY)[0].holds


def test_a_column_that_nobody_declared_is_a_fault() -> None:
    with pytest.raises(ShoalError, match="column 'nmae' is in the table but not in the policy"):
        check(pa.table({"age": [1, 1], "nmae": ["a", "b"]}), K_ANONYMOUS)
