"""Text cells that a spreadsheet would run as a formula get an apostrophe in front.

A spreadsheet runs what begins with a sign, also in full width, and looks for it behind blanks, line ends and
characters that nobody sees. Numbers and ranges are never touched. A text that already looks escaped gets one
more apostrophe, so that taking one away again always gives the text back.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.text_bytes import MOST_ASCII, text_bytes_by_chunk

BLANK = r"[\p{Z}\p{Cc}\p{Cf}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{2800}\x{3164}\x{ffa0}\x{fe00}-\x{fe0f}]"
SIGN = "[-=+@−＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋﬩]"
RUN = rf"({BLANK}*{SIGN}|[\t\r\n])"
RISKY = f"^'*{RUN}"
ESCAPED = f"^'+{RUN}"
NOT_PLAIN = np.ones(256, bool)  # by the first byte of a text
NOT_PLAIN[[byte for byte in range(33, MOST_ASCII) if chr(byte) not in "'-=+@"]] = False
NUMBER = r"^ *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? *$"


def escape(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """
    >>> escape(pa.chunked_array([["=1+1", "-5", "plain", " ＝1"]])).to_pylist()
    ["'=1+1", '-5', 'plain', "' ＝1"]
    """
    # what begins with a letter, a digit or a bracket begins with no sign, blank or apostrophe
    if not any(NOT_PLAIN[found.first].any() for found in text_bytes_by_chunk(texts)):
        return texts
    risky = pc.match_substring_regex(texts, RISKY)
    if not pc.any(risky).as_py():
        return texts
    risky = pc.and_(risky, pc.invert(pc.match_substring_regex(texts, NUMBER)))
    return pc.if_else(risky, pc.binary_join_element_wise("'", texts, ""), texts)


def unescape(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """
    >>> unescape(pa.chunked_array([["'=1+1", "'tis", "''-5"]])).to_pylist()
    ['=1+1', "'tis", "'-5"]
    """
    if not pc.any(pc.starts_with(texts, "'")).as_py():
        return texts
    escaped = pc.match_substring_regex(texts, ESCAPED)
    return pc.if_else(escaped, pc.replace_substring_regex(texts, "^'", ""), texts)


def escape_name(name: str) -> str:
    """The same for one text, such as the name of a column."""
    return str(escape(pa.chunked_array([[name]]))[0])


def unescape_name(name: str) -> str:
    """A column's name without the apostrophe that protects it from spreadsheets."""
    return str(unescape(pa.chunked_array([[name]]))[0]) if name.startswith("'") else name
