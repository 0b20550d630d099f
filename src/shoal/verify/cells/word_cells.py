"""What a published cell of words stands for, read as a recipient would."""

from shoal.table.columns.same_value import value_of
from shoal.table.columns.word_set import STAR, words_in


def values_of_cell(text: str | None) -> set[str | None] | None:
    """The values that a published cell stands for, however they are spelt; None if it may be any.

    >>> values_of_cell('{"flu ", 1.0}') == {"flu", "1"}
    True
    """
    words = words_of_cell(text)
    return None if words is None else {value_of(word) for word in words}


def words_of_cell(text: str | None) -> set[str | None] | None:
    """The words that a published cell stands for; None if it may be anything (a star).

    >>> sorted(words_of_cell('{north, "Rhône, left"}')), words_of_cell("north")
    (['Rhône, left', 'north'], {'north'})
    >>> words_of_cell("{north, }") == {"north", None}
    True
    """
    if text is None:
        return {None}
    if text.strip() == STAR:
        return None
    return set(words_in(text) or [text])
