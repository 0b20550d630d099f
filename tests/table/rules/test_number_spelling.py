"""Numbers that are spelled in a style and read in it are the numbers that they were; nothing is guessed."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.rules.number_spelling import SPELLINGS, NumberSpelling
from tests.draws import draws

BLANKS = (" ", "\u00a0", "\u2009", "\u202f")
APOSTROPHES = ("'", "\u2019")
NUMBERS = st.decimals(-(10**15), 10**15, allow_nan=False, places=3)


def spelled(number, style, mark):
    """A number as people write it, with this very mark between thousands."""
    text = f"{number:,f}" if style.thousands else f"{number:f}"
    return text.translate({ord(","): mark, ord("."): style.decimal})


def marks(style):
    return {" ": BLANKS, "'": APOSTROPHES}.get(style.thousands, (style.thousands,))


@draws(100)
@given(st.lists(NUMBERS, min_size=1), st.sampled_from(SPELLINGS), st.data())
def test_what_is_spelled_in_a_style_and_read_in_it_is_the_same_number(numbers, style, data):
    mark = data.draw(st.sampled_from(marks(style)))
    minus = data.draw(st.sampled_from(["-", "\u2212"]))
    cells = pa.array([spelled(number, style, mark).replace("-", minus) for number in numbers])
    found = style.read(cells)
    assert not found.unread.any()
    assert [Decimal(cell) for cell in found.cells.to_pylist()] == numbers


@pytest.mark.parametrize(
    ("style", "cell", "read"),
    [
        (NumberSpelling(), "007", "7"),
        (NumberSpelling(), "+12.50", "12.50"),
        (NumberSpelling(), "-.5", "-.5"),
        (NumberSpelling(), "5.", "5"),
        (NumberSpelling(), "1e5", "1e5"),
        (NumberSpelling(), "1,234", None),
        (NumberSpelling(), "0x1F", None),
        (NumberSpelling(), "CHF 5", None),
        (NumberSpelling(",", "."), "1.234", "1234"),
        (NumberSpelling(",", "."), "1234,5", "1234.5"),
        (NumberSpelling(",", "."), "12.34", None),
        (NumberSpelling(",", "."), "1.234.5", None),
        (NumberSpelling(",", " "), "1\u202f234,50", "1234.50"),
        (NumberSpelling(".", "'"), "1'234.50", "1234.50"),
        (NumberSpelling(".", ","), "1,234.50", "1234.50"),
        (NumberSpelling(".", ","), "1,23,456", None),
    ],
)
def test_a_cell_is_read_as_stated_or_not_at_all(style, cell, read):
    found = style.read(pa.array([cell, None]))
    assert found.cells.to_pylist() == [read, None]
    assert found.unread.tolist() == [read is None, False]


def test_numbers_of_a_frame_stay_what_they_are_and_dates_are_none():
    for cells in (pa.array([1, 2]), pa.array([1.5]), pa.array([Decimal("1.50")]), pa.nulls(2)):
        assert NumberSpelling(",").read(cells).cells.equals(cells)
    assert NumberSpelling().read(pa.array([1, None], pa.date32())).unread.tolist() == [True, False]


@pytest.mark.parametrize(
    ("cells", "ways"),
    [
        (["1.234,50", "7"], ['decimal = ",", thousands = "."']),
        (["1,5"], ['decimal = ","']),
        (["1'234.50"], ['decimal = ".", thousands = "\'"']),
        (["1\u202f234,5"], ['decimal = ",", thousands = " "']),
        (["1,234"], ['decimal = ".", thousands = ","', 'decimal = ","']),  # only the owner knows which
        (["NA", "7"], []),
    ],
)
def test_the_hint_names_all_ways_in_which_the_column_can_be_read(cells, ways):
    hint = NumberSpelling().hint(pa.array(cells))
    assert all(way in hint for way in ways)
    assert hint.count("decimal = ") == len(ways)
    assert ways or "[missing]" in hint


def test_a_group_of_thousands_does_not_begin_with_a_zero():
    assert NumberSpelling(".", ",").read(pa.array(["0,123", "1,234"])).cells.to_pylist() == [None, "1234"]
