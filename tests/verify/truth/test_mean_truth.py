"""A release of class means shows the mean, median or mode of the people in every class, and no other."""

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.class_means import farther_than_allowed
from shoal.verify.verify import verify_against, verify_with_link
from tests.draws import draws

CITIES = ["Ulm", "Ulm", "Kiel", "Bonn", "Bonn", "Kiel"]
SCHOOLING = ["none", "school", "college", "school", "college", None]
ORDER = ["none", "school", "college"]
PEOPLE = {
    "pay": [10, 20, 40, 7, 7, 9],
    "born": ["1970-01-01", "1970-01-02", "1970-01-05", "1980-01-01", "1980-01-01", "1980-01-02"],
    "town": CITIES,
    "schooling": SCHOOLING,
    "debt": [1, 2, 3, 4, 5, 6],
    "note": [*"uvwxyz"],
}
SHOWN = {  # rows 0, 1, 2 and 3, 4, 5 are classes
    "pay": [70 / 3] * 3 + [23 / 3] * 3,
    "born": ["1970-01-03"] * 3 + ["1980-01-01"] * 3,
    "town": ["Ulm"] * 3 + ["Bonn"] * 3,
    "schooling": ["school"] * 3 + ["college"] * 3,
    "debt": PEOPLE["debt"],
    "note": PEOPLE["note"],
}


def policy_of(columns: dict[str, list], missing: dict[str, str] | None = None, **options) -> shoal.Policy:
    roles = {"debt": "sensitive", "note": "other"}
    return shoal.Policy(
        columns={name: roles.get(name, "quasi") for name in columns},
        missing=missing or {},
        guarantees=[shoal.KpqrAnonymity(k=2, p=1, q="0.1", r=0, sensitive="debt")]
        if "debt" in columns
        else [shoal.KAnonymity(k=2)],
        method={"name": "mdav", "options": options},
    )


def truth_of(shown: dict, people: dict, rows: list[int] | None, policy: shoal.Policy) -> shoal.Verdict:
    sides = Table(pa.table(shown)), Table(pa.table(people))
    link = None if rows is None else np.array(rows, np.int64)
    verdicts = verify_against(*sides, policy, link)
    if link is not None:
        assert verify_with_link(*sides, policy, link)[-1] == verdicts[-1]
    return verdicts[-1]


def in_order(shown: dict, rows: list[int]) -> dict:
    return {name: [cells[row] for row in rows] for name, cells in shown.items()}


def with_cells(name: str, *cells: object) -> dict:
    return SHOWN | {name: [*cells]}


POLICY = policy_of(PEOPLE, order={"schooling": ORDER})


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4, 5], [5, 2, 0, 4, 1, 3], [4, 5, 3]])
def test_a_sound_release_is_true(rows) -> None:
    shown = in_order(SHOWN, rows)
    truth = truth_of(shown, PEOPLE, rows, POLICY)
    assert truth.holds, truth.sentence
    assert truth.achieved == {"untrue_records": 0, "decided": True}
    open_question = truth_of(shown, PEOPLE, None, POLICY)
    assert open_question.holds
    assert open_question.achieved == {"untrue_records": 0, "decided": False}
    assert "audit file" in open_question.sentence


@pytest.mark.parametrize(
    ("shown", "untrue"),
    [
        (with_cells("pay", *[70 / 3] * 3, *[7.7] * 3), 3),
        (with_cells("pay", *[23] * 3, *[7] * 3), 6),
        (with_cells("pay", *["23.333333333333333"] * 3, *["*"] * 3), 3),
        (with_cells("pay", *["23.333333333333333"] * 3, *[None] * 3), 3),
        (with_cells("pay", *["23.333333333333333"] * 3, *["[7, 9]"] * 3), 3),
        (with_cells("born", *["1970-01-04"] * 3, *["1980-01-01"] * 3), 3),
        (with_cells("born", *["1970-01-03"] * 3, *["1980-01-02"] * 3), 3),
        (with_cells("town", *["Kiel"] * 3, *["Bonn"] * 3), 3),
        (with_cells("town", *["Ulm"] * 3, *["Rom"] * 3), 3),
        (with_cells("schooling", *["none"] * 3, *["college"] * 3), 3),
        (with_cells("schooling", *["school"] * 3, *[None] * 3), 3),
        (with_cells("schooling", *["school"] * 3, *["*"] * 3), 3),
        (with_cells("town", "Ulm", "Ulm", "Kiel", *["Bonn"] * 3), 3),  # a class was split
    ],
)
def test_classes_that_show_something_else_are_caught(shown, untrue) -> None:
    truth = truth_of(shown, PEOPLE, [0, 1, 2, 3, 4, 5], POLICY)
    assert not truth.holds
    assert truth.achieved == {"untrue_records": untrue, "decided": True}
    assert f"{untrue} published records" in truth.sentence


