"""The bytes of a text column, and what is told of its cells by them."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.columns.repeats import repeating_rows
from shoal.table.columns.same_value import value_of
from shoal.table.columns.spelling import BLANKS, NO_WIDTH, WIDE_BLANKS, one_spelling
from shoal.table.columns.text_bytes import text_bytes
from tests.draws import draws

LETTERS = st.sampled_from(
    ["a", "n", "N", "1", "0", " ", "\t", "\x1c", "\x85", "\u00a0", "\u200b", "é", "e\u0301", "日"]
)
CELLS = st.lists(st.none() | st.lists(LETTERS, max_size=4).map("".join), max_size=8)


def tidy(cell: str | None) -> str | None:
    """The definition, for one cell."""
    if cell is None:
        return None
    text = unicodedata.normalize("NFC", cell).strip(BLANKS + WIDE_BLANKS + NO_WIDTH)
    return None if not text or text.lower() == "nan" else text


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@draws(60)
@given(chunks=st.lists(CELLS, max_size=3), skipped=st.integers(0, 2))
def test_every_cell_is_tidied_whatever_its_neighbours(
    kind: pa.DataType, chunks: list[list[str | None]], skipped: int
) -> None:
    column = pa.chunked_array([pa.array(chunk, kind).slice(skipped) for chunk in chunks], kind)
    found = one_spelling(column)
    found.validate(full=True)
    assert found.type == kind
    assert found.to_pylist() == [tidy(cell) for chunk in chunks for cell in chunk[skipped:]]


@draws(60)
@given(cells=CELLS, skipped=st.integers(0, 2))
def test_first_last_and_length_are_those_of_the_cells(cells: list[str | None], skipped: int) -> None:
    found = text_bytes(pa.array(cells, pa.string()).slice(skipped))
    words = [(word or "").encode() for word in cells[skipped:]]
    assert bytes(found.text) == b"".join(words)
    assert found.lengths.tolist() == [len(word) for word in words]
    ends = [(int(first), int(last)) for first, last in zip(found.first, found.last, strict=True)]
    assert all(end == (word[0], word[-1]) for end, word in zip(ends, words, strict=True) if word)


@draws(60)
@given(cells=CELLS | st.lists(st.sampled_from(["7", "07", "8", "9", " 9", "9.0", "0x9", None]), max_size=6))
def test_rows_repeat_if_their_value_does(cells: list[str | None]) -> None:
    there = [word for cell in cells if (word := value_of(cell)) is not None]
    assert repeating_rows(pa.array(cells, pa.string())) == sum(there.count(word) > 1 for word in there)
