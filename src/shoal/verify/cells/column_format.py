"""How a column is read, which takes a look at all of its cells: one word among them, and none is a number.

Where a table comes in batches, every batch says what it holds; what they say together decides the way in
which every cell is read, wherever it stands.
"""

from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import ShoalError
from shoal.table.columns.numbers import LARGEST_FLOAT_UNITS, LARGEST_SCALE, scale_of_floats

WORD = 2**63
SURE_DIGITS = 18  # of numbers that fit 64 bits wherever their point is


@dataclass(frozen=True)
class ColumnFormat:
    """Numbers on one scale (floats where they are ``laid`` on it by rounding), or cells as they are written.
    ``has_values`` says that some cell is neither suppressed nor missing."""

    numbers: bool
    scale: int = 0
    floats: bool = False
    laid: bool = False
    has_values: bool = True
    marked: bool = False
    dates: bool = False


@dataclass(frozen=True)
class ColumnTraits:
    """What some of the cells of a column hold.

    ``marked``: ranges or stars; ``digits``: the most behind a point as written; ``scale``: as many as needed,
    of floats if there are such (None if none is enough); ``long``: more digits than a float has;
    ``float_texts``, ``exact_texts``: more digits than floats agree in, of floats or of other numbers.
    """

    numbers: bool
    has_values: bool
    text: bool = False
    floating: bool = False
    marked: bool = False
    dates: bool = False
    beyond: bool = False
    plain: bool = True
    long: bool = False
    float_texts: bool = False
    exact_texts: bool = False
    digits: int = 0
    scale: int = 0
    float_scale: int | None = 0
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)

    def joined(self, other: "ColumnTraits") -> "ColumnTraits":
        floats = [self.float_scale, other.float_scale]
        return ColumnTraits(
            numbers=self.numbers and other.numbers,
            has_values=self.has_values or other.has_values,
            text=self.text or other.text,
            floating=self.floating or other.floating,
            marked=self.marked or other.marked,
            dates=self.dates and other.dates,
            beyond=self.beyond or other.beyond,
            plain=self.plain and other.plain,
            long=self.long or other.long,
            float_texts=self.float_texts or other.float_texts,
            exact_texts=self.exact_texts or other.exact_texts,
            digits=max(self.digits, other.digits),
            scale=max(self.scale, other.scale),
            float_scale=None if None in floats else max(one for one in floats if one is not None),
            low=min(self.low, other.low),
            high=max(self.high, other.high),
        )

    def way(self, name: str) -> ColumnFormat:
        if not self.numbers:
            if self.beyond and not self.plain:
                raise _in_memory_only(name)
            return self._as_written()
        if self.float_texts and self.exact_texts:  # batches with floats alone have read them as such
            raise _in_memory_only(name)
        if self.marked:
            return self._of_ranges(name)
        if self.floating or (self.text and not (self.plain and self.digits <= LARGEST_SCALE)):
            return self._of_floats()
        if self._fits(self.scale):
            return self._numbers(self.scale)
        floats = self.text and self.digits > 0 and not self.long
        return self._of_floats() if floats else self._as_written()

    def _as_written(self) -> ColumnFormat:
        return ColumnFormat(numbers=False, has_values=self.has_values, dates=self.dates and self.has_values)

    def _numbers(self, scale: int, floats: bool = False, laid: bool = False) -> ColumnFormat:
        return ColumnFormat(True, scale, floats, laid, self.has_values, self.marked)

    def _fits(self, scale: int) -> bool:
        unit = Fraction(1, 10**scale)
        return -WORD * unit <= self.low and self.high < WORD * unit

    @property
    def _largest(self) -> Fraction:
        return max(-self.low, self.high)

    def _of_floats(self) -> ColumnFormat:
        if self._largest > LARGEST_FLOAT_UNITS:
            return self._as_written()
        scale, laid = scale_of_floats(float(self._largest), self.float_scale)
        return self._numbers(scale, floats=True, laid=laid)

    def _of_ranges(self, name: str) -> ColumnFormat:
        """Both ends of a range are read on their own, so they have to fit wherever their point is."""
        if self.floating:
            sure = self.float_scale is not None and self._largest * 10**self.scale <= LARGEST_FLOAT_UNITS
        elif self.text:
            sure = self.plain and self.digits + len(str(int(self._largest))) <= SURE_DIGITS
        else:
            sure = True
        if not sure:
            raise _in_memory_only(name)
        return self._numbers(self.scale) if self._fits(self.scale) else self._as_written()


def _in_memory_only(name: str) -> ShoalError:
    return ShoalError(
        f"the numbers of column {name!r} have too many digits to be read part by part",
        "this table can be verified in memory only; or publish the column with fewer digits.",
    )
