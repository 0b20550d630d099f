"""t-closeness against a transport problem solved by linear programming, and the figures of its paper."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from tests.draws import draws
from tests.verify.least_work import TREE, WORDS, apart, least_work


def slow_farthest(distance: str, rows: list[tuple[str, str]], order: list[str]) -> float:
    """The largest distance of a class from the table."""
    words = [word for word in order if distance == "ordered" or any(value == word for _, value in rows)]
    costs = apart(distance, words)
    table = Counter(value for _, value in rows)
    found = 0.0
    for place in {name for name, _ in rows}:
        own = Counter(value for name, value in rows if name == place)
        shares = [[counts[word] / counts.total() for word in words] for counts in (own, table)]
        found = max(found, least_work(costs, *shares))
    return found


def policy_of(distance: str, t: object = 0, **more: object) -> shoal.Policy:
    return shoal.Policy(
        columns={"place": "quasi", "ill": "sensitive"},
        hierarchies={"ill": {"tree": TREE}} if distance == "hierarchical" else {},
        guarantees=[{"kind": "t-closeness", "t": t, "sensitive": "ill", "distance": distance, **more}],
    )


@draws(150)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(WORDS)), min_size=1, max_size=14
    ),
    distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
    order=st.permutations(WORDS),
)
def test_the_distance_is_the_least_work(rows, distance, order) -> None:
    more = {"order": order} if distance == "ordered" else {}
    table = pa.table({"place": [place for place, _ in rows], "ill": [word for _, word in rows]})
    (verdict,) = shoal.check(table, policy_of(distance, **more))
    expected = slow_farthest(distance, rows, list(order))
    assert verdict.achieved["t"] == pytest.approx(expected, abs=1e-9)
    assert verdict.holds == (expected < 1e-12)


@pytest.mark.parametrize(
    ("salaries", "t"), [([3, 4, 5], Fraction(3, 8)), ([6, 8, 11], Fraction(1, 6))], ids=["low", "mixed"]
)
def test_the_salaries_of_the_paper(salaries, t) -> None:
    others = [salary for salary in range(3, 12) if salary not in salaries]
    table = pa.table({"place": ["here"] * 3 + [*"abcdef"], "ill": [*salaries, *others]})
    whole = pa.table({"place": ["here"] * 3 + ["there"] * 6, "ill": [*salaries, *others]})
    policy = policy_of("ordered", t=1)
    (alone,) = shoal.check(table, policy)
    (both,) = shoal.check(whole, policy)
    assert alone.achieved["t"] == 0.5  # one person with the smallest salary
    assert both.achieved["t"] == pytest.approx(float(t))


def test_a_distance_of_exactly_t_holds_and_one_a_little_above_does_not() -> None:
    table = pa.table({"place": [*"aaabbb"], "ill": ["flu", "flu", "cold", "flu", "cold", "cold"]})
    sixth = Decimal("0.1666666666666666")  # a little below
    assert not shoal.check(table, policy_of("equal", sixth))[0].holds
    assert shoal.check(table, policy_of("equal", Decimal("0.16666666666666666666666666667")))[0].holds
    thirds = pa.table({"place": [*"aaaaabbbbb"], "ill": [*"xxxxyxxxyy"]})  # 0.8 and 0.6 around 0.7
    assert shoal.check(thirds, policy_of("equal", Decimal("0.1")))[0].holds


def test_numbers_are_ordered_by_value_and_missing_comes_last() -> None:
    table = pa.table({"place": [*"aabb"], "ill": ["9", "10", "10.0", None]})
    (verdict,) = shoal.check(table, policy_of("ordered"))
    assert verdict.achieved["t"] == 0.25  # a quarter moves all the way from 9 to missing

    dates = pa.table({"place": [*"ab"], "ill": ["2011-05-17", "2010-01-01"]})
    assert shoal.check(dates, policy_of("ordered"))[0].achieved["t"] == 0.5


@pytest.mark.parametrize("rows", [124, 126, 128, 300])
def test_missing_comes_last_in_a_table_of_any_length(rows) -> None:
    """The places behind all numbers once had room for 127 rows."""
    illness = [None if row % 2 and row < 20 else row % 3 for row in range(rows)]
    town = ["north" if row % 2 else "south" for row in range(rows)]
    columns = {"town": "quasi", "illness": "sensitive"}
    asked = shoal.TCloseness(t=0, sensitive="illness", distance="ordered")
    (verdict,) = shoal.check(
        pa.table({"town": town, "illness": illness}), shoal.Policy(columns=columns, guarantees=[asked])
    )
    words = ["9" if value is None else str(value) for value in illness]
    found = slow_farthest("ordered", list(zip(town, words, strict=True)), ["0", "1", "2", "9"])
    assert verdict.achieved["t"] == pytest.approx(found)


def test_a_suppressed_value_may_be_any() -> None:
    table = pa.table({"place": [*"aabb"], "ill": ["flu", "cold", "flu", "*"]})
    (verdict,) = shoal.check(table, policy_of("equal"))
    assert verdict.achieved["t"] == 1


@pytest.mark.parametrize(
    ("distance", "more", "told"),
    [
        ("ordered", {}, "have no place in an order"),
        ("ordered", {"order": ["flu"]}, "1 values of 'ill' have no place in an order"),
        ("hierarchical", {}, "1 values of 'ill' are not in its hierarchy"),
    ],
)
def test_values_without_a_place_are_counted_not_shown(distance, more, told) -> None:
    table = pa.table({"place": [*"ab"], "ill": ["flu", "zoster"]})
    with pytest.raises(shoal.ShoalError, match=told) as caught:
        shoal.check(table, policy_of(distance, **more))
    assert "zoster" not in str(caught.value)


def test_a_hierarchical_distance_needs_a_written_hierarchy() -> None:
    with pytest.raises(shoal.ShoalError, match="needs a hierarchy of 'ill' for its distance"):
        shoal.Policy(
            columns={"place": "quasi", "ill": "sensitive"},
            hierarchies={"ill": {"mask": "right"}},
            guarantees=[{"kind": "t-closeness", "t": 0.5, "sensitive": "ill", "distance": "hierarchical"}],
        )


def candidates(images: list[tuple[int, int]], share: Fraction) -> list[list[int]]:
    """For every total that some record admits, the records that meet the band around it."""
    ends = {Fraction(end) for image in images for end in image}
    ends |= {end / factor for end in list(ends) for factor in (1 + share, 1 - share)}
    ordered = sorted(ends)
    tried = [*ordered, *((a + b) / 2 for a, b in pairwise(ordered))]
    found = []
    for v in (v for v in tried if any(low <= v <= high for low, high in images)):
        left, right = v - share * abs(v), v + share * abs(v)
        found.append([at for at, (low, high) in enumerate(images) if low <= right and left <= high])
    return found


def by_total(images: list[tuple[int, int]], ill: list[str], distance: str, **known) -> shoal.Verdict:
    asked = shoal.TCloseness(
        t=Decimal("0.25"), sensitive="ill", distance=distance, **ORDERED.get(distance, {})
    )
    attacker = shoal.KfAnonymity(k=2, knows=["a"], **known)
    policy = shoal.Policy(columns={"a": "quasi", "ill": "sensitive"}, guarantees=[attacker, asked])
    cells = [str(low) if low == high else f"[{low}, {high}]" for low, high in images]
    return shoal.check(pa.table({"a": cells, "ill": ill}), policy)[1]


ORDERED = {"ordered": {"order": tuple(WORDS)}}


@draws(60)
@given(
    images=st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 10)), min_size=2, max_size=7),
    data=st.data(),
    share=st.sampled_from(["0.1", "0.25", "0.5"]),
)
def test_with_a_band_those_who_fit_it_are_compared_with_the_table(images, data, share) -> None:
    boxes = [(low, low + width) for low, width in images]
    ill = data.draw(st.lists(st.sampled_from(WORDS[:3]), min_size=len(boxes), max_size=len(boxes)))
    table = Counter(ill)

    def distance(rows: list[int]) -> Fraction:
        own = Counter(ill[at] for at in rows)
        return sum((abs(Fraction(own[word], len(rows)) - Fraction(table[word], len(ill))) for word in table),
                   Fraction(0)) / 2  # fmt: skip

    sets = candidates(boxes, Fraction(share))
    verdict = by_total(boxes, ill, "equal", within=Decimal(share))
    assert verdict.holds == (max(map(distance, sets)) <= Fraction(1, 4))
    if not verdict.holds:
        assert verdict.achieved["t"] == pytest.approx(float(max(map(distance, sets))))
    assert not verdict.notes


def test_a_band_that_may_lie_anywhere_is_judged_more_strictly_and_says_so() -> None:
    boxes, ill = [(100, 100), (104, 104)], ["flu", "cold"]
    centred, anywhere = (by_total(boxes, ill, "equal", within=Decimal("0.05"), band=band)
                         for band in ("centred", "any"))  # fmt: skip
    assert centred.holds
    assert not anywhere.holds
    assert "it may hold for these" in anywhere.notes[0]
