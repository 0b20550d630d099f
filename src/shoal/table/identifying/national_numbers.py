"""Numbers by which states know people: tax, pension, health and identity numbers, by their check digits."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Bytes, Ints
from shoal.table.identifying.check_digits import checked, digits, luhn, remainder_97, weighted
from shoal.table.identifying.detector import Detector, by_shape

PENSION_WEIGHTS = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
AHV_WEIGHTS = [1, 3] * 6
AFM_WEIGHTS = [256, 128, 64, 32, 16, 8, 4, 2]
DNI_LETTERS = np.frombuffer(b"TRWAGMYFPDXBNJZSQVHLCKE", np.uint8)
LETTER_X = 33  # the value of the letter that stands for 0
ODD_DIGITS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
ODD_LETTERS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
DAY, MONTH = r"(0[1-9]|[12]\d|3[01])", r"(0[1-9]|1[0-2])"


def german_tax_id(signs: Bytes) -> Bools:
    """Of the first ten digits just one occurs twice or three times; the last one by ISO 7064, MOD 11, 10."""
    values = digits(signs)
    product = np.full(len(values), 10)
    for column in values[:, :10].T:
        total = (column + product) % 10
        product = np.where(total == 0, 10, total) * 2 % 11
    counts = np.stack([(values[:, :10] == digit).sum(axis=1) for digit in range(10)])
    one_repeats = ((counts > 1).sum(axis=0) == 1) & (counts.max(axis=0) <= 3)
    return np.asarray(one_repeats & ((11 - product) % 10 == values[:, 10]))


def german_pension_number(signs: Bytes) -> Bools:
    """The letter as its place in the alphabet, weighted digits of products added up."""
    values = digits(signs)
    letter = values[:, 8] - 9
    plain = np.column_stack([values[:, :8], letter // 10, letter % 10, values[:, 9:11]])
    products = plain * np.array(PENSION_WEIGHTS)
    return np.asarray((products // 10 + products % 10).sum(axis=1) % 10 == values[:, 11])


def french_nir(words: pa.Array) -> Bools:
    """97 without the rest of the first 13 digits is the key; Corsica's letters stand for digits."""
    plain = pc.replace_substring_regex(pc.ascii_upper(words.cast(pa.string())), r"[ .-]", "")
    for corsican, number in (("2A", "19"), ("2B", "18")):
        plain = pc.replace_substring_regex(plain, f"^(.{{5}}){corsican}", f"\\1{number}")
    return checked(_nir)(plain)


def _nir(signs: Bytes) -> Bools:
    values = digits(signs)
    return np.asarray(97 - remainder_97(values[:, :13]) == _number(values[:, 13:]))


def italian_fiscal_code(signs: Bytes) -> Bools:
    """Values of signs at odd and even places added up: the rest of 26 is the last letter."""
    values = digits(signs)
    odd = np.array(ODD_DIGITS + ODD_LETTERS)[values]
    even = np.where(values >= 10, values - 10, values)
    total = odd[:, 0:15:2].sum(axis=1) + even[:, 1:15:2].sum(axis=1)
    return np.asarray(total % 26 == values[:, 15] - 10)


def spanish_identity(signs: Bytes) -> Bools:
    """The rest of the number divided by 23 chooses the letter; X, Y and Z in front are 0, 1 and 2."""
    values = digits(signs)
    first = np.where(values[:, :1] >= 10, values[:, :1] - LETTER_X, values[:, :1])
    number = _number(np.hstack([first, values[:, 1:8]]))
    return np.asarray(DNI_LETTERS[number % 23] == signs[:, 8])


def greek_tax_number(signs: Bytes) -> Bools:
    """Powers of two as weights: the rest of 11, and of 10, is the last digit."""
    values = digits(signs)
    return np.asarray(weighted(values, AFM_WEIGHTS) % 11 % 10 == values[:, 8])


def swiss_insurance_number(signs: Bytes) -> Bools:
    """The check digit of an EAN."""
    values = digits(signs)
    return np.asarray(-weighted(values, AHV_WEIGHTS) % 10 == values[:, 12])


def _number(values: Ints) -> Ints:
    return weighted(values, [10**place for place in range(values.shape[1] - 1, -1, -1)])


NATIONAL = (
    Detector(
        "German tax number", by_shape(r"^[1-9]\d ?\d{3} ?\d{3} ?\d{3}$", checked(german_tax_id)), 0.02, 3
    ),
    Detector(
        "German pension number",
        by_shape(rf"^\d{{2}} ?{DAY}{MONTH}\d{{2}} ?[A-Za-z] ?\d{{3}}$", checked(german_pension_number)),
        0.1,
        3,
    ),
    Detector(
        "French social security number",
        by_shape(r"^[12] ?\d{2} ?(0[1-9]|[1-9]\d) ?(\d{2}|2[ABab]) ?\d{3} ?\d{3} ?\d{2}$", french_nir),
        1 / 97,
        3,
    ),
    Detector(
        "Italian fiscal code",
        by_shape(r"(?i)^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$", checked(italian_fiscal_code)),
        1e-3,
    ),
    Detector(
        "Spanish identity number",
        by_shape(r"(?i)^(\d{8}|[XYZ]-?\d{7})-?[A-Z]$", checked(spanish_identity)),
        0.05,
        3,
    ),
    Detector("Greek insurance number", by_shape(rf"^{DAY}{MONTH}\d{{7}}$", checked(luhn)), 0.1, 3),
    Detector("Greek tax number", by_shape(r"^\d{9}$", checked(greek_tax_number)), 0.19, 3),
    Detector(
        "Swiss insurance number",
        by_shape(r"^756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}$", checked(swiss_insurance_number)),
        0.1,
        3,
    ),
    Detector(
        "US social security number",
        by_shape(r"^(00[1-9]|0[1-9]\d|[1-578]\d{2}|6[0-57-9]\d|66[0-57-9])-\d{2}-\d{4}$"),
        fewest=3,
    ),
    Detector(
        "UK insurance number",
        by_shape(r"^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]$"),
        fewest=3,
    ),
)
