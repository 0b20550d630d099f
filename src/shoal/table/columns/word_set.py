"""Sets of words in one cell, written and read back exactly: ``{A, "B, C", }`` is A, B-comma-C, and missing.

Inside a set, quotes stand around words that would be misread, and a quote in such a word is doubled. A word
alone is itself, unless it looks like a set, a star or a range of numbers: then it is a set of one.
"""

import re
from collections.abc import Iterable, Sequence

STAR = "*"
ELEMENT = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,"]*?))\s*(,|\Z)')
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = re.compile(rf"\s*\[\s*{NUMBER}\s*(?:,|;|\.\.|-|–)\s*{NUMBER}\s*[\])\[]\s*")


def cell_of(words: Sequence[str | None]) -> str | None:
    """How a cell shows the words that it stands for.

    >>> cell_of(["north"]), cell_of(["north", "Rhône, left", None]), cell_of(["*"]), cell_of(["[1, 2]"])
    ('north', '{north, "Rhône, left", }', '{"*"}', '{"[1, 2]"}')
    """
    if len(words) != 1:
        return set_of(words)
    word = words[0]
    return word if word is None or not _misread(word) else "{" + in_quotes(word) + "}"


def set_of(words: Iterable[str | None]) -> str:
    """How a set of words is written, also if it is one.

    >>> set_of(["1,5", "A"])
    '{"1,5", A}'
    """
    return "{" + ", ".join("" if word is None else _inside(word) for word in words) + "}"


def words_in(cell: str) -> frozenset[str | None] | None:
    """The words of a set, None among them for a missing one; None if the cell is no set.

    >>> sorted(words_in('{"A ""x"" y", B}')), words_in("B")
    (['A "x" y', 'B'], None)
    """
    if cell[:1] + cell[-1:] != "{}":
        return None
    found: set[str | None] = set()
    rest, at = cell[1:-1], 0
    while (element := ELEMENT.match(rest, at)) is not None:
        quoted, plain, comma = element.groups()
        found.add(quoted.replace('""', '"') if quoted is not None else plain or None)
        at = element.end()
        if not comma:
            return frozenset(found)
    return None


def _misread(word: str) -> bool:
    return word.strip() == STAR or word[:1] + word[-1:] == "{}" or RANGE.fullmatch(word) is not None


def _inside(word: str) -> str:
    plain = word and word == word.strip() and not set(word) & set(',"{}') and word != STAR
    return word if plain else in_quotes(word)


def in_quotes(word: str) -> str:
    """
    >>> print(in_quotes('net "pay"'))
    "net ""pay\"""
    """
    return '"' + word.replace('"', '""') + '"'
