"""Spellings of one value, told by hand; the fast way for arrays against the slow one for words."""

import string
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.columns.same_value import fifteen_digits, value_of
from shoal.table.columns.spelling import one_spelling, same_values
from tests.draws import draws

ODD = "\u00a0\u200b\ufeff\u3000 \t\n,;.+-eE0159nNaA\"'{}[]*é\u0301\uff15\u0665:TZ"
WORDS = st.one_of(st.text(), st.text(ODD), st.text(string.digits + ".-+eE: TZ"), st.floats().map(repr))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flu", "flu "),
        ("flu", "\u00a0flu\u200b"),
        ("New York", "New  York"),
        ("New York", "New\u00a0York"),
        ("café", unicodedata.normalize("NFD", "café")),
        ("50000", "50000.0"),
        ("50000", "+5e4"),
        ("50000", "\uff15\uff10\uff10\uff10\uff10"),
        ("0", "-0.0"),
        ("0.5", ".5"),
        ("-5", "\u22125"),
        ("0.3", str(0.1 + 0.2)),
        ("0.3", "3.0000000000000004e-1"),
        ("2020-01-01", "2020-01-01 00:00:00"),
        ("2020-01-01", "2020-01-01T00:00:00.000Z"),
        ("2020-01-01", "2020-01-01T02:00+02:00"),
        ("2020-01-01 10:30:00", "2020-01-01T10:30"),
    ],
)
def test_spellings_of_one_value_are_the_same(one: str, other: str) -> None:
    assert value_of(one) == value_of(other) == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flu", "Flu"),
        ("7", "007"),
        ("1000", "1,000"),
        ("1.5", "1,5"),
        ("12345678901234567", "12345678901234568"),
        ("90071992547409.93", "90071992547409.94"),
        ("12345678901234.56", "12345678901234.57"),
        ("2020-01-01", "2020-01-01 00:00:01"),
        ("2020-01-01", "01.01.2020"),
        ("newyork", "new york"),
        ("NA", "N/A"),
    ],
)
def test_what_is_not_plainly_the_same_stays_apart(one: str, other: str) -> None:
    assert value_of(one) != value_of(other)


@pytest.mark.parametrize("cell", [None, "", " ", "\u00a0\t", "\u200b", "nan", "NaN", " NAN "])
def test_a_cell_that_says_nothing_is_missing(cell: str | None) -> None:
    assert value_of(cell) is None
    assert one_spelling(pa.array([cell, "x"], pa.string())).to_pylist() == [None, "x"]


@draws(200)
@given(st.lists(WORDS, max_size=20))
def test_arrays_are_read_as_word_by_word(words: list[str]) -> None:
    words = [word.encode("utf-8", "ignore").decode() for word in words]
    assert same_values(pa.array(words, pa.string())).to_pylist() == [value_of(word) for word in words]


@draws(200)
@given(WORDS)
def test_the_one_spelling_is_a_spelling_of_itself(word: str) -> None:
    word = word.encode("utf-8", "ignore").decode()
    assert value_of(value_of(word)) == value_of(word)
    assert value_of(one_spelling(pa.array([word])).to_pylist()[0]) == value_of(word)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3), st.integers(0, 4))
def test_zeros_at_the_end_do_not_count(number: object, zeros: int) -> None:
    assert value_of(f"{number:f}" + "0" * zeros) == value_of(f"{number:f}")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_fifteen_digits_are_near_and_final(real: float) -> None:
    once = fifteen_digits(np.array([real]))
    assert abs(once[0] - real) <= 1e-14 * abs(real)
    assert fifteen_digits(once)[0] == once[0]


def test_floats_have_one_zero_and_one_way_to_be_missing() -> None:
    column = pa.chunked_array([[0.0, -0.0, float("nan"), None]])
    assert str(one_spelling(column).to_pylist()) == "[0.0, 0.0, None, None]"


def test_dictionaries_and_long_texts_are_read_alike() -> None:
    for kind in (pa.large_string(), pa.string_view()):
        assert one_spelling(pa.array(["flu ", ""], kind)).to_pylist() == ["flu", None]
    coded = pa.chunked_array([pa.array(["flu ", "flu", ""]).dictionary_encode()])
    assert one_spelling(coded).to_pylist() == ["flu", "flu", None]