def test_people_of_another_class_are_caught() -> None:
    assert not truth_of(SHOWN, PEOPLE, [3, 1, 2, 0, 4, 5], POLICY).holds


def test_nobody_is_published_twice() -> None:
    """Means and all else fit, but one person stands for two records."""
    people = {"pay": [5, 5, 5], "debt": [1, 1, 1]}
    shown = {"pay": [5, 5, 5], "debt": [1, 1, 1]}
    assert truth_of(shown, people, [0, 1, 2], policy_of(people)).holds
    truth = truth_of(shown, people, [0, 1, 1], policy_of(people))
    assert not truth.holds
    assert truth.achieved["untrue_records"] == 1


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("name", ["debt", "note"])
def test_columns_published_as_they_are_keep_their_values(name, linked) -> None:
    cells = [*PEOPLE[name][:5], PEOPLE[name][0]]
    truth = truth_of(SHOWN | {name: cells}, PEOPLE, [0, 1, 2, 3, 4, 5] if linked else None, POLICY)
    assert not truth.holds
    assert truth.sentence.endswith(f"differ from the original: {name}.")


def test_swapped_values_are_caught_with_the_link() -> None:
    shown = with_cells("debt", 2, 1, 3, 4, 5, 6)
    assert not truth_of(shown, PEOPLE, [0, 1, 2, 3, 4, 5], POLICY).holds
    assert truth_of(shown, PEOPLE, None, POLICY).holds


@pytest.mark.parametrize(
    ("shown", "untrue"),
    [
        (with_cells("pay", *[70 / 3] * 3, *[6.9] * 3), 3),
        (with_cells("pay", *[40.1] * 3, *[23 / 3] * 3), 3),
        (with_cells("pay", *["23.333333333333333"] * 3, *["*"] * 3), 3),
        (with_cells("pay", *["23.333333333333333"] * 3, *[None] * 3), 3),
        (with_cells("town", *["Rom"] * 3, *["Bonn"] * 3), 3),
        (with_cells("schooling", *["school"] * 5, "diploma"), 1),
        (with_cells("born", *["1969-12-31"] * 3, *["1980-01-01"] * 3), 3),
        ({name: [*cells, cells[0]] for name, cells in SHOWN.items()}, 1),
    ],
)
def test_what_no_class_can_show_is_caught_without_the_link(shown, untrue) -> None:
    truth = truth_of(shown, PEOPLE, None, POLICY)
    assert not truth.holds
    assert truth.achieved == {"untrue_records": untrue, "decided": True}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("pay", [70 / 3] * 3 + [7.7] * 3),
        ("born", ["1970-01-05"] * 3 + ["1980-01-02"] * 3),  # 9 days too many, half a day each is fine
    ],
)
def test_totals_are_compared_where_nobody_was_left_out(name, cells) -> None:
    shown = with_cells(name, *cells)
    truth = truth_of(shown, PEOPLE, None, POLICY)
    assert not truth.holds
    assert truth.sentence == f"Columns add up to something else than in the original: {name}."
    assert truth_of(in_order(shown, [3, 4, 5]), PEOPLE, None, POLICY).holds


@pytest.mark.parametrize(
    ("cell", "true"), [("2.33", True), ("2.34", False), ("2.3", False), ("2.339", False), ("2.328", False)]
)
def test_kept_decimals_are_right_to_half_a_unit(cell, true) -> None:
    """2.33 is 7 / 3 to two decimals, of which half a unit is 0.005."""
    people = {"pay": ["1.00", "2.25", "3.75"]}
    policy = policy_of(people, keep_decimals=True)
    assert truth_of({"pay": [cell] * 3}, people, [0, 1, 2], policy).holds == true


def test_half_a_unit_may_be_rounded_either_way() -> None:
    people = {"pay": [1, 2]}
    for cell, true in ((1, True), (2, True), (3, False)):
        truth = truth_of({"pay": [cell] * 2}, people, [0, 1], policy_of(people, keep_decimals=True))
        assert truth.holds == true


