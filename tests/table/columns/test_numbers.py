"""Numeric columns as whole numbers: exact where it can be, refused where it cannot."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.table.columns.numbers import NotNumeric, numbers_from_arrow, units_to_arrow
from tests.draws import draws


def numbers(cells, kind=None):
    return numbers_from_arrow(pa.chunked_array([pa.array(cells, kind)]))


def refusal(cells, kind=None):
    with pytest.raises(NotNumeric) as refused:
        numbers(cells, kind)
    return refused.value.reason, refused.value.rows.tolist()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([0.1, 0.2, 0.3], pa.float64()),
        ([0.1, 0.2, 0.3], pa.float32()),
        (["0.1", "0.20", ".3"], pa.string()),
        (["+0.1", " 0.2", "3e-1"], pa.string()),
        (["0.1", "0.2", "0.3"], pa.large_string()),
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], pa.decimal128(20, 9)),
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], pa.decimal256(60, 3)),
    ],
    ids=["float64", "float32", "text", "text in other ways", "large text", "decimal128", "decimal256"],
)
def test_a_tenth_and_two_tenths_are_three_tenths(cells, kind):
    found = numbers(cells, kind)
    assert (found.units.tolist(), found.scale, found.exact) == ([1, 2, 3], 1, True)
    assert found.units[0] + found.units[1] == found.units[2]


@pytest.mark.parametrize(
    ("cells", "kind", "units"),
    [
        ([3, -4, 0], pa.int8(), [3, -4, 0]),
        ([3, 2**63 - 1], pa.uint64(), [3, 2**63 - 1]),
        (["3", "-4", "0", "-0"], None, [3, -4, 0, 0]),
        (["+3", " 4 ", "5."], None, [3, 4, 5]),
        ([3.0, -4.0, -0.0], None, [3, -4, 0]),
        ([Decimal("1200")], pa.decimal128(5, -2), [1200]),
        (["3", "4", "3"], pa.dictionary(pa.int8(), pa.string()), [3, 4, 3]),
        (["1e3", "2.5E1"], None, [1000, 25]),
    ],
)
def test_whole_numbers_have_scale_zero_however_they_are_written(cells, kind, units):
    found = numbers(cells, kind)
    assert (found.units.tolist(), found.scale) == (units, 0)


decimals = st.decimals(min_value=Decimal(-(10**8)), max_value=Decimal(10**8), places=9)


@draws(200)
@given(st.lists(decimals, min_size=1, max_size=6), st.sampled_from(["text", "decimal"]))
def test_decimals_are_exact_on_the_smallest_scale(cells, given_as):
    kind = pa.decimal128(38, 18) if given_as == "decimal" else None
    found = numbers(cells if kind else [f"{cell:f}" for cell in cells], kind)
    assert [Fraction(int(units), 10**found.scale) for units in found.units] == list(map(Fraction, cells))
    assert found.scale == 0 or any(units % 10 for units in found.units)


@draws(200)
@given(st.lists(st.integers(-(10**18) + 1, 10**18 - 1), min_size=1, max_size=6), st.integers(0, 18))
def test_eighteen_digits_are_exact_wherever_the_point_is(units, scale):
    units = [*units, 123456789012345678]  # no float is written like that, wherever its point is
    cells = [f"{Decimal(value).scaleb(-scale):f}" for value in units]
    found = numbers(cells)
    assert [int(value) * 10 ** (scale - found.scale) for value in found.units] == units


@draws(100)
@given(st.lists(st.floats(-1e6, 1e6).filter(lambda real: abs(real) > 1e-3), min_size=1, max_size=6))
def test_floats_in_text_are_read_as_the_floats_themselves(reals):
    reals = [*reals, 0.1 + 0.2, 0.3]
    text, floats = numbers(list(map(repr, reals))), numbers(reals)
    assert (text.units.tolist(), text.scale) == (floats.units.tolist(), floats.scale)
    assert text.reals.tolist() == floats.reals.tolist() == reals


@draws(200)
@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6), st.integers(0, 6))
def test_floats_are_read_on_the_smallest_scale_that_represents_all_of_them(units, scale):
    found = numbers([value / 10**scale for value in units])
    assert found.exact
    assert [Fraction(int(value), 10**found.scale) for value in found.units] == [
        Fraction(value, 10**scale) for value in units
    ]
    assert found.scale == 0 or any(value % 10 for value in found.units)


@draws(200)
@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=6))
def test_real_floats_lie_within_half_a_step_of_their_grid(cells):
    found = numbers(cells)
    for value, units in zip(cells, found.units, strict=True):
        published = Fraction(int(units), 10**found.scale)
        assert found.exact or abs(published - Fraction(value)) <= Fraction(6, 10 ** (found.scale + 1))
        assert not found.exact or int(units) / 10**found.scale == value


def test_real_floats_that_no_scale_represents_say_so():
    found = numbers([1 / 3, 2 / 3])
    assert (found.exact, found.scale) == (False, 15)
    assert found.units.tolist() == [333333333333333, 666666666666667]


def test_real_floats_that_were_written_out_are_read_as_floats():
    floats = [1 / 3, 1000000.0, 12345.678901234567]
    written, kept = numbers([repr(cell) for cell in floats]), numbers(floats)
    assert (written.exact, written.scale) == (kept.exact, kept.scale) == (False, 9)
    assert written.units.tolist() == kept.units.tolist()
    assert refusal(["0.333333333333333333", "1000000.5"]) == ("numbers beyond 64 bits", [1])


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, None, 3], pa.int64()),
        ([1.0, None, 3.0], pa.float64()),
        ([1.0, float("nan"), 3.0], pa.float64()),
        (["1", None, "3"], pa.string()),
        (["1", "", "3"], pa.string()),
        (["1", "  ", "3"], pa.string()),
        (["1", "NaN", "3"], pa.string()),
        ([Decimal(1), None, Decimal(3)], pa.decimal128(9, 2)),
    ],
)
def test_missing_cells_are_marked_and_count_nothing(cells, kind):
    found = numbers(cells, kind)
    assert found.missing.tolist() == [False, True, False]
    assert found.units.tolist() == [1, 0, 3]
    assert found.any_missing


@pytest.mark.parametrize("kind", [pa.null(), pa.int64(), pa.string(), pa.float64(), pa.decimal128(9, 2)])
def test_a_column_of_missing_cells_is_all_missing(kind):
    assert numbers([None, None], kind).missing.all()


def test_a_chunk_that_is_a_slice_is_read_from_its_own_start():
    whole = pa.array([Decimal("9.5"), Decimal("1.5"), None, Decimal("2.5")])
    found = numbers_from_arrow(pa.chunked_array([whole.slice(1, 2), whole.slice(3)]))
    assert (found.units.tolist(), found.missing.tolist()) == ([15, 0, 25], [False, True, False])


@pytest.mark.parametrize(
    ("cells", "kind", "reason", "rows"),
    [
        (["1", "x", "1,5"], None, "text, not numbers", [1, 2]),
        (["1_000", "0x1F", "0x0", "1"], None, "text, not numbers", [0, 1, 2]),
        (["1", "٣"], None, "text, not numbers", [1]),
        (["007", "1"], None, "codes with leading zeros, not numbers", [0]),
        (["1", "00"], None, "codes with leading zeros, not numbers", [1]),
        (["1", " 08", "-07"], None, "codes with leading zeros, not numbers", [1, 2]),
        (["01.5", "2.5"], None, "codes with leading zeros, not numbers", [0]),
        (["01", "1e5"], None, "codes with leading zeros, not numbers", [0]),
        ([1.0, float("inf"), float("-inf")], None, "infinite numbers", [1, 2]),
        (["1", "-Infinity", "inf"], None, "infinite numbers", [1, 2]),
        (["1", "1e999"], None, "infinite numbers", [1]),
        ([2**63, 1, 2**64 - 1], pa.uint64(), "numbers beyond 64 bits", [0, 2]),
        (["1", str(2**63)], None, "numbers beyond 64 bits", [1]),
        (["1", str(2**128 + 5), "1" * 60], None, "numbers beyond 64 bits", [1, 2]),
        (["1.5", str(10**18)], None, "numbers beyond 64 bits", [1]),
        ([Decimal(1), Decimal(10**30)], pa.decimal128(38, 0), "numbers beyond 64 bits", [1]),
        ([Decimal(1), Decimal(10**50)], pa.decimal256(60, 0), "numbers beyond 64 bits", [1]),
        ([1.0, 1e16], None, "floats beyond fifteen digits", [1]),
        ([True, False], None, "cells of type bool, not numbers", [0, 1]),
        ([date(2020, 1, 1)], None, "cells of type date32[day], not numbers", [0]),
        ([[1]], None, "cells of type list<item: int64>, not numbers", [0]),
    ],
)
def test_what_is_no_number_is_refused_with_its_rows(cells, kind, reason, rows):
    assert refusal(cells, kind) == (reason, rows)


def test_trailing_zeros_take_no_room():
    assert numbers(["1.000000000000000000", "100"]).units.tolist() == [1, 100]
    assert numbers([Decimal("123456789012.5")], pa.decimal128(38, 18)).units.tolist() == [1234567890125]


@draws(200)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6), st.integers(0, 18))
@example([-(2**63)], 1)
def test_units_become_arrow_numbers_and_units_again(units, scale):
    array = units_to_arrow(np.array(units, np.int64), scale)
    array.validate(full=True)
    assert [Fraction(cell) for cell in array.to_pylist()] == [Fraction(value, 10**scale) for value in units]
    again = numbers_from_arrow(array)
    assert [int(value) * 10 ** (scale - again.scale) for value in again.units] == units


FEW = ["1.50", "-2", "", " 7 ", None, "1e3", "12"]


@pytest.mark.parametrize("words", [FEW, ["1", "x", "2.5", "y"], ["0815", "1.5"], ["1", "9" * 30]])
def test_a_long_column_of_few_words_is_read_word_by_word_as_it_is_cell_by_cell(words, monkeypatch):
    column = pa.chunked_array([pa.array(words * 20, pa.string())])

    def read():
        try:
            found = numbers_from_arrow(column)
        except NotNumeric as error:
            return error.rows.tolist(), error.reason
        return found.units.tolist(), found.scale, found.missing.tolist(), found.exact

    cell_by_cell = read()
    monkeypatch.setattr("shoal.table.columns.dictionary_encoding.LONG", 1)
    assert read() == cell_by_cell
