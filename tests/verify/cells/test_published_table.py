"""Published cells as they are written: read right, or refused with their place and without their content."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.read import read_table
from shoal.table.table import Table
from shoal.verify.cells.published_table import BadCells, Cells, PublishedTable
from tests.draws import draws
from tests.verify.brute_force import published

Meaning = tuple[Fraction, Fraction] | str


def meaning(cells: Cells) -> list[Meaning]:
    """Ends as numbers, or the word for what is not there."""
    unit = Fraction(1, 10**cells.scale)
    rows = zip(cells.low.tolist(), cells.high.tolist(), cells.suppressed, cells.missing, strict=True)
    return [
        "suppressed" if suppressed else "missing" if missing else (low * unit, high * unit)
        for low, high, suppressed, missing in rows
    ]


def read(cells: Any) -> list[Meaning]:
    return meaning(published(a=cells).cells("a"))


def exactly(low: str, high: str | None = None) -> Meaning:
    return Fraction(low), Fraction(high or low)


WRITINGS = {
    "[10, 15]": ("10", "15"),
    "[10,15]": ("10", "15"),
    " [ 10 , 15 ] ": ("10", "15"),
    "10-15": ("10", "15"),
    "10 - 15": ("10", "15"),
    "10–15": ("10", "15"),
    "[10-15]": ("10", "15"),
    "10..15": ("10", "15"),
    "[10..15]": ("10", "15"),
    "[10;15]": ("10", "15"),
    "-5--3": ("-5", "-3"),
    "-5-3": ("-5", "3"),
    "[-5, -3]": ("-5", "-3"),
    "-5..-3": ("-5", "-3"),
    "[-.5, +1.25]": ("-0.5", "1.25"),
    "1.5..2.25": ("1.5", "2.25"),
    "0.1-0.30": ("0.1", "0.3"),
    "[3, 3]": ("3", "3"),
    "[0, 0.000001]": ("0", "0.000001"),
    "[-9223372036854775808, 9223372036854775807]": ("-9223372036854775808", "9223372036854775807"),
}


@pytest.mark.parametrize("text", WRITINGS)
def test_a_range_is_read_in_every_way_of_writing(text: str) -> None:
    assert read([text]) == [exactly(*WRITINGS[text])]


@pytest.mark.parametrize("text", ["[10, 15]", "10-15", "-5--3", "[1.5..2]"])
def test_ranges_numbers_stars_and_missing_cells_stand_in_one_column(text: str) -> None:
    found = read([text, "7", "*", None, " * ", "", "-0.5"])
    assert found == [exactly(*WRITINGS.get(text, ("1.5", "2"))), exactly("7"), "suppressed", "missing",
                     "suppressed", "missing", exactly("-0.5")]  # fmt: skip


DECIMALS = st.decimals(-999, 999, places=2)
WAYS = st.sampled_from(
    ["[{}, {}]", "[{},{}]", "[{}-{}]", "{}-{}", "{} - {}", "{}–{}", "{}..{}", " [{}..{}] "]
)


@given(st.lists(st.tuples(DECIMALS, DECIMALS, WAYS), min_size=1, max_size=6), st.booleans())
@draws(200)
def test_what_is_written_is_read(rows: list[tuple[Decimal, Decimal, str]], starred: bool) -> None:
    texts = [way.format(*sorted(ends)) for *ends, way in rows] + ["*"] * starred
    expected = [tuple(map(Fraction, sorted(ends))) for *ends, _ in rows] + ["suppressed"] * starred
    assert read(texts) == expected


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        (["[15, 10]", "1"], "row 1"),
        (["1", "15-10"], "row 2"),
        (["-3--5", "[2, 1]", "4"], "rows 1, 2"),
        ([{"lo": 5, "hi": 7}, {"lo": 9, "hi": 8}], "row 2"),
    ],
    ids=str,
)
def test_a_range_that_ends_before_it_begins_is_refused(cells: list[Any], rows: str) -> None:
    with pytest.raises(BadCells) as caught:
        read(cells)
    count = rows.count(",") + 1
    assert caught.value.fault.what == (
        f"column 'a' has {count} of {len(cells)} cells that are ranges that end before they begin ({rows})"
    )


BAD_TEXTS = [
    "[10, 15",
    "10, 15]",
    "[10, 15)",
    "(10, 15]",
    "[10, 155",
    "[10]",
    "[1, 2, 3]",
    "[, 5]",
    "[5, ]",
    "[nan, 5]",
    "[0, inf]",
    "10-",
    "10--",
    "1-2-3",
    "**",
    "secret",
    "12 to 13",
    "1,234.5",
    "1,5",
    "10; 15",
    "[]",
]


@pytest.mark.parametrize("text", BAD_TEXTS)
@pytest.mark.parametrize("beside", ["[10, 20]", "7", "1..2"])
def test_text_that_is_no_cell_is_reported_by_its_row_and_never_by_its_content(text: str, beside: str) -> None:
    with pytest.raises(BadCells) as caught:
        read([beside, text, beside])
    fault = caught.value.fault
    assert fault.what == "column 'a' has 1 of 3 cells that are neither numbers nor ranges (row 2)"
    assert text not in str(fault).replace("[10, 15]", "")


def test_misplaced_ends_do_not_slip_into_the_next_cell() -> None:
    with pytest.raises(BadCells, match=r"2 of 3 cells .* \(rows 1, 2\)"):
        read(["[1, 2, 3]", "[4]", "[5, 6]"])


def test_bad_cells_of_a_file_are_reported_by_line(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text('a\n"[1, 2]"\nwhat\n7\n"[3, 2x]"\n', encoding="utf-8")
    with pytest.raises(BadCells, match=r"2 of 4 cells .* \(lines 3, 5\)"):
        PublishedTable(read_table(path)).cells("a")


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "[1, 2]", "[0, 9223372036854775807]"],
        ["0.5", "1-2", "0-9223372036854775807"],
        ["1", "2", "[0, 99999999999999999999]"],
    ],
)
def test_numbers_beyond_64_bits_are_reported_by_their_own_row(cells: list[str]) -> None:
    with pytest.raises(BadCells, match=r"numbers beyond 64 bits \(row 3\)"):
        read(cells)


def test_codes_are_no_ends_of_a_range() -> None:
    with pytest.raises(BadCells, match=r"codes with leading zeros, not numbers \(row 2\)"):
        read(["[1, 2]", "[007, 010]"])


def ranges_of(*cells: dict[str, Any] | None, kind: pa.DataType = pa.int64()) -> pa.Array:  # noqa: B008
    return pa.array(cells, pa.struct([("lo", kind), ("hi", kind)]))


def test_a_struct_holds_both_ends() -> None:
    assert read(ranges_of({"lo": -3, "hi": 5}, {"lo": 4, "hi": 4})) == [exactly("-3", "5"), exactly("4")]


def test_the_ends_of_a_struct_may_have_different_scales() -> None:
    ends = [pa.array([Decimal("1.50")]), pa.array([2])]
    assert read(pa.StructArray.from_arrays(ends, names=["lo", "hi"])) == [exactly("1.5", "2")]


def test_a_struct_of_a_slice_keeps_its_own_rows() -> None:
    sliced = ranges_of({"lo": 1, "hi": 2}, {"lo": 3, "hi": 4}, None, {"lo": 5, "hi": 6}).slice(1)
    assert read(sliced) == [exactly("3", "4"), "missing", exactly("5", "6")]


def test_a_missing_range_is_zero_in_units_whatever_lies_under_it() -> None:
    hidden = pa.StructArray.from_arrays(
        [pa.array([1, 9]), pa.array([2, 8])], names=["lo", "hi"], mask=pa.array([False, True])
    )
    nothing = ranges_of({"lo": 1, "hi": 2}, {"lo": None, "hi": None})
    for cells in (published(a=hidden).cells("a"), published(a=nothing).cells("a")):
        assert meaning(cells) == [exactly("1", "2"), "missing"]
        assert (cells.low[1], cells.high[1]) == (0, 0)


def test_a_range_without_an_end_is_no_number() -> None:
    with pytest.raises(BadCells, match="1 of 2 cells that are ranges without an end"):
        published(a=ranges_of({"lo": 1, "hi": 2}, {"lo": None, "hi": 8})).cells("a")


def test_a_struct_of_anything_else_is_no_range() -> None:
    with pytest.raises(BadCells, match="2 of 2 cells that are neither numbers nor ranges"):
        read([{"from": 1, "to": 2}, {"from": 1, "to": 2}])


@pytest.mark.parametrize(
    "array",
    [
        pa.array([7, None], pa.int32()),
        pa.array([7.0, float("nan")]),
        pa.array([Decimal("7.00"), None]),
        pa.array(["7", None], pa.large_string()),
        pa.array(["7", ""]).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
def test_exact_numbers_of_every_type_are_read(array: pa.Array) -> None:
    assert read(array) == [exactly("7"), "missing"]


def test_ranges_in_a_category_are_read() -> None:
    assert read(pa.array(["[1, 2]", "*", "[1, 2]"]).dictionary_encode()) == [
        exactly("1", "2"),
        "suppressed",
        exactly("1", "2"),
    ]


def test_a_column_is_taken_apart_once() -> None:
    table = published(a=["1", "2"], b=["[1, 2]", "x"])
    table.load(["a", "b"])
    assert table.cells("a") is table.cells("a")
    with pytest.raises(BadCells):
        table.cells("b")


def test_rows_of_cells_are_taken_together() -> None:
    cells = published(a=["[1, 2]", "*", "", "3"]).cells("a")
    assert meaning(cells.rows(np.array([True, True, False, True]))) == [
        exactly("1", "2"),
        "suppressed",
        exactly("3"),
    ]


@pytest.mark.parametrize(
    "words",
    [["[1, 2]", "3", "*", None, ""], ["1-2", "[3.5, 4]", "7"], ["f", "[1, 2]", "m"], ["[5, 1]", "2"]],
)
def test_a_long_column_of_few_cells_is_taken_apart_as_a_short_one_is(words, monkeypatch):
    def taken_apart():
        try:
            cells = PublishedTable(Table(pa.table({"a": pa.array(words * 20, pa.string())}))).cells("a")
        except BadCells as error:
            return error.fault
        parts = (cells.low, cells.high, cells.suppressed, cells.missing)
        return [part.tolist() for part in parts], cells.scale

    cell_by_cell = taken_apart()
    monkeypatch.setattr("shoal.table.columns.dictionary_encoding.LONG", 1)
    assert taken_apart() == cell_by_cell