def test_the_default_tolerance_is_a_digit_beyond_what_floats_give() -> None:
    people = {"pay": [1, 1, 2] + [10**6] * 3}
    third = Decimal("1.33333333333")
    for off, true in (("0", True), ("0.000000009", True), ("0.000000011", False)):
        shown = {"pay": [str(third + Decimal(off))] * 3 + ["1000000"] * 3}
        assert truth_of(shown, people, [*range(6)], policy_of(people)).holds == true


@pytest.mark.parametrize(
    ("cells", "true"),
    [
        ([2, 2, 3, 3, 3], True),  # 13, as it was
        ([3, 3, 3, 3, 3], False),
        ([5, 5, 1, 1, 1], False),  # 5 is neither near the mean of its class nor one of its numbers
        ([Decimal("2.5")] * 2 + [Decimal(8) / 3] * 3, False),
    ],
)
def test_kept_totals_are_exact(cells, true) -> None:
    people = {"pay": [2, 3, 1, 3, 4]}
    shown = {"pay": [str(cell) for cell in cells]}
    policy = policy_of(people, totals=True)
    assert truth_of(shown, people, [*range(5)], policy).holds == true


def test_a_class_may_pay_for_the_total_within_its_own_numbers() -> None:
    people = {"pay": [0, 100, 0, 90, 5, 5]}
    policy = policy_of(people, totals=True)
    for cells, true in (([20, 75, 5], True), ([100, -5, 5], False), ([20, 73, 7], False)):
        shown = {"pay": [cell for cell in cells for _ in range(2)]}
        assert truth_of(shown, people, [*range(6)], policy).holds == true


def test_totals_of_those_who_were_left_out_do_not_count() -> None:
    people = {"pay": [2, 3, 4, 1000]}
    policy = policy_of(people, totals=True)
    assert truth_of({"pay": [3, 3, 3]}, people, [2, 0, 1], policy).holds
    assert truth_of({"pay": [3, 3, 3]}, people, None, policy).holds


def test_missing_numbers_count_as_the_policy_says() -> None:
    people = {"pay": [None, 4, 5, 6]}
    zero = policy_of(people, {"pay": "zero"})
    assert truth_of({"pay": [2, 2, 5.5, 5.5]}, people, [0, 1, 2, 3], zero).holds
    assert truth_of({"pay": [2, 2, 5.5, 5.5]}, people, None, zero).holds
    for missing in ("suppress", "value"):
        own = policy_of(people, {"pay": missing})
        for mean in (2, 4):
            assert not truth_of({"pay": [mean, mean, 5.5, 5.5]}, people, [0, 1, 2, 3], own).holds
        assert truth_of({"pay": [5.5, 5.5]}, people, [2, 3], own).holds
    alone = {"pay": [None, None, 5, 6]}
    assert truth_of({"pay": [None, None, 5.5, 5.5]}, alone, [0, 1, 2, 3], policy_of(alone)).holds


@pytest.mark.parametrize("cell", ["*", "[0, 5]"])
@pytest.mark.parametrize("rows", [None, [0, 1, 2, 3]])
def test_a_star_or_a_range_is_no_mean_even_if_that_is_zero(cell, rows) -> None:
    people = {"pay": [-1, 1, 5, 5]}
    assert truth_of({"pay": ["0", "0", "5", "5"]}, people, rows, policy_of(people)).holds
    assert not truth_of({"pay": [cell, cell, "5", "5"]}, people, rows, policy_of(people)).holds


def test_words_by_a_hierarchy_show_their_mode() -> None:
    people = {"zip": ["1a", "1a", "2b", "2b", "3c"]}
    policy = shoal.Policy(
        columns={"zip": "quasi"},
        hierarchies={"zip": {"mask": "right"}},
        guarantees=[shoal.KAnonymity(k=2)],
        method={"name": "mdav"},
    )
    right, wrong = ["1a", "1a", "2b", "2b", "2b"], ["1a", "1a", "3c", "3c", "3c"]
    for cells, true in ((right, True), (wrong, False), (["1z"] * 5, False)):
        assert truth_of({"zip": cells}, people, [*range(5)], policy).holds == true


