"""Numeric columns as whole numbers, so that sums and comparisons are exact.

A value is ``units / 10**scale``. Integers and decimals are represented exactly. Real floats get
the smallest decimal scale that represents the whole column exactly; where none fits, they are laid
on the finest decimal grid of fifteen digits, and that grid is the tolerance that everyone shares. Text that
holds a float with all its digits (0.30000000000000004) is read like the floats themselves.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.arrays import Bools, Floats, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode_if_few
from shoal.table.columns.same_value import DIGITS, FEWEST_DECIMALS, is_float_text

LARGEST_FLOAT_UNITS = 10**15  # below 2**53, so that floats and units map one to one
LARGEST_SCALE = 18
FLOAT_DIGITS = 17  # that tell every float from its neighbours
LOOK = 100
BEYOND = "numbers beyond 64 bits"
CODES = "codes with leading zeros, not numbers"
PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)$"
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^(?i)(nan|[+-]?inf(inity)?)$"


class NotNumeric(Exception):
    """Some cells are not numbers; carries which, never what."""

    def __init__(self, rows: NDArray[np.intp], reason: str) -> None:
        self.rows = rows
        self.reason = reason
        super().__init__(f"{len(rows)} cells: {reason}")


@dataclass(frozen=True)
class Numbers:
    """A numeric column: ``units / 10**scale``, with missing cells marked (their units are 0).

    ``reals`` are the floats that had to be laid on a grid of ``10**-scale``, if they had; ``floats``:
    they were read as floats at all.
    """

    units: Ints
    scale: int
    missing: Bools
    reals: Floats | None = None
    floats: bool = False

    def __len__(self) -> int:
        return len(self.units)

    @property
    def exact(self) -> bool:
        return self.reals is None

    @property
    def any_missing(self) -> bool:
        return bool(self.missing.any())

    def to_arrow(self, units: Ints) -> pa.Array:
        """Other units on this column's scale as an Arrow array of integers or decimals.

        >>> Numbers(np.array([5]), 2, np.array([False])).to_arrow(np.array([1050]))[0].as_py()
        Decimal('10.50')
        """
        return units_to_arrow(units, self.scale)


def units_to_arrow(units: Ints, scale: int) -> pa.Array:
    """Whole units as an Arrow column: integers on scale 0, decimals otherwise."""
    if scale == 0:
        return arrow_from_numpy(units)
    wide = np.empty((len(units), 2), np.int64)
    wide[:, 0] = units
    wide[:, 1] = units >> 63
    short = units.min(initial=0) > -(10**18) and units.max(initial=0) < 10**18
    kind = pa.decimal128(18 if short else 19, scale)
    return pa.Array.from_buffers(kind, len(units), [None, pa.py_buffer(wide)])


def numbers_from_arrow(column: pa.ChunkedArray) -> Numbers:
    """An Arrow column of integers, decimals, floats or numeric text as fixed-point numbers.

    >>> numbers_from_arrow(pa.chunked_array([["0.1", "0.20", None]])).units.tolist()
    [1, 2, 0]
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = array.type
    if pa.types.is_dictionary(kind):
        return numbers_from_arrow(array.dictionary_decode())
    if pa.types.is_integer(kind):
        return _from_integers(array)
    if pa.types.is_decimal(kind):
        return _from_decimals(_narrowed(array))
    if pa.types.is_floating(kind):
        return _from_floats(array)
    if is_text(kind):
        return _from_text(array)
    if pa.types.is_null(kind):
        return Numbers(np.zeros(len(array), np.int64), 0, np.ones(len(array), bool))
    raise NotNumeric(np.arange(len(array)), f"cells of type {kind}, not numbers")


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of its kinds of strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _missing(array: pa.Array) -> Bools:
    if array.null_count == 0:
        return np.zeros(len(array), bool)
    return np.asarray(numpy_from_arrow(array.is_null()))


def _filled(array: pa.Array) -> Any:
    return numpy_from_arrow(array if array.null_count == 0 else array.fill_null(0))


def _from_integers(array: pa.Array) -> Numbers:
    try:
        units = array.cast(pa.int64())
    except pa.ArrowInvalid:
        wide = pc.greater(array, pa.scalar(2**63 - 1, pa.uint64()))
        raise NotNumeric(_rows(wide), BEYOND) from None
    missing = _missing(array)
    return Numbers(_filled(units), 0, missing)


def _narrowed(array: pa.Array) -> pa.Array:
    try:
        return array.cast(pa.decimal128(38, max(array.type.scale, 0)))
    except pa.ArrowInvalid:
        wide = [row for row, value in enumerate(array.to_pylist()) if value and abs(value) >= 2**63]
        raise NotNumeric(np.array(wide, np.intp), BEYOND) from None


