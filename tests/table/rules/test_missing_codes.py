"""Codes of missing cells are compared by value, and nothing else goes."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.columns.same_value import value_of
from shoal.table.rules.missing_codes import MissingCodes
from tests.draws import draws


def without(cells, *codes):
    return MissingCodes((("a", codes),))(pa.table({"a": cells})).column("a").to_pylist()


@pytest.mark.parametrize(
    "cells",
    [["-9", "5"], [" -9.0 ", "5"], [-9, 5], [-9.0, 5.0], [Decimal("-9.00"), Decimal("5.00")]],
)
def test_a_code_is_a_value_in_any_spelling_and_type(cells):
    assert without(cells, "-9") == [None, cells[1]]


@pytest.mark.parametrize("kind", [pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
@pytest.mark.parametrize("code", ["NA", "absent"])
def test_the_type_is_the_same_whether_a_code_occurs_or_not(kind, code):
    rows = pa.table({"a": pa.array(["NA", "x", None]).cast(kind)})
    found = MissingCodes((("a", (code,)),))(rows).column("a")
    assert found.type == pa.string()
    assert found.to_pylist() == [None if code == "NA" else "NA", "x", None]


def test_words_are_compared_with_capitals_and_without_blanks_around_them():
    assert without([" NA", "na", "N A", "?"], "NA", "?") == [None, "na", "N A", None]


def test_a_date_is_a_code():
    assert without([date(1900, 1, 1), date(2000, 1, 1)], "1900-01-01") == [None, date(2000, 1, 1)]


def test_codes_of_all_columns_hold_in_all_of_them_and_others_in_their_own():
    rule = MissingCodes((("*", ("NA",)), ("a", ("-9",)), ("absent", ("1",))))
    rows = pa.table({"a": ["NA", "-9"], "b": ["NA", "-9"], "shoal:row": [0, -9]})
    assert rule(rows).to_pydict() == {"a": [None, None], "b": [None, "-9"], "shoal:row": [0, -9]}


def test_lists_hold_no_codes():
    assert without([["NA"], None], "NA") == [["NA"], None]


@draws(100)
@given(
    st.lists(st.sampled_from(["-9", "-9.0", "9", "NA", "nan", " NA ", "x", "", None])),
    st.sets(st.sampled_from(["-9", "NA", "x"])),
)
def test_it_is_what_value_of_says_cell_by_cell(cells, codes):
    gone = [None if value_of(cell) in codes else cell for cell in cells]
    assert without(pa.array(cells, pa.string()), *sorted(codes)) == gone
