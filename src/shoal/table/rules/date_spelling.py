"""Dates and times as people spell them, in the words of ``strftime``; they become ISO dates.

Nothing is guessed: ``03.04.2011`` is read by the format that is stated, and a year of two digits only where
it is said in which hundred years it lies. A time with a zone stays what the clock there shows.
"""

from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.same_value import is_moment, value_of
from shoal.table.rules.column_readers import ReadCells
from shoal.table.rules.date_format import TIME, UNMARKED, words_of_format
from shoal.table.rules.wall_clock import wall_clock

ISO = "ISO (2011-04-03)"
USUAL_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y%m%d",
              "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y")  # fmt: skip
USUAL = tuple(day + time for day in USUAL_DAYS for time in ("", " %H:%M", " %H:%M:%S"))


@dataclass(frozen=True)
class DateSpelling:
    """A format, and the first year that two digits may mean; without a format dates are ISO already.

    >>> DateSpelling("%d.%m.%Y").read(pa.array(["31.12.1999", "12/31/1999"])).cells.to_pylist()
    ['1999-12-31', None]
    """

    format: str | None = None
    years_from: int | None = None

    @property
    def reason(self) -> str:
        return f"not dates as declared ({self.format or ISO})"

    def read(self, cells: pa.Array) -> ReadCells:
        if pa.types.is_date(cells.type) or pa.types.is_timestamp(cells.type) or pa.types.is_null(cells.type):
            return ReadCells.all_of(wall_clock(cells))
        words = wall_clock(cells.cast(pa.string())) if self.format is None else cells.cast(pa.string())
        read = [None if word is None else self._date(word) for word in words.to_pylist()]
        dates = pa.array(read, pa.string())
        return ReadCells(dates, numpy_from_arrow(pc.and_(words.is_valid(), dates.is_null())))

    def _date(self, word: str) -> str | None:
        if self.format is None:
            found = value_of(word)
            return found if found is not None and is_moment(found) else None
        word = " ".join(word.split())
        try:
            moment = self._in_century(datetime.strptime(word, self.format))
            if UNMARKED.search(self.format) and len(word) != len(moment.strftime(self.format)):
                return None  # a zero is gone, and nobody knows where
        except ValueError:  # also the 29th of February of a year that has none
            return None
        moment = moment.replace(tzinfo=None)
        return moment.isoformat(" ") if words_of_format(self.format) & TIME else moment.date().isoformat()

    def _in_century(self, moment: datetime) -> datetime:
        if self.years_from is None or "y" not in words_of_format(self.format or ""):
            return moment
        return moment.replace(year=self.years_from + (moment.year - self.years_from) % 100)

    def hint(self, cells: pa.Array, /) -> str:
        known = cells.drop_null().cast(pa.string())
        ways = [way for way in USUAL if not DateSpelling(way, 1900).read(known).unread.any()]
        if not ways:
            return OTHERS
        shown = " or ".join(f'format = "{way}"' for way in ways)
        which = " (only you know which)" if len(ways) > 1 else ""
        century = ", with years_from" if any("%y" in way for way in ways) else ""
        return f"all of them can be read with {shown}{century}{which}: say so in [types]."


OTHERS = (
    "list codes that stand for missing cells in [missing]; correct the others, or state a format in [types], "
    'for example { kind = "date", format = "%d.%m.%Y" }.'
)