def _from_decimals(array: pa.Array) -> Numbers:
    """Decimal128 cells hold their unscaled integer in two little-endian words."""
    words = np.frombuffer(array.buffers()[1], np.int64).reshape(-1, 2)
    words = words[array.offset : array.offset + len(array)]
    missing = _missing(array)
    units = np.where(missing, 0, words[:, 0])
    overflow = ~missing & (words[:, 1] != words[:, 0] >> 63)
    if overflow.any():
        shorter = _without_last_digit(array)
        if shorter is None:
            raise NotNumeric(np.flatnonzero(overflow), BEYOND)
        return _from_decimals(shorter)
    return _smallest_scale(units, array.type.scale, missing)


def _without_last_digit(array: pa.Array) -> pa.Array | None:
    """The same decimals one digit shorter, if that digit is a zero everywhere."""
    if array.type.scale == 0:
        return None
    try:
        return array.cast(pa.decimal128(38, array.type.scale - 1))
    except pa.ArrowInvalid:
        return None


def _smallest_scale(units: Ints, scale: int, missing: Bools) -> Numbers:
    while scale > 0 and not np.any(units % 10):
        units, scale = units // 10, scale - 1
    return Numbers(np.ascontiguousarray(units), scale, missing)


def scale_of_floats(largest: float, needed: int | None) -> tuple[int, bool]:
    """The scale of floats up to this size, and whether they are laid on it by rounding: the scale that holds
    all of them, or the finest grid of fifteen digits where none does or that is coarser.

    >>> scale_of_floats(12345.6, 1), scale_of_floats(12345.6, 11)
    ((1, False), (10, True))
    """
    finest = 0
    while finest < LARGEST_SCALE and largest * 10.0 ** (finest + 1) <= LARGEST_FLOAT_UNITS:
        finest += 1
    return (finest, True) if needed is None or needed > finest else (needed, False)


