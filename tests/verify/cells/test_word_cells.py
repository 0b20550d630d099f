"""Published sets of words, read back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.table.columns.word_set import cell_of
from shoal.verify.cells.word_cells import words_of_cell
from tests.draws import draws

AWKWARD = st.text(st.sampled_from('ab ,"{}*\n\t\u00a0'), max_size=6)
WORDS = st.lists(st.none() | AWKWARD | st.text(max_size=5), min_size=1, max_size=5, unique=True)


@draws(500)
@given(words=WORDS)
@example(words=[""])
@example(words=[None])
@example(words=["*"])
@example(words=[" * "])
@example(words=["{}"])
@example(words=["", None])
@example(words=['"', ""])
@example(words=['a", ', "b"])
@example(words=["{a, b}", "*"])
@example(words=["a\n", "b"])
def test_reading_gives_back_the_words_that_were_written(words: list[str | None]) -> None:
    assert words_of_cell(cell_of(words)) == set(words)


@draws(200)
@given(first=WORDS, second=WORDS)
def test_different_sets_are_written_differently(first: list[str | None], second: list[str | None]) -> None:
    assert (set(first) == set(second)) or cell_of(first) != cell_of(second)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("north", {"north"}),
        ("{north}", {"north"}),
        ("{north,south}", {"north", "south"}),
        ("{ north , south }", {"north", "south"}),
        ('{"north, left", south}', {"north, left", "south"}),
        ('{"say ""no""", yes}', {'say "no"', "yes"}),
        ("{north, }", {"north", None}),
        ('{north, ""}', {"north", ""}),
        (None, {None}),
        ("", {""}),
    ],
)
def test_other_ways_of_writing_are_read_too(text: str | None, words: set[str | None]) -> None:
    assert words_of_cell(text) == words


@pytest.mark.parametrize("text", ["*", " * "])
def test_a_star_may_be_anything(text: str) -> None:
    assert words_of_cell(text) is None


@pytest.mark.parametrize("text", ['{a "b"}', '{"a}', "{a", "a}", '{"a" b, c}'])
def test_what_is_no_set_is_a_word(text: str) -> None:
    assert words_of_cell(text) == {text}


@given(st.text())
@draws(500)
def test_every_cell_can_be_read(text: str) -> None:
    words = words_of_cell(text)
    assert words is None or words
