"""Formats of dates in the words of ``strftime``: which of them say a whole date."""

import re

DAY = frozenset("dmYybBj")
TIME = frozenset("HIMSfpz")
ZONE = "z"
TWICE = ("yY", "jd", "jm", "jb", "jB", "mb", "mB", "bB", "HI")
UNMARKED = re.compile(r"%[dmYyjHIMSf]%[dmYyjHIMSf]")  # nothing says where one number ends


def words_of_format(format: str) -> frozenset[str]:
    """
    >>> sorted(words_of_format("%d.%m.%Y 100%%"))
    ['Y', 'd', 'm']
    """
    return frozenset(re.findall(r"%(.?)", format.replace("%%", "")))


def format_fault(format: str, years_from: int | None) -> str | None:
    """What is wrong with a format, if anything."""
    words = words_of_format(format)
    if odd := sorted(words - DAY - TIME):
        shown = ", ".join("%" + word for word in odd)
        return f"the format has {shown}; it may have %d %m %Y %y %b %B %j %H %I %M %S %f %p %z"
    if not (words & {"Y", "y"} and ("j" in words or ("d" in words and words & {"m", "b", "B"}))):
        return 'the format has no whole date, and none is made up: %Y with %m and %d, or kind = "category"'
    if len(words) < len(re.findall(r"%(.)", format.replace("%%", ""))) or any(map(words.issuperset, TWICE)):
        return "the format says a part of the date twice"
    if "y" in words and years_from is None:
        return "%y has no century: years_from = 1930 would say that years lie from 1930 to 2029"
    return None
