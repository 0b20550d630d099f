"""k^(f,d) against a scan of every value and every position of the attacker's range."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.verify.aggregate.band import fewest_anywhere, fewest_centred, meeting_centred
from tests.draws import draws
from tests.verify.brute_force import Range, ranges

HALF_AT_MOST = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 4), Fraction(2, 5), Fraction(1, 2)]
SHARES = [*HALF_AT_MOST, Fraction(9, 10)]
F_RANGES = st.lists(ranges(-12, 12, widest=8) | ranges(90, 110, widest=8), min_size=1, max_size=5)


def arrays(found: list[Range]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(found).T
    return low, high


def meeting(found: list[Range], left: Fraction, right: Fraction) -> int:
    return sum(low <= right and left <= high for low, high in found)


def admitted(found: list[Range], critical: set[Fraction]) -> list[Fraction]:
    """Values in some F where a count can change, a grid of quarters, and a value between any two."""
    quarters = {Fraction(4 * low + step, 4) for low, high in found for step in range(4 * (high - low) + 1)}
    points = sorted({end for one in found for end in one} | critical | quarters)
    between = [(left + right) / 2 for left, right in pairwise(points)]
    return [v for v in [*points, *between] if any(low <= v <= high for low, high in found)]


def slowest_centred(found: list[Range], share: Fraction) -> int:
    ends = {end for one in found for end in one}
    critical = {end / factor for end in ends for factor in (1 + share, 1 - share)}
    values = admitted(found, critical)
    return min(meeting(found, v - share * abs(v), v + share * abs(v)) for v in values)


def slowest_anywhere(found: list[Range], share: Fraction) -> int:
    """A range of width 2d|v| slides from just below v to just above it."""
    lows, highs = ({one[end] for one in found} for end in (0, 1))
    touching = {end / factor for end in lows | highs for factor in (1 + 2 * share, 1 - 2 * share) if factor}
    spanning = {sign * (low - high) / (2 * share) for low in lows for high in highs for sign in (1, -1)}
    return min(
        meeting(found, left, left + 2 * share * abs(v))
        for v in admitted(found, touching | spanning)
        for left in positions(v, 2 * share * abs(v), lows, highs)
    )


def positions(v: Fraction, width: Fraction, lows: set[int], highs: set[int]) -> list[Fraction]:
    stops = {v - width, v, *highs, *(low - width for low in lows)}
    inside = sorted(stop for stop in stops if v - width <= stop <= v)
    return inside + [(left + right) / 2 for left, right in pairwise(inside)]


@given(F_RANGES, st.sampled_from(SHARES))
@draws(200)
def test_the_fewest_around_a_value_are_found(found: list[Range], share: Fraction) -> None:
    assert fewest_centred(*arrays(found), share) == slowest_centred(found, share)


@given(F_RANGES, st.sampled_from(HALF_AT_MOST))
@draws(200)
def test_the_fewest_in_a_range_that_sits_anywhere_are_found(found: list[Range], share: Fraction) -> None:
    assert fewest_anywhere(*arrays(found), share) == slowest_anywhere(found, share)


@given(F_RANGES, st.sampled_from(HALF_AT_MOST))
@draws(200)
def test_a_range_that_sits_anywhere_never_meets_more(found: list[Range], share: Fraction) -> None:
    assert fewest_anywhere(*arrays(found), share) <= fewest_centred(*arrays(found), share)


@given(F_RANGES, st.lists(st.integers(-15, 115), min_size=1), st.sampled_from(SHARES))
@draws(200)
def test_the_records_around_given_values_are_counted(
    found: list[Range], values: list[int], share: Fraction
) -> None:
    counted = meeting_centred(np.array(values), *arrays(found), share).tolist()
    assert counted == [meeting(found, v - share * abs(v), v + share * abs(v)) for v in values]


@given(F_RANGES, st.sampled_from(HALF_AT_MOST), st.integers(1, 10**12))
@draws(200)
def test_scaling_everything_changes_nothing_even_beyond_64_bits(
    found: list[Range], share: Fraction, factor: int
) -> None:
    small = arrays(found)
    large = [end.astype(object) * (factor * 10**20) for end in small]
    assert fewest_centred(*large, share) == fewest_centred(*small, share)
    assert fewest_anywhere(*large, share) == fewest_anywhere(*small, share)


@pytest.mark.parametrize(
    "share", [Fraction("0.1234567890123456789012345"), Fraction("0.0000000000000000000000001")]
)
def test_shares_with_many_digits_are_exact(share: Fraction) -> None:
    """Within d of n are n (1 - d) and n (1 + d), and nothing beyond, for zeros and for large numbers."""
    zeros, large = np.zeros(2, np.int64), np.array([10**18, 10**18])
    assert fewest_centred(zeros, zeros, share) == fewest_anywhere(zeros, zeros, share) == 2
    assert fewest_centred(large, large, share) == 2
    beyond = np.array([10**18, int(10**18 * (1 + share)) + 1])
    assert fewest_centred(beyond, beyond, share) == 1


def verdict(totals: list[str], **knowledge: object) -> shoal.Verdict:
    guarantee = shoal.KfAnonymity(k=2, knows=["a"], **knowledge)
    return shoal.check(pa.table({"a": totals}), shoal.Policy(columns={"a": "quasi"}, guarantees=[guarantee]))[
        0
    ]


def test_totals_within_five_percent_of_each_other_may_stay_exact() -> None:
    assert verdict(["100", "105"], within=Decimal("0.05")).holds
    assert not verdict(["100", "106"], within=Decimal("0.05")).holds


def test_zero_is_known_exactly() -> None:
    """The band around 0 is a point."""
    assert verdict(["0", "1"], within=Decimal("0.5")).achieved == {"k": 1}


def test_the_stricter_attacker_may_look_to_one_side_of_the_value() -> None:
    assert verdict(["100", "104"], within=Decimal("0.05")).holds
    assert not verdict(["100", "104"], within=Decimal("0.05"), band="any").holds


def test_values_between_the_ends_of_a_range_are_looked_at() -> None:
    """The ends of [0, 100] meet the exact records, but 50 meets nobody else."""
    assert verdict(["[0, 100]", "0", "100"], within=Decimal("0.1")).achieved == {"k": 1}


def test_suppressed_records_meet_no_band_and_are_judged_among_themselves() -> None:
    assert verdict(["7", "7", "*"], within=Decimal("0.5")).achieved == {"k": 1}
    assert verdict(["7", "7", "*", "*"], within=Decimal("0.5")).achieved == {"k": 2}
    assert verdict(["*", "*", "*"], within=Decimal("0.5")).achieved == {"k": 3}


def test_a_failing_sentence_counts_no_records_and_names_no_value() -> None:
    found = verdict(["70001", "[80001, 90001]"], within=Decimal("0.05"))
    assert found.sentence == (
        "In this table someone who knows a to within 5.00 % of a person may find only 1 records that fit, "
        "2 were asked for."
    )
    assert found.worst == ()
