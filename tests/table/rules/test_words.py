"""Codes are words, exactly as they are spelled; an order has all of them."""

import pyarrow as pa

from shoal.table.rules.words import Words


def test_codes_stay_as_they_are_spelled_and_numbers_of_frames_become_words():
    assert Words().read(pa.array(["007", "1.0", None])).cells.to_pylist() == ["007", "1.0", None]
    assert Words().read(pa.array([3, None, 10])).cells.to_pylist() == ["3", None, "10"]
    assert Words().read(pa.array([3.0, 2.5])).cells.to_pylist() == ["3", "2.5"]


def test_a_word_that_is_not_in_the_order_is_not_read():
    found = Words(("low", "high", "3")).read(pa.array(["low", "High", None, "3.0"]))
    assert found.unread.tolist() == [False, True, False, False]


def test_lists_are_no_words():
    assert Words().read(pa.array([[1], None])).unread.tolist() == [True, False]