def reals_from_arrow(column: pa.ChunkedArray) -> tuple[Floats, Bools]:
    """Floats, or numbers in text read as floats, and which are missing (those are 0)."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return _reals(_trimmed(array).cast(pa.float64()) if is_text(array.type) else array)


def numbers_as_floats(column: pa.ChunkedArray) -> Numbers:
    """What text is as numbers in a column that has to be read as floats, even if not because of these cells.

    >>> numbers_as_floats(pa.chunked_array([["0.12345678901234567"]])).scale
    15
    """
    return _from_floats(_trimmed(column.combine_chunks()).cast(pa.float64()))


def has_float_notation(column: pa.ChunkedArray) -> bool:
    """Is there a number in the text with an exponent, with more decimals than there are scales, or with more
    digits than floats agree in?"""
    array = _trimmed(column.combine_chunks())
    plain = pc.all(pc.match_substring_regex(array, PLAIN)).as_py() is not False
    return not plain or _decimals(array) > LARGEST_SCALE or holds_floats(array)


def holds_floats(numbers: pa.Array) -> bool:
    """Are there plain numbers in text with more digits than floats agree in, and all of these floats with all
    their digits? One that is not says that the others are meant exactly, too.

    >>> holds_floats(pa.array(["0.30000000000000004", "0.3"]))
    True
    """
    many, exact = _long_numbers(numbers)
    return many > 0 and not exact


def holds_exact(numbers: pa.Array) -> bool:
    """Has a plain number in text more digits than floats agree in, and is no float?"""
    return _long_numbers(numbers)[1]


def _long_numbers(numbers: pa.Array) -> tuple[int, bool]:
    """How many numbers have more than fifteen digits, and whether one of them is no float."""
    long = numbers.filter(pc.greater(pc.binary_length(numbers), DIGITS).fill_null(False))
    if not len(long):
        return 0, False
    digits = pc.utf8_rtrim(pc.replace_substring_regex(long, r"^[+-]?0*\.?0*|\.", ""), "0")
    long = pc.replace_substring_regex(long.filter(pc.greater(pc.utf8_length(digits), DIGITS)), r"^\+", "")
    as_floats = pc.and_(
        pc.equal(long.cast(pa.float64()).cast(pa.string()), long),
        pc.match_substring_regex(long, rf"\.\d{{{FEWEST_DECIMALS}}}"),
    )
    others = long.filter(pc.invert(as_floats))
    return len(long), not all(is_float_text(text) for text in others.to_pylist())


def longer_than_floats(column: pa.ChunkedArray) -> bool:
    """Has a number in the text more digits than it takes to write a float?"""
    if (pc.max(pc.binary_length(column)).as_py() or 0) <= FLOAT_DIGITS:
        return False
    array = _trimmed(column.combine_chunks())
    return not _digits_of_floats(pc.replace_substring_regex(array, r"^\+", ""))


def _reals(array: pa.Array) -> tuple[Floats, Bools]:
    values = _filled(array.cast(pa.float64()))
    missing = _missing(array) | np.isnan(values)
    infinite = np.isinf(values)
    if infinite.any():
        raise NotNumeric(np.flatnonzero(infinite), "infinite numbers")
    values = np.where(missing, 0.0, values)
    largest = float(np.abs(values).max(initial=0.0))
    if largest > LARGEST_FLOAT_UNITS:
        raise NotNumeric(np.flatnonzero(np.abs(values) > LARGEST_FLOAT_UNITS), "floats beyond fifteen digits")
    return values, missing


def _from_floats(array: pa.Array) -> Numbers:
    """0.1 is 0.1 in 32 bits too: a column is compared in its own precision."""
    own = np.dtype(f"f{array.type.bit_width // 8}")
    values, missing = _reals(array)
    largest, scale = float(np.abs(values).max(initial=0.0)), 0
    while True:
        units = np.rint(values * 10.0**scale)
        if np.array_equal((units / 10.0**scale).astype(own), values):
            return Numbers(units.astype(np.int64), scale, missing, floats=True)
        if scale == LARGEST_SCALE or largest * 10.0 ** (scale + 1) > LARGEST_FLOAT_UNITS:
            return Numbers(units.astype(np.int64), scale, missing, values, floats=True)
        scale += 1


def _from_text(array: pa.Array) -> Numbers:
    if array.type != pa.string():
        array = array.cast(pa.string())
    try:
        array[:LOOK].cast(pa.int64())  # a cast of many cells fails slowly
        whole = array.cast(pa.int64())
    except pa.ArrowInvalid:
        pass  # decimals, or not numbers at all
    else:
        numbers = _from_integers(whole)
        if _written_plainly(array, whole, numbers.units):
            return numbers
    if (encoded := encode_if_few(array)) is not None:
        return numbers_from_encoded(encoded)
    array = _trimmed(array)
    plain = pc.all(pc.match_substring_regex(array, PLAIN)).as_py() is not False
    if not plain:
        _refuse(pc.invert(pc.match_substring_regex(array, NUMBER)), "text, not numbers")
    _refuse(pc.match_substring_regex(array, r"^[+-]?0\d"), CODES)
    scale = _decimals(array)
    if plain and scale <= LARGEST_SCALE and not holds_floats(array):
        _refuse(pc.match_substring_regex(array, r"^[+-]?\d{20}"), BEYOND)  # Arrow would wrap around
        array = pc.replace_substring_regex(array, r"^\+", "")
        try:
            return _from_decimals(array.cast(pa.decimal128(38, scale)))
        except NotNumeric:
            if scale == 0 or not _digits_of_floats(array):
                raise
    return _from_floats(array.cast(pa.float64()))


def _trimmed(array: pa.Array) -> pa.Array:
    """Cells without spaces around numbers; a blank cell is missing."""
    array = pc.utf8_trim_whitespace(array.cast(pa.string()))
    blank = pc.match_substring_regex(array, "^$")
    return pc.if_else(blank, pa.scalar(None, pa.string()), array) if pc.any(blank).as_py() else array


def numbers_from_encoded(encoded: EncodedColumn) -> Numbers:
    """The same of an encoded column: each different cell is read once."""
    try:
        words = numbers_from_arrow(encoded.cells)
    except NotNumeric as error:
        raise NotNumeric(encoded.rows_with(error.rows), error.reason) from None
    at = encoded.numbers
    reals = None if words.reals is None else words.reals[at]
    return Numbers(words.units[at], words.scale, words.missing[at], reals, words.floats)


def _refuse(mask: pa.Array, reason: str) -> None:
    if pc.any(mask).as_py():
        raise NotNumeric(_rows(mask), reason)


def _written_plainly(array: pa.Array, whole: pa.Array, units: Ints) -> bool:
    """Neither codes like 0815 nor 0x1F: nothing but a plain 0 begins with a zero."""
    if array.null_count == 0:
        zeros = units == 0
        begun = pc.starts_with(array, "0").true_count + pc.starts_with(array, "-0").true_count
        if begun == np.count_nonzero(zeros):
            return bool((numpy_from_arrow(pc.binary_length(array))[zeros] == 1).all())
    return bool(whole.cast(pa.string()).equals(array))


def _digits_of_floats(array: pa.Array) -> bool:
    """Has no cell more digits than it takes to write a float?"""
    digits = pc.replace_substring_regex(array, r"^-?0*\.?0*|\.", "")
    return int(pc.max(pc.utf8_length(digits)).as_py() or 0) <= FLOAT_DIGITS


def _decimals(array: pa.Array) -> int:
    """The most digits behind a decimal point in a text column."""
    point = _filled(pc.find_substring(array, "."))
    digits = _filled(pc.utf8_length(array)) - point - 1
    return int(digits[point >= 0].max(initial=0))


def _rows(mask: pa.Array) -> NDArray[np.intp]:
    return np.flatnonzero(numpy_from_arrow(mask.fill_null(False)))
