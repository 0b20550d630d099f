"""Columns as numbers of their different cells."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.columns.dictionary_encoding import decode_columns, encode, take_rows
from tests.draws import draws

WORDS = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=8)


def cells_of(encoded):
    return [encoded.cells[int(number)].as_py() for number in encoded.numbers]


@draws(100)
@given(chunks=st.lists(WORDS, max_size=3))
def test_every_row_holds_the_cell_of_its_number_and_all_cells_differ(chunks):
    found = encode(pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string()))
    assert cells_of(found) == [word for chunk in chunks for word in chunk]
    cells = found.cells.to_pylist()
    assert len(set(cells)) == len(cells)
    assert None not in cells[:-1]


@draws(100)
@given(words=st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=4), data=st.data())
def test_a_dictionary_may_hold_a_word_twice_or_none_or_one_that_does_not_occur(words, data):
    numbers = data.draw(st.lists(st.integers(0, len(words) - 1) | st.none(), max_size=8))
    given_array = pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int8()), pa.array(words, pa.string()))
    found = encode(pa.chunked_array([given_array]))
    expected = [None if number is None else words[number] for number in numbers]
    assert cells_of(found) == expected
    assert set(found.cells.to_pylist()) == set(expected)


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.decimal128(9, 2), pa.date32()], ids=str)
def test_a_column_of_no_rows_has_no_cells(kind):
    found = encode(pa.chunked_array([], kind))
    assert (found.numbers.tolist(), found.cells.to_pylist()) == ([], [])
    assert found.cells.type == kind


def test_only_the_named_columns_are_decoded():
    array = pa.array(["x", None, "x"]).dictionary_encode()
    table = decode_columns(pa.table({"a": array, "b": array}), ["a"])
    assert table["a"].type == pa.string()
    assert table["a"].to_pylist() == table["b"].to_pylist() == ["x", None, "x"]
    assert pa.types.is_dictionary(table["b"].type)


@pytest.mark.parametrize("ordered", [True, False])
def test_a_dictionary_holds_what_occurs_and_keeps_only_an_order_with_a_meaning(ordered):
    kind = pa.dictionary(pa.int8(), pa.string(), ordered)
    words = pa.DictionaryArray.from_arrays(
        pa.array([2, 1, None, 1], pa.int8()), ["gone", "a", "b"], ordered=ordered
    )
    column = decode_columns(pa.table({"size": words}), [])["size"]
    assert column.type == kind
    assert column.to_pylist() == ["b", "a", None, "a"]
    assert column.combine_chunks().dictionary.to_pylist() == (["a", "b"] if ordered else ["b", "a"])


@pytest.mark.parametrize(
    "column",
    [
        pa.chunked_array([["b", None] * 3_000, ["a"] * 6_000]),
        pa.chunked_array([[str(row) for row in range(12_000)]]),
        pa.chunked_array([[1, None] * 3_000, [7] * 6_000]),
        pa.chunked_array([["b", "a"] * 6_000]).dictionary_encode(),
    ],
)
def test_taken_cells_are_those_that_arrow_takes(column):
    rows = pa.array(np.random.default_rng(1).permutation(12_000)[:11_000])
    assert take_rows(column, rows).to_pylist() == column.take(rows).to_pylist()
