"""Phone numbers: international ones, national ones with separators, and plain digits.

Plain digits often begin as phone numbers do. So in a column of numbers they are judged by how many do; among
other words any long one is taken for a phone number, or for another number that is somebody's alone.
"""

import numpy as np
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.identifying.detector import Detector, DifferentWords, Found, by_shape, matching

GAP = r"[ ./()-]{0,3}"
EXTENSION = r"( ?(x|ext\.?) ?\d{1,6})?"
INTERNATIONAL = (
    rf"(^|[\s:,;(])(\+|00 ?)[1-9]\d{{0,2}}{GAP}(\(0\){GAP})?(\d{GAP}){{6,11}}\d?$|\+[1-9]\d{{8,13}}\b"
)
UNLIKE_AMOUNTS = (
    r"^(\(0\d{1,5}\)|0[1-9]\d{1,4})[ /-]{1,3}\d{2,8}([ -]?\d{2,4}){0,4}$",  # Germany, Britain, Austria
    r"^0\d{2,5}[ /]\d{4,9}$",
    r"^0[1-9]([ .-]\d{2}){4}$",  # France
    r"^0\d{2} \d{3} \d{2} \d{2}$",  # Switzerland
    rf"^((\+|00)?1[ .-]?)?(\([2-9]\d{{2}}\) ?|[2-9]\d{{2}}[.-])\d{{3}}[ .-]\d{{4}}{EXTENSION}$",  # America
)
NATIONAL_SHAPES = (
    *UNLIKE_AMOUNTS,
    r"^[6789]\d{2}([ -]\d{3}){2}$|^[6789]\d{2}([ -]\d{2}){3}$|^9\d[ -]\d{3}[ -]\d{2}[ -]\d{2}$",  # Spain
    r"^(0\d{1,3}|3\d{2})[ /-]\d{3,4} ?\d{3,4}$",  # Italy
    r"^(69\d{1,2}|2\d{2,4}) \d{2,3} ?\d{3} ?\d{0,3}$",  # Greece
)
PLAIN = r"^(0[1-9]\d{7,9}|[1-9]\d{8,11})$"
BEGINS = r"^(0[1-9]\d{7,9}|69\d{8}|2[1-8]\d{8}|[67]\d{8}|9[1-8]\d{7}|3[2-9]\d{8})$"
PREFIX = r"^(\pL+[.:]*\s+|\pL+[.:]+){1,3}"
OF_A_PHONE = r"(?i)^(\pL+ )?(t[eé]l|fon|phone|mobil|handy|cell|fax|call|ruf|m[oó]vil|τηλ|κιν)"


def behind_words(words: DifferentWords) -> Found:
    """National numbers behind up to three words; what may be an amount needs a word that says so."""
    places = words.with_digits
    places = places[matching(words.cells.take(arrow_from_numpy(places)), PREFIX)]
    cells = words.cells.take(arrow_from_numpy(places))
    bare = pc.replace_substring_regex(cells, PREFIX, "")
    of_a_phone = matching(cells, OF_A_PHONE) & matching(bare, "|".join((*NATIONAL_SHAPES, PLAIN)))
    passed = (of_a_phone | matching(bare, "|".join(UNLIKE_AMOUNTS))) & ~matching(cells, INTERNATIONAL)
    return Found(places[passed], np.ones(int(passed.sum()), bool))


def plain_numbers(words: DifferentWords) -> Found:
    """Digits alone: among other words all of them, else those that begin as phone numbers do."""
    places = words.with_digits
    numbers = places[matching(words.cells.take(arrow_from_numpy(places)), r"^\d+$")]
    shaped = numbers[matching(words.cells.take(arrow_from_numpy(numbers)), PLAIN)]
    if 2 * len(numbers) <= len(words.cells):
        return Found(shaped, np.ones(len(shaped), bool))
    return Found(shaped, matching(words.cells.take(arrow_from_numpy(shaped)), BEGINS))


PHONES = (
    Detector("phone number", by_shape("|".join((INTERNATIONAL, *NATIONAL_SHAPES))), fewest=3, most_rows=10),
    Detector("phone number", behind_words, fewest=3, most_rows=10),
    Detector("phone number", plain_numbers, chance=0.6, fewest=20, most_rows=3),
)
