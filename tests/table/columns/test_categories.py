"""Columns of words as codes."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.columns.categories import categories_from_arrow
from shoal.table.columns.same_value import value_of
from shoal.table.table import Table
from tests.draws import draws


@draws(100)
@given(st.lists(st.text(max_size=3) | st.none(), max_size=12))
def test_every_cell_is_the_word_of_its_code(cells):
    found = categories_from_arrow(pa.chunked_array([pa.array(cells, pa.string())]))
    assert [found.words[code] for code in found.codes] == [value_of(cell) for cell in cells]
    assert found.missing.tolist() == [value_of(cell) is None for cell in cells]
    assert len(set(found.words)) == len(found.words)


def test_a_dictionary_with_a_word_twice_is_one_word():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert categories_from_arrow(pa.chunked_array([array])).codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize("kind", [pa.bool_(), pa.int32(), pa.date32()])
def test_other_types_are_words_too(kind):
    array = pa.array([1, 0, 1], pa.int32()).cast(kind)
    assert categories_from_arrow(pa.chunked_array([array])).codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", "2", "n/a"], True),
        (["1", "x", "y"], False),
        (["x", " ", None], False),
        (["01234", "55555"], False),
        ([" ", None], False),
        (["7"], True),
    ],
)
def test_a_column_is_one_of_words_unless_most_cells_are_numbers(cells, numbers):
    assert Table(pa.table({"a": pa.array(cells, pa.string())})).mostly_numbers("a") is numbers
