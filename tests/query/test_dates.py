"""A permuted column of dates: bounds are days, or moments of a day."""

from datetime import date, datetime

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.query.answer import Bounds
from tests.query.releases import ask

BORN = pa.table(
    {
        "age": [1, 1, 2, 2],
        "born": ["1980-01-01", "1980-01-03", "1990-06-01", "1990-06-02"],
        "shoal_group": [1, 1, 1, 2],
    }
)


def one(item: str, condition: str = "age = 1") -> Bounds:
    (row,) = ask(f"select {item} as x from data where {condition}", BORN, ("born",)).rows
    return row["x"]


def test_extremes_are_days() -> None:
    assert (one("min(born)").lower, one("min(born)").upper) == (date(1980, 1, 1), date(1980, 1, 3))
    assert (one("max(born)").lower, one("max(born)").upper) == (date(1980, 1, 3), date(1990, 6, 1))


def test_averages_and_medians_may_be_moments_of_a_day() -> None:
    assert one("avg(born)").lower == one("median(born)").lower == date(1980, 1, 2)
    assert one("avg(born)").expected == datetime(1983, 6, 22, 16)
    assert one("quantile_disc(born, 0.5)", "age = 2").upper == date(1990, 6, 1)


def test_between_two_dates_are_days() -> None:
    assert one("max(born) - min(born)").upper == 3804


@pytest.mark.parametrize(
    "condition", ["born < '1985-01-01'", "born < date '1985-01-01'", "born in ('1980-01-01', '1980-01-03')"]
)
def test_conditions_compare_dates(condition: str) -> None:
    found = one("count(*)", f"age = 1 and {condition}")
    assert (found.lower, found.expected, found.upper) == (1, pytest.approx(4 / 3), 2)
    assert one("min(born)", f"age = 1 and {condition}").lower == date(1980, 1, 1)


@pytest.mark.parametrize(
    "item", ["sum(born)", "avg(born) + 1", "-min(born)", "min(born + 1)", "round(avg(born))"]
)
def test_dates_are_not_calculated_with(item: str) -> None:
    with pytest.raises(ShoalError, match="date") as caught:
        one(item)
    assert all(fault.hint for fault in caught.value.faults)