def test_of_equally_frequent_words_any_will_do_and_of_two_middle_ones_either() -> None:
    people = {"town": ["Ulm", "Kiel"], "schooling": ["none", "college"]}
    policy = policy_of(people, order={"schooling": ORDER})
    for town, schooling, true in (
        ("Ulm", "none", True),
        ("Kiel", "college", True),
        ("Ulm", "school", False),  # between them, but nobody's
    ):
        shown = {"town": [town] * 2, "schooling": [schooling] * 2}
        assert truth_of(shown, people, [0, 1], policy).holds == true


def test_words_without_a_place_in_the_order_are_counted_not_shown() -> None:
    people = {"schooling": ["none", "apprentice"]}
    with pytest.raises(shoal.ShoalError, match="1 values of 'schooling' have no place") as caught:
        truth_of({"schooling": ["none"] * 2}, people, [0, 1], policy_of(people, order={"schooling": ORDER}))
    assert "apprentice" not in str(caught.value)


def test_cells_that_are_no_dates_are_told() -> None:
    people = {"born": ["1970-01-01", "1970-01-03"]}
    with pytest.raises(shoal.ShoalError, match="'born' has dates in the original"):
        truth_of({"born": ["1970", "1970"]}, people, [0, 1], policy_of(people))


def test_dates_of_both_kinds_are_compared() -> None:
    days = pa.array([0, 1, 7], pa.int32()).cast(pa.date32())
    for cell, true in (("1970-01-04", True), ("1970-01-03", False)):
        truth = truth_of({"born": [cell] * 3}, {"born": days}, [0, 1, 2], policy_of({"born": []}))
        assert truth.holds == true


def test_means_of_very_large_numbers_are_compared_exactly() -> None:
    high = 2**62
    people = {"pay": [high, high + 1, -high, -high]}
    for cell, true in ((f"{high}.5", True), (str(high + 46_000), True), (str(high + 47_000), False)):
        shown = {"pay": [cell] * 2 + [str(-high)] * 2}
        assert truth_of(shown, people, [0, 1, 2, 3], policy_of(people)).holds == true
    kept = policy_of(people, keep_decimals=True)
    for cell, true in ((high, True), (high + 1, True), (high + 2, False), (high - 1, False)):
        assert truth_of({"pay": [cell] * 2 + [-high] * 2}, people, [0, 1, 2, 3], kept).holds == true


def test_numbers_that_cannot_be_read_are_told() -> None:
    people = {"pay": [1, 2]}
    with pytest.raises(shoal.ShoalError, match="2 of 2 cells"):
        truth_of({"pay": ["low", "high"]}, people, [0, 1], policy_of(people))


def test_beliefs_go_by_classes_and_nothing_covers_anybody() -> None:
    people = {"pay": [1, 3, 5, 7], "debt": [1, 2, 3, 3]}
    policy = shoal.Policy(
        columns={"pay": "quasi", "debt": "sensitive"},
        guarantees=[
            shoal.KpqrAnonymity(k=2, p=1, q="0.1", r=0, sensitive="debt"),
            shoal.KfAnonymity(k=2, knows=["pay"]),
            shoal.PSensitivity(p=1),
        ],
        method={"name": "mdav"},
    )
    shown = {"pay": [2, 2, 6, 6], "debt": people["debt"]}
    sides = Table(pa.table(shown)), Table(pa.table(people))
    rare, known, diverse, truth = verify_against(*sides, policy, np.arange(4))
    assert truth.holds
    assert "beliefs" not in rare.achieved
    assert "coverage" not in known.achieved
    assert diverse.achieved["beliefs"]["debt"]["posterior"] == 1.0  # two of a class share their debt


def published_mean(values: list[Fraction], kept: int | None) -> str:
    """As a method may show it: a float, or with so many decimals."""
    mean = sum(values) / len(values)
    return repr(float(mean)) if kept is None else f"{Decimal(round(mean * 10**kept)).scaleb(-kept):f}"


