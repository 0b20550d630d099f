"""The sets of words that classes publish."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.anonymizer.ranges.class_sets import class_sets
from shoal.methods.ranges import Ranges
from shoal.table.columns.word_set import cell_of
from shoal.verify.cells.word_cells import words_of_cell
from tests.draws import draws

WORDS = ("east", "north, left", "*", "west", None)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["north"], "north"),
        ([None], None),
        (["Rhône, left"], "Rhône, left"),
        (["*"], '{"*"}'),
        (["{a}"], '{"{a}"}'),
        (["[1, 2]"], '{"[1, 2]"}'),
        (["[a, b]"], "[a, b]"),
        (["10-15"], "10-15"),
        (["a", "b"], "{a, b}"),
        (["a", None], "{a, }"),
        (["", "a"], '{"", a}'),
        (["a, b", 'c "d"'], '{"a, b", "c ""d"""}'),
        ([" a", "b"], '{" a", b}'),
    ],
)
def test_words_are_quoted_only_where_they_would_be_misread(words: list[str | None], text: str | None) -> None:
    assert cell_of(words) == text


@st.composite
def classes(draw: st.DrawFn) -> tuple[Ranges, np.ndarray]:
    """One column of codes: classes that open it to their range, and classes that keep it exact."""
    members = draw(
        st.lists(
            st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=4),
            min_size=1,
            max_size=4,
        )
    )
    low, high = [], []
    for codes in members:
        opened = draw(st.booleans())
        low += [min(codes) if opened else code for code in codes]
        high += [max(codes) if opened else code for code in codes]
    codes = [code for class_codes in members for code in class_codes]
    starts = np.append(0, np.cumsum([len(class_codes) for class_codes in members]))
    ends = (np.array(end)[:, np.newaxis] for end in (low, high))
    ranges = Ranges(np.arange(len(codes)), starts, *ends)
    return ranges, np.array(codes)


@draws(200)
@given(made=classes())
def test_an_open_class_shows_the_words_of_its_members_and_a_closed_one_each_its_own(made) -> None:
    ranges, codes = made
    sets = class_sets(ranges, 0, codes, WORDS)
    shown = sets.to_arrow(np.arange(len(codes))).to_pylist()
    class_of, surplus = ranges.class_of(), 0
    for at, text in enumerate(shown):
        opened = ranges.low[at, 0] < ranges.high[at, 0]
        members = codes[class_of == class_of[at]] if opened else codes[[at]]
        expected = {WORDS[code] for code in members}
        assert words_of_cell(text) == expected
        surplus += len(expected) - 1
    assert sets.width == surplus
