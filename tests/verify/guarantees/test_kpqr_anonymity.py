"""(k, p, q, r)-anonymity against its definition, pair by pair in fractions."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from tests.draws import draws

TREE = {"infection": {"airway": ["flu", "cold"], "skin": ["mange"]}, "mind": {"mood": ["burnout", "grief"]}}
WORDS = ["flu", "cold", "mange", "burnout", "grief"]
ABOVE = {  # the labels above each word, from the lowest on
    "flu": ("airway", "infection", "*"),
    "cold": ("airway", "infection", "*"),
    "mange": ("skin", "infection", "*"),
    "burnout": ("mood", "mind", "*"),
    "grief": ("mood", "mind", "*"),
}
LOANS = [9, 9, 4, 9, 1, 1, 2, 1]


def apart(distance: str, a: object, b: object, ranks: dict[object, int]) -> Fraction:
    """How far two values are apart."""
    if distance == "number":
        return (Fraction(a) - Fraction(b)) ** 2
    if distance == "ordered":
        return Fraction((ranks[a] - ranks[b]) ** 2)
    if distance == "equal" or a == b:
        return Fraction(a != b)
    level = next(at for at, label in enumerate(ABOVE[a], 1) if label in ABOVE[b])
    return Fraction(level, 3)


def variance(distance: str, values: list, ranks: dict[object, int]) -> Fraction:
    """Half the mean distance over all ordered pairs."""
    pairs = [apart(distance, a, b, ranks) for a in values for b in values]
    return sum(pairs) / (2 * len(pairs))


def slow_figures(
    classes: list[str], values: list, q: Fraction, distance: str, order: list
) -> tuple[int, int | None, Fraction | None]:
    """The k, p and r of a table with one sensitive column, as they are defined."""
    ranks = {value: at for at, value in enumerate([*order, None])}
    often, own = Counter(values), {name: [] for name in classes}
    for name, value in zip(classes, values, strict=True):
        own[name].append(value)
    rare = {value for value, count in often.items() if Fraction(count, len(values)) < q}
    with_rare = [members for members in own.values() if rare & set(members)]
    whole = variance(distance, values, ranks)
    return (
        min(map(len, own.values())),
        min((len(set(members)) for members in with_rare), default=None),
        min((variance(distance, members, ranks) / whole for members in with_rare), default=None),
    )


def policy_of(k=2, p=1, q="0.15", r=0, sensitive="ill", **more: object) -> shoal.Policy:
    columns = [sensitive] if isinstance(sensitive, str) else sensitive
    asked = {"kind": "kpqr-anonymity", "k": k, "p": p, "q": q, "r": r, "sensitive": sensitive, **more}
    return shoal.Policy(
        columns={"place": "quasi"} | dict.fromkeys(columns, "sensitive"),
        hierarchies={"ill": {"tree": TREE}} if more.get("distance") == "hierarchical" else {},
        guarantees=[asked],
    )


def verdict_of(classes: object, values: list, **asked: object) -> shoal.Verdict:
    table = pa.table({"place": [*classes], "ill": values})
    (verdict,) = shoal.check(table, policy_of(**asked))
    return verdict


def text(value: object) -> str | None:
    return None if value is None else str(value)


NUMBERS = st.sampled_from([Decimal(word) for word in ("-3", "-0.5", "0", "0.25", "2", "7", "100")])
DRAWN = {
    "number": NUMBERS,
    "ordered": st.none() | st.sampled_from(WORDS),
    "equal": st.none() | st.sampled_from(WORDS),
    "hierarchical": st.sampled_from(WORDS),
}


@st.composite
def drawn_tables(draw):
    distance = draw(st.sampled_from(sorted(DRAWN)))
    rows = draw(st.lists(st.tuples(st.sampled_from("abc"), DRAWN[distance]), min_size=1, max_size=12))
    return distance, [place for place, _ in rows], [value for _, value in rows]


SHARES = st.sampled_from([Decimal(share) for share in ("0.1", "0.2", "0.25", "0.3", "0.5", "0.75", "1")])


@draws(300)
@given(
    drawn=drawn_tables(),
    k=st.integers(2, 4),
    p=st.integers(1, 4),
    q=SHARES,
    r=SHARES,
    order=st.permutations(WORDS),
)
def test_the_figures_are_those_of_the_definition(drawn, k, p, q, r, order) -> None:
    distance, classes, values = drawn
    more = {"order": order} if distance == "ordered" else {}
    found = verdict_of(classes, [*map(text, values)], k=k, p=p, q=q, r=r, distance=distance, **more)
    alike, different, share = slow_figures(classes, values, Fraction(q), distance, list(order))
    assert (found.achieved["k"], found.achieved["p"]) == (alike, different)
    assert found.achieved["r"] == (None if share is None else float(share))
    enough = different is None or (different >= p and share >= Fraction(r))
    assert found.holds == (alike >= k and enough)


@draws(100)
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), NUMBERS, st.integers(-5, 5)), min_size=1, max_size=10),
    q=SHARES,
)
def test_several_columns_each_on_its_own(rows, q) -> None:
    places, debts, ages = map(list, zip(*rows, strict=True))
    table = pa.table({"place": places, "debt": [*map(text, debts)], "age": ages})
    (found,) = shoal.check(table, policy_of(q=q, sensitive=["debt", "age"]))
    columns = [slow_figures(places, values, Fraction(q), "number", []) for values in (debts, ages)]
    least = [min((one[at] for one in columns if one[at] is not None), default=None) for at in (1, 2)]
    assert found.achieved["p"] == least[0]
    assert found.achieved["r"] == (None if least[1] is None else float(least[1]))
    counts = [Counter(debts), Counter(ages)]
    rare = [
        place
        for place, *values in rows
        if any(Fraction(count[value], len(rows)) < q for count, value in zip(counts, values, strict=True))
    ]
    assert found.achieved["rare_records"] == len(rare)
    assert found.achieved["classes_with_rare"] == len(set(rare))


def test_loans_in_classes_that_mix_them_are_fine() -> None:
    """4 and 2 are rare: both classes have one, and three values. Variances 10.6875 and 14.1875 of 13."""
    found = verdict_of("abababba", LOANS, k=4, p=3, q="0.15", r="0.5")
    assert found.holds
    assert found.achieved == {
        "k": 4, "p": 3, "r": 10.6875 / 13, "classes": 2, "classes_with_rare": 2, "rare_records": 2,
    }  # fmt: skip
    assert found.asked == {"k": 4, "p": 3, "q": "0.15", "r": "0.5", "sensitive": "ill"}
    assert found.worst == (4, 4)


def test_loans_in_classes_of_like_ones_are_caught() -> None:
    found = verdict_of("aaaabbbb", LOANS, k=4, p=3, q="0.15", r="0.5")
    assert not found.holds
    assert (found.achieved["p"], found.achieved["classes_with_rare"]) == (2, 2)
    assert "only 2 different ones" in found.sentence
    assert "only 0.01" in found.sentence


@pytest.mark.parametrize(
    ("broken", "short"),
    [({"k": 5}, "k"), ({"p": 4}, "p"), ({"r": "0.8221153846153847"}, "r")],
    ids=["one record", "one value", "a little variance"],
)
def test_what_is_just_short_is_caught(broken, short) -> None:
    asked = {"k": 4, "p": 3, "q": "0.15", "r": "0.8221153846153846"}
    assert verdict_of("abababba", LOANS, **asked).holds
    found = verdict_of("abababba", LOANS, **{**asked, **broken})
    assert not found.holds, short


def test_exactly_r_holds_and_a_little_less_does_not() -> None:
    """Variances of 1 and 4 around 0, so 2.5 in the whole table."""
    values = [*[-1, 1] * 2, *[-2, 2] * 2]
    assert verdict_of("aaaabbbb", values, q="1", r="0.4").holds
    assert not verdict_of("aaaabbbb", values, q="1", r="0.4000000000000000000000001").holds


def test_a_share_of_exactly_q_is_not_rare() -> None:
    values = [1, 1, 2, 2, 2, 2, 2, 2, 2, 2]
    none = verdict_of("aabbbbbbbb", values, p=2, q="0.2")
    assert none.holds
    assert none.achieved["p"] is None
    assert none.achieved["r"] is None
    assert none.achieved["rare_records"] == 0
    assert none.sentence.endswith("and no value of ill is rare.")
    assert verdict_of("aabbbbbbbb", values, p=2, q="0.2000000000000000000001").achieved["p"] == 1


def test_a_constant_column_has_no_rare_value() -> None:
    assert verdict_of("aabb", [5, 5, 5, 5], p=3, q="1", r="1").holds


def test_a_class_below_k_is_caught_where_nothing_is_rare() -> None:
    found = verdict_of("aaab", [5, 5, 5, 5])
    assert not found.holds
    assert "occurs once" in found.sentence


def test_numbers_written_differently_are_one_value() -> None:
    found = verdict_of("aaabbb", ["9", "9.0", "9.00", "1", "1", "2"], p=2, q="0.34")
    assert found.achieved["rare_records"] == 3  # 1 and 2; 9 is half of the table
    assert found.achieved["classes_with_rare"] == 1


@pytest.mark.parametrize("distance", [None, "number"])
@pytest.mark.parametrize("dated", [True, False])
def test_dates_are_days(distance, dated) -> None:
    days = pa.array([0, 10, 0, 40], pa.int32()).cast(pa.date32())
    found = verdict_of("aabb", days if dated else days.cast(pa.string()), q="1", distance=distance)
    expected = slow_figures([*"aabb"], [0, 10, 0, 40], Fraction(1), "number", [])
    assert found.achieved["r"] == float(expected[2])


@pytest.mark.parametrize(
    ("values", "more", "distance"),
    [
        (["flu", "cold", None, "flu"], {}, "equal"),
        (["flu", "cold", None, "flu"], {"order": WORDS}, "ordered"),
    ],
)
def test_words_are_all_alike_unless_an_order_is_given(values, more, distance) -> None:
    found = verdict_of("aabb", values, q="1", **more)
    expected = slow_figures([*"aabb"], values, Fraction(1), distance, WORDS)
    assert found.achieved["r"] == float(expected[2])


def test_large_numbers_are_counted_exactly() -> None:
    """As floats, these values are all the same."""
    high = 2**62
    values = [high, high + 1, high + 2, high + 3, -high, -high + 1, -high, -high + 1]
    found = verdict_of("aaaabbbb", values, q="1")
    share = slow_figures([*"aaaabbbb"], values, Fraction(1), "number", [])[2]
    assert 0 < found.achieved["r"] == float(share)
    exactly = Decimal(share.numerator) / Decimal(share.denominator)  # rounded to 28 digits
    assert verdict_of("aaaabbbb", values, q="1", r=exactly * Decimal("0.99999999999999999999")).holds
    assert not verdict_of("aaaabbbb", values, q="1", r=exactly * Decimal("1.00000000000000000001")).holds


@pytest.mark.parametrize(
    ("values", "distance", "told"),
    [
        (["12", "17", None, "17"], "number", "1 cells of 'ill' are missing"),
        (["2011-05-17", "", "2011-05-17", "2011-05-17"], "number", "1 cells of 'ill' are missing"),
        (["12", "*", "12", "12"], None, "1 cells of 'ill' are suppressed"),
        (["flu", "*", "cold", "flu"], "equal", "1 cells of 'ill' are suppressed"),
        (["flu", "zoster", "cold", "flu"], "hierarchical", "1 values of 'ill' are not in its hierarchy"),
        (["flu", "zoster", "cold", "flu"], "ordered", "have no place in an order"),
        (["flu", "zoster", "cold", "flu"], "number", "4 of 4 cells that are text, not numbers"),
    ],
)
def test_values_without_a_distance_are_counted_not_shown(values, distance, told) -> None:
    with pytest.raises(shoal.ShoalError, match=told) as caught:
        verdict_of("aabb", values, distance=distance)
    assert caught.value.faults[0].hint
    assert not any(value in str(caught.value) for value in ("zoster", "17", "cold"))


def test_the_advice_on_missing_values_keeps_the_codes() -> None:
    policy = shoal.Policy(
        columns={"a": "quasi", "ill": "sensitive"},
        guarantees=[shoal.KpqrAnonymity(k=2, p=1, q="0.5", r=0, sensitive="ill", distance="number")],
        missing={"ill": [-9]},
    )
    with pytest.raises(shoal.ShoalError) as caught:
        shoal.check(pa.table({"a": [1, 1, 1], "ill": ["12", None, "17"]}), policy)
    assert 'ill = { codes = [-9], count = "suppress" }' in caught.value.faults[0].hint


def test_other_guarantees_look_at_the_same_classes() -> None:
    """Beside it, diversity is asked of classes with identical quasi cells, not only of an aggregate's."""
    table = pa.table({"a": [1, 1, 2, 2], "b": [2, 2, 1, 1], "ill": [*"xyxx"]})
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi", "ill": "sensitive"},
        guarantees=[
            shoal.KfAnonymity(k=2, knows=["a + b"]),
            shoal.KpqrAnonymity(k=2, p=1, q="0.1", r=0, sensitive="ill"),
            shoal.PSensitivity(p=2),
        ],
    )
    alike, rare, diverse = shoal.check(table, policy)
    assert alike.achieved["k"] == 4
    assert rare.achieved["k"] == 2
    assert diverse.achieved["p"] == 1