def middle(values: list[str | None], upper: bool) -> str | None:
    ranks = sorted([*ORDER, None].index(value) for value in values)
    return [*ORDER, None][ranks[len(ranks) // 2 if upper else (len(ranks) - 1) // 2]]


@st.composite
def releases(draw):
    """People in classes, and what a method that is right may show of them."""
    kept = draw(st.sampled_from([None, 0, 2]))
    scale = 10 ** (kept or 0)
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rows = sum(sizes)
    of = [at for at, size in enumerate(sizes) for _ in range(size)]
    pay = draw(st.lists(st.integers(-2000, 2000), min_size=rows, max_size=rows))
    days = draw(st.lists(st.integers(-500, 20000), min_size=rows, max_size=rows))
    town = draw(st.lists(st.sampled_from([*"abc", None]), min_size=rows, max_size=rows))
    level = draw(st.lists(st.sampled_from([*ORDER, None]), min_size=rows, max_size=rows))
    start, upper = date(1970, 1, 1), draw(st.booleans())
    pay[0] = 1 if pay[0] % 10 == 0 else pay[0]  # the column has as many decimals as it says
    town[0] = "a"
    members = [[row for row in range(rows) if of[row] == one] for one in range(len(sizes))]
    shown = {"pay": [], "born": [], "town": [], "schooling": []}
    for own in members:
        frequent = Counter(town[row] for row in own)
        shown["pay"].append(published_mean([Fraction(pay[row], scale) for row in own], kept))
        mean = Fraction(sum(days[row] for row in own), len(own))
        shown["born"].append(str(start + timedelta(round(mean))))
        shown["town"].append(max(frequent, key=frequent.__getitem__))
        shown["schooling"].append(middle([level[row] for row in own], upper))
    people = {
        "pay": [f"{Decimal(one).scaleb(-(kept or 0)):f}" for one in pay],
        "born": [str(start + timedelta(day)) for day in days],
        "town": town,
        "schooling": level,
    }
    order = draw(st.permutations(range(rows)))
    return people, {name: [cells[of[row]] for row in order] for name, cells in shown.items()}, order, kept


@draws(50)
@given(release=releases())
def test_drawn_releases_are_true(release) -> None:
    people, shown, order, kept = release
    options = {} if kept is None else {"keep_decimals": True}
    policy = policy_of(people, order={"schooling": ORDER}, **options)
    assert truth_of(shown, people, list(order), policy).holds
    assert truth_of(shown, people, None, policy).holds


@draws(50)
@given(release=releases(), name=st.sampled_from(["pay", "born", "town", "schooling"]), data=st.data())
def test_a_class_that_shows_another_cell_is_caught(release, name, data) -> None:
    people, shown, order, kept = release
    row = data.draw(st.integers(0, len(order) - 1))
    of = list(zip(*shown.values(), strict=True))
    others = {
        "pay": lambda cell: str(Decimal(cell) + Decimal("1.01")),
        "born": lambda cell: str(date.fromisoformat(cell) + timedelta(2)),
        "town": lambda cell: "Rom",  # noqa: ARG005
        "schooling": lambda cell: "diploma",  # noqa: ARG005
    }
    cells = [others[name](cell) if of[at] == of[row] else cell for at, cell in enumerate(shown[name])]
    options = {} if kept is None else {"keep_decimals": True}
    policy = policy_of(people, order={"schooling": ORDER}, **options)
    truth = truth_of(shown | {name: cells}, people, list(order), policy)
    assert not truth.holds


@draws(300)
@given(
    shown=st.integers(-(10**6), 10**6),
    scale=st.integers(0, 6),
    total=st.integers(-(10**6), 10**6),
    size=st.integers(1, 9),
    own=st.integers(0, 6),
    allowed=st.fractions(0, 100, max_denominator=50),
    wide=st.booleans(),
    on_the_edge=st.booleans(),
)
def test_farther_is_decided_in_fractions(shown, scale, total, size, own, allowed, wide, on_the_edge) -> None:
    off = abs(Fraction(shown, 10**scale) * 10**own - Fraction(total, size))
    allowed = off if on_the_edge else allowed
    kind = object if wide else np.int64
    found = farther_than_allowed(
        np.array([shown]).astype(kind), scale, np.array([total]), np.array([size]), own, allowed
    )
    assert found.tolist() == [off > allowed]


def test_long_columns_of_text_are_read_alike() -> None:
    """From some length on, only different cells are looked at."""
    rows = 12_000
    people = {"pay": [str(row % 7) for row in range(rows)], "town": [*"abc"] * (rows // 3)}
    mean = Fraction(sum(map(int, people["pay"])), rows)
    shown = {"pay": [repr(float(mean))] * rows, "town": ["b"] * rows}
    policy = policy_of(people)
    source = PublishedTable(Table(pa.table(people)))
    assert source.encoded("pay") is not None
    assert truth_of(shown, people, [*range(rows)], policy).holds
    assert not truth_of(shown | {"pay": ["2.99"] * rows}, people, [*range(rows)], policy).holds
