"""Published sets of words, read as a recipient would: ``{A, "B, C", }`` is A, B, C-with-a-comma, missing."""

import re

ELEMENT = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,"]*?))\s*(,|$)')


def words_of(text: str | None) -> set[str | None] | None:
    """The words that a published cell stands for; None if it may be anything (a star).

    >>> sorted(words_of('{north, "Rhône, left"}')), words_of("north")
    (['Rhône, left', 'north'], {'north'})
    >>> words_of("{north, }") == {"north", None}
    True
    """
    if text is None:
        return {None}
    if text.strip() == "*":
        return None
    if not (text.startswith("{") and text.endswith("}")):
        return {text}
    words: set[str | None] = set()
    rest, at = text[1:-1], 0
    while True:
        found = ELEMENT.match(rest, at)
        if found is None:
            return {text}  # no set after all
        quoted, plain, comma = found.groups()
        words.add(quoted.replace('""', '"') if quoted is not None else plain or None)
        at = found.end()
        if not comma:
            return words
