"""k-anonymity against a plain count of equal records."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from tests.draws import draws


def verdict_on(k: int = 2, **columns: Any) -> shoal.Verdict:
    policy = shoal.Policy(columns=dict.fromkeys(columns, "quasi"), guarantees=[shoal.KAnonymity(k=k)])
    return shoal.check(pa.table(columns), policy)[0]


@pytest.mark.parametrize("as_written", [float, str])
def test_small_numbers_beside_large_ones_are_told_apart(as_written) -> None:
    """No grid of fifteen digits holds 1e9 and 1e-7."""
    cells = [as_written(number) for number in (1e9, 1e9, 1e-7, 2e-7)]
    assert verdict_on(a=cells).achieved["k"] == 1
    assert verdict_on(a=[*cells, as_written(1e-7), as_written(2e-7)]).achieved["k"] == 2


def test_real_numbers_that_agree_in_fifteen_digits_are_one() -> None:
    assert verdict_on(a=[0.1 + 0.2, 0.3, 1 / 3, 1 / 3]).holds


CELLS = st.sampled_from(["1", "2", "[1, 2]", "*", None])
LABELS = st.sampled_from(["north", "south", "*", "1", None])
RECORDS = st.lists(st.tuples(CELLS, LABELS), min_size=1, max_size=10)


@given(RECORDS, st.integers(2, 4))
@draws(200)
def test_classes_are_the_records_with_equal_cells(
    records: list[tuple[str | None, str | None]], k: int
) -> None:
    """Missing and suppressed cells are values of their own and match only their like."""
    sizes = sorted(Counter(records).values())
    numbers, labels = (pa.array(column, pa.string()) for column in zip(*records, strict=True))
    verdict = verdict_on(k, numbers=numbers, labels=labels)
    below = sum(size for size in sizes if size < k)
    assert verdict.achieved.items() >= {"k": sizes[0], "classes": len(sizes), "records_below": below}.items()
    assert verdict.worst == tuple(sizes[:5])
    assert verdict.holds == (sizes[0] >= k)


@given(RECORDS, st.randoms(use_true_random=False))
@draws(200)
def test_the_order_of_rows_never_matters(records: list[tuple[str | None, str | None]], random: Any) -> None:
    shuffled = random.sample(records, len(records))
    found = [
        verdict_on(
            **dict(
                zip("ab", (pa.array(column, pa.string()) for column in zip(*rows, strict=True)), strict=True)
            )
        )
        for rows in (records, shuffled)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "cells",
    [
        ["1.0", "1", "+1", "1.00"],
        ["[1.0, 2]", "[1, 2.0]", "1-2", "1..2"],
        ["[3, 3]", "3", "3.0", "[3.0, 3]"],
        [Decimal("1.50"), Decimal("1.5")],
        [0.1 + 0.2, 0.30000000000000004],
        ["*", " * "],
        [float("nan"), None],
    ],
    ids=str,
)
def test_cells_with_the_same_meaning_are_equal(cells: list[Any]) -> None:
    assert verdict_on(a=cells).achieved["k"] == len(cells)


def test_an_empty_text_is_a_missing_cell_whatever_stands_beside_it() -> None:
    assert verdict_on(a=[None, "", " ", "nan", *["5"] * 4]).achieved["k"] == 4
    assert verdict_on(a=[None, "", "", ""]).achieved["k"] == 4
    assert verdict_on(a=[None, "", "", "*", "*"]).achieved["k"] == 2
    assert verdict_on(a=[None, "", "nan", "x", "x"]).achieved["k"] == 2


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "[1, 2]"],
        ["0", None],
        ["0", "*"],
        ["*", None],
        ["[0, 1]", "*"],
        ["north", "North"],
        ["007", "7"],
        ["1e0", "one"],
        [0.1, 0.1 + 1e-9],
    ],
    ids=str,
)
def test_cells_with_different_meanings_are_different(cells: list[Any]) -> None:
    assert verdict_on(a=cells).achieved["k"] == 1


def test_one_missing_cell_among_pairs_leaves_its_record_alone() -> None:
    verdict = verdict_on(a=["1", "1", "2", None], b=["x", "x", "y", "y"])
    assert verdict.achieved == {"k": 1, "classes": 3, "records_below": 2, "k_wildcard": 2}
    assert not verdict.holds


def test_other_columns_do_not_count() -> None:
    policy = shoal.Policy(
        columns={"age": "quasi", "illness": "sensitive", "note": "other"}, guarantees=[shoal.KAnonymity(k=2)]
    )
    table = pa.table({"age": ["[20, 39]"] * 2, "illness": ["flu", "cold"], "note": ["a", "b"]})
    assert shoal.check(table, policy)[0].holds


def test_the_words_of_a_category_need_not_all_differ() -> None:
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["north", "north", "south"]))
    missing = pa.DictionaryArray.from_arrays(pa.array([0, None, 1]), pa.array([None, "south"]))
    assert verdict_on(a=repeated).worst == (1, 2)
    assert verdict_on(a=missing).worst == (1, 2)


@pytest.mark.parametrize("cells", [[True, True, None], [b"x", b"x", b"y"], pa.array([1, 1, 2], pa.date32())])
def test_cells_of_any_comparable_type_form_classes(cells: Any) -> None:
    assert verdict_on(a=cells).worst == (1, 2)


def test_cells_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(shoal.ShoalError, match="column 'a' has 2 of 2 cells that are"):
        verdict_on(a=[[[1]], [[1]]])


def test_lists_of_other_tools_are_sets_whatever_their_order() -> None:
    assert verdict_on(a=[["x", "y"], ["y", "x"]]).holds
    assert not verdict_on(a=[["x", "y"], ["x"]]).holds


def test_a_verdict_says_nothing_about_a_cell() -> None:
    verdict = verdict_on(a=["73194", "[51873, 60418]", "*"], b=["north", "south", "south"])
    assert not any(word in repr(verdict) for word in ("73194", "518", "604", "north", "south"))
    assert verdict.sentence == (
        "3 records share their published quasi values with fewer than 2 records; "
        "the rarest combination occurs once."
    )


OPEN = [
    "[20, 30)",
    "(20, 30]",
    "(20, 30)",
    "[20,30[",
    ">=50",
    "<20",
    ">50",
    "<=20",
    "≥ 50",
    "50+",
    "(-inf, 20]",
]


@pytest.mark.parametrize("cell", OPEN)
@pytest.mark.parametrize("copies", [2, 6_000], ids=["short", "long"])
def test_ranges_without_an_end_are_cells_of_their_own(cell: str, copies: int) -> None:
    assert verdict_on(copies, age=[cell, "[30, 40]"] * copies).holds
    alone = verdict_on(2, age=[cell, *["[30, 40]", "[20, 30]", "20", "*"] * copies])
    assert (alone.holds, alone.achieved["k"], alone.achieved["classes"]) == (False, 1, 5)


def test_every_way_to_leave_an_end_out_is_another_cell() -> None:
    assert verdict_on(3, age=OPEN * 3).achieved["classes"] == len(OPEN)


@pytest.mark.parametrize("starred", [1, 2, 3])
def test_fully_starred_records_are_a_class_of_their_own(starred: int) -> None:
    """They match each other, and nobody else: fewer than k of them are a violation."""
    ages, zips = ["*"] * starred + ["[20, 30)"] * 4, ["*"] * starred + ["130**"] * 4
    verdict = verdict_on(3, age=ages, zip=zips)
    assert verdict.holds == (starred >= 3)
    assert verdict.achieved["classes"] == 2
    assert verdict.achieved["records_below"] == (starred if starred < 3 else 0)
    assert verdict.achieved["k_wildcard"] == 4 + starred
