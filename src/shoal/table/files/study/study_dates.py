"""Dates and times in files of SPSS, Stata and SAS: numbers since a day of the program's own, which the
display format of a column tells from other numbers. They are read as ISO text, as a CSV file would hold them.

Weeks, months and quarters (``%tm``, ``MOYR8``) have no such text, and stay the numbers that are stored.
"""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.files.study.study_kinds import SAS, SPSS, STATA

DAY = 86_400  # seconds
HOUR = 3_600
FURTHEST = 4e11  # seconds from any of these days, within the years that have four digits


@dataclass(frozen=True)
class DateFormat:
    """So many ``seconds`` each number counts, from the start of a day that lies ``since`` days before 1970.
    ``shows`` says what is meant of it: the day, the time, or both."""

    shows: str
    seconds: float
    since: int = 0


SPSS_DAY = 141_428  # the first of the Gregorian calendar
SAS_DAY = 3_653  # the first of 1960, also of Stata
SAS_DATES = r"(DATE|WEEKDAT[EX]|(YYMMDD|MMDDYY|DDMMYY)[BCDNPS]?|(E8601|B8601|IS8601)DA)"
SAS_MOMENTS = r"(DATETIME|DATEAMPM|MDYAMPM|(E8601|B8601|IS8601)DT|B8601DN)"
SAS_TIMES = r"(TIME|HHMM|TOD|TIMEAMPM|(E8601|B8601|IS8601)TM)"
WIDTH = r"\d*(\.\d*)?"
FORMATS: dict[str, dict[str, DateFormat]] = {
    SPSS: {
        rf"[AEJS]?DATE{WIDTH}": DateFormat("day", 1, SPSS_DAY),
        rf"(DATETIME|YMDHMS){WIDTH}": DateFormat("both", 1, SPSS_DAY),
        rf"TIME{WIDTH}": DateFormat("time", 1),
    },
    STATA: {
        r"%-?t?d.*": DateFormat("day", DAY, SAS_DAY),
        r"%-?tcHH:MM.*": DateFormat("time", 0.001),
        r"%-?t[cC].*": DateFormat("both", 0.001, SAS_DAY),
    },
    SAS: {
        SAS_DATES + WIDTH: DateFormat("day", DAY, SAS_DAY),
        SAS_MOMENTS + WIDTH: DateFormat("both", 1, SAS_DAY),
        SAS_TIMES + WIDTH: DateFormat("time", 1),
        rf"DTDATE{WIDTH}": DateFormat("day", 1, SAS_DAY),
    },
}


def date_format(program: str, shown: str | None) -> DateFormat | None:
    """How the numbers of a column are dates or times, by its display format; None if they are not.

    >>> date_format("SPSS", "EDATE10").shows, date_format("Stata", "%9.0g")
    ('day', None)
    """
    found = (form for pattern, form in FORMATS[program].items() if re.fullmatch(pattern, shown or ""))
    return next(found, None)


def iso_texts(numbers: pa.Array, form: DateFormat) -> pa.Array:
    """What the numbers of a column show; ones beyond the years of four digits become missing.

    >>> noon = DateFormat("both", 1, since=3653)
    >>> iso_texts(pa.array([0.0, 86400 * 366.5, None, 1e300]), noon).to_pylist()
    ['1960-01-01 00:00:00', '1961-01-01 12:00:00', None, None]
    """
    with np.errstate(over="ignore"):
        seconds = numpy_from_arrow(numbers.fill_null(np.inf)).astype(np.float64) * form.seconds
    there = np.abs(seconds) < FURTHEST
    seconds = np.where(there, seconds, 0.0)
    texts = _SHOWN[form.shows](seconds - form.since * DAY if form.since else seconds)
    return pc.if_else(arrow_from_numpy(there), texts, pa.scalar(None, pa.string()))


def _days(seconds: Floats) -> pa.Array:
    days = np.floor(seconds / DAY).astype(np.int32)
    return arrow_from_numpy(days).cast(pa.date32()).cast(pa.string())


def _moments(seconds: Floats) -> pa.Array:
    thousandths = np.rint(seconds * 1000).astype(np.int64)
    return _whole_seconds(arrow_from_numpy(thousandths).cast(pa.timestamp("ms")))


def _times(seconds: Floats) -> pa.Array:
    """Some programs keep durations of more than a day as times.

    >>> _times(np.array([3661.5, 90000.0, -60.0])).to_pylist()
    ['01:01:01.500', '25:00:00', '-00:01:00']
    """
    thousandths = np.rint(np.abs(seconds) * 1000).astype(np.int64)
    hours = pc.utf8_lpad(arrow_from_numpy(thousandths // (HOUR * 1000)).cast(pa.string()), 2, "0")
    below = arrow_from_numpy((thousandths % (HOUR * 1000)).astype(np.int32)).cast(pa.time32("ms"))
    sign = pc.if_else(arrow_from_numpy(seconds < 0), "-", "")
    rest = pc.utf8_slice_codeunits(_whole_seconds(below), 2)
    return pc.binary_join_element_wise(sign, hours, rest, "")


def _whole_seconds(moments: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(moments.cast(pa.string()), r"\.000$", "")


_SHOWN = {"day": _days, "both": _moments, "time": _times}
