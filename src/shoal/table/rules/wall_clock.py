"""Times with a zone as the clock there shows them: who is born half an hour into a year is born in that year.

Rules about days leave the zone out, and never move a time into another one.
"""

import re

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.numbers import is_text

ZONED = r"^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:Z|z|[+-]\d\d(?::?\d\d)?)$"


def wall_clock(cells: pa.Array) -> pa.Array:
    """Times of a column, or ISO times in words, without their zone; other cells stay.

    >>> wall_clock(pa.array(["2000-01-01T00:30+01:00", "2000-01-01", "flu"])).to_pylist()
    ['2000-01-01T00:30', '2000-01-01', 'flu']
    """
    if pa.types.is_timestamp(cells.type) and cells.type.tz is not None:
        return pc.local_timestamp(cells)
    return pc.replace_substring_regex(cells, ZONED, r"\1") if is_text(cells.type) else cells


def has_zone(word: str) -> bool:
    """Is this an ISO time with a zone?

    >>> has_zone("2000-01-01 00:30Z"), has_zone("2000-01-01")
    (True, False)
    """
    return re.match(ZONED, word, re.ASCII) is not None
