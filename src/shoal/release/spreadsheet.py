"""Text cells that a spreadsheet would run as a formula get an apostrophe in front.

Numbers and ranges are never touched. A text that already looks escaped gets one more apostrophe, so
that taking one away again always gives the text back.
"""

import re

import pyarrow as pa
import pyarrow.compute as pc

RISKY = r"^'*[=+\-@\t\r]"
ESCAPED = r"^'+[=+\-@\t\r]"
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def escape(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """
    >>> escape(pa.chunked_array([["=1+1", "-5", "plain"]])).to_pylist()
    ["'=1+1", '-5', 'plain']
    """
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
    return str(escape(pa.chunked_array([[name]]))[0]) if re.match(RISKY, name) else name


def unescape_name(name: str) -> str:
    return str(unescape(pa.chunked_array([[name]]))[0]) if name.startswith("'") else name
