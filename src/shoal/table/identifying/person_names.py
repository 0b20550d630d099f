"""Names of persons, by lists of frequent ones in six languages.

A given name before a surname is a name, and so is a surname, a comma, a given name. A given name beside an
unknown word is likely one where others are names. In a cell of up to six words a name may stand behind some
others, as in "ask Maria Schmidt". Words alone are names only where most of the column's words
are: Georgia and Austin are places, too.
"""

from functools import cache
from importlib import resources

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.identifying.detector import Detector, DifferentWords, Found, matching

TITLES = r"(?i)^((mr|mrs|ms|miss|dr|prof|herr|frau|mme|mlle|m|sr|sra|sig|κ|κα)\.? )+"
NAME = r"\p{Lu}[\pL'’`.-]*"
LINK = r"(?:de|du|des|del|della|di|da|la|le|los|las|van|von|der|den|y|und|zu|te|auch)"
FULL = rf"^{NAME}(,? +(?:{NAME}|{LINK})){{0,5}},? +{NAME}$"
SHORT = r"^\S+( +\S+){2,5}$"  # with a name and something else
PART = rf"^{NAME}( +{NAME}){{1,2}}$"
PLAIN_WORDS = r"((\p{Ll}\S*|\S+[.,:;]|\d\S*) +)*"
BEFORE = (rf"^{PLAIN_WORDS}", rf"^\p{{Lu}}\pL*[.,:;]* +{PLAIN_WORDS}")
AFTER = r"([.,;:!?)]| +[^\p{Lu}]).*$"
ALONE = r"^\p{Lu}[\pL'’-]{2,}$"
BY_CHANCE = 0.001  # of the words of a column that are towns, firms or schools
ALONE_BY_CHANCE = 0.5  # of single words


@cache
def listed(title: str) -> pa.Array:
    """The names under a title of the list."""
    text = resources.files(__package__).joinpath("names.txt").read_text(encoding="utf-8")
    part = text.split(f"[{title}]\n", 1)[1].split("[", 1)[0]
    return pa.array(part.split())


def plain_names(cells: pa.Array) -> pa.Array:
    """Small letters without accents.

    >>> plain_names(pa.array(["Γιώργος", "FRANÇOIS"])).to_pylist()
    ['γιωργοσ', 'francois']
    """
    apart = pc.utf8_normalize(pc.utf8_lower(cells), form="NFKD")
    bare = pc.replace_substring_regex(apart, r"\pM", "")
    return pc.replace_substring(pc.replace_substring(bare, "ς", "σ"), "ß", "ss")


def full_names(words: DifferentWords) -> Found:
    """DifferentWords of two to five parts, of which one is a given name and another one a surname.

    >>> found = full_names(DifferentWords(pa.array(["Anna Schmidt", "New York", "Papadopoulos, Giorgos"])))
    >>> found.shaped.tolist(), found.passed.tolist()
    ([0, 1, 2], [True, False, True])
    """
    shaped = words.places
    cells = pc.replace_substring_regex(words.cells, TITLES, "")
    candidates = np.flatnonzero(matching(cells, FULL))
    passed, likely = np.zeros(len(shaped), bool), np.zeros(len(shaped), bool)
    if len(candidates):
        passed[candidates], likely[candidates] = _judged(cells.take(arrow_from_numpy(candidates)))
    short = np.flatnonzero(~passed & matching(cells, SHORT))
    for before in BEFORE if len(short) else ():
        passed[short] |= _hold_a_name(cells.take(arrow_from_numpy(short)), before)
    return Found(shaped, passed, likely)


def _hold_a_name(cells: pa.Array, before: str) -> Bools:
    """In which cells a given name and a surname are left, without the words before and behind."""
    parts = pc.replace_substring_regex(pc.replace_substring_regex(cells, before, ""), AFTER, "")
    found = matching(parts, PART)
    if found.any():
        found[found] = _judged(parts.filter(pa.array(found)))[0]
    return found


def _judged(cells: pa.Array) -> tuple[Bools, Bools]:
    """Which cells are names, and which are likely to be."""
    parts = pc.split_pattern_regex(plain_names(cells), r"[^\pL]+")
    tokens, of = pc.list_flatten(parts), numpy_from_arrow(pc.list_parent_indices(parts)).astype(np.int64)
    long = numpy_from_arrow(pc.utf8_length(tokens)) > 2
    given, surname = (_among(tokens, title) & long for title in ("given", "surnames"))
    given, surname, long = (_by_place(found, of, len(cells)) for found in (given, surname, long))
    last = np.maximum(long.shape[1] - 1 - np.argmax(long[:, ::-1], axis=1), 1)
    ends = np.take_along_axis(surname, last[:, None], axis=1)[:, 0]
    comma = numpy_from_arrow(pc.match_substring(cells, ","))
    turned = comma & surname[:, 0] & given[:, 1:].any(axis=1)
    sure = (given[:, 0] & ends) | turned
    both = given[:, 0] | given.any(axis=1) & (comma | surname.any(axis=1))
    return sure, ~sure & both


def _by_place(tokens: Bools, of: Ints, cells: int) -> Bools:
    """A row for each cell, a column for each place of a part."""
    first = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
    place = np.arange(len(of)) - first[of]
    found = np.zeros((cells, max(int(place.max()) + 1, 2)), bool)
    found[of, place] = tokens
    return found


def _among(tokens: pa.Array, title: str) -> Bools:
    found: Bools = numpy_from_arrow(pc.is_in(tokens, value_set=listed(title)))
    return found


def names_alone(words: DifferentWords) -> Found:
    """Single words that are on one of the lists."""
    shaped = np.flatnonzero(matching(words.cells, ALONE))
    first_parts = pc.replace_substring_regex(words.cells.take(arrow_from_numpy(shaped)), "['’-].*", "")
    tokens = plain_names(first_parts)
    return Found(shaped, np.maximum(_among(tokens, "given"), _among(tokens, "surnames")))


NAMES = (
    Detector("name of a person", full_names, chance=BY_CHANCE, fewest=3),
    Detector("name of a person", names_alone, chance=ALONE_BY_CHANCE, fewest=15),
)
