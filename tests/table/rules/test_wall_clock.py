"""Days stay days: a zone is left out, not computed with."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from shoal.table.rules.wall_clock import wall_clock


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+01:00", "UTC", None])
def test_a_column_shows_the_time_of_its_own_zone(zone):
    cells = pa.array([datetime(1999, 12, 31, 23, 30, tzinfo=UTC), None], pa.timestamp("us", zone))
    (shown, _) = wall_clock(cells).to_pylist()
    assert shown == (datetime(1999, 12, 31, 23, 30) if zone in ("UTC", None) else datetime(2000, 1, 1, 0, 30))


@pytest.mark.parametrize("zone", ["Z", "z", "+01", " +0100", "-05:30"])
def test_words_lose_their_zone_and_nothing_else(zone):
    assert wall_clock(pa.array([f"2000-01-01 00:30:01.5{zone}"])).to_pylist() == ["2000-01-01 00:30:01.5"]
    assert wall_clock(pa.array([f"2000-01-01{zone}", "5+01"])).to_pylist() == [f"2000-01-01{zone}", "5+01"]
