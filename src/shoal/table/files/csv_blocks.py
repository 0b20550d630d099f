"""Where rows begin in a block of a CSV file, before anything is known of what comes before the block.

A block can begin inside a row, inside a cell, even between two quotes. It is looked at for every state in
which it may begin; when it is known how the blocks before it end, one of the findings is the right one. The
states are those of Arrow's reader: a quote counts at the start of a cell only, elsewhere it is a letter.
"""

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Bytes
from shoal.kernels.compiled import compiled, inlined

ROW_START, CELL_START, PLAIN, QUOTED, QUOTE_SEEN, AFTER_RETURN = STATES = range(6)
LINE_FEED, RETURN = 10, 13


@dataclass(frozen=True)
class BlockRows:
    """For every state in which a block may begin: that in which it ends, how many rows begin in it, and the
    place of the first of them, or -1."""

    ends: tuple[int, ...]
    rows: tuple[int, ...]
    firsts: tuple[int, ...]


def rows_of_block(block: bytes, quote: str, delimiter: str, blank_rows: bool) -> BlockRows:
    """``blank_rows``: an empty line is a row, as it is in a table of one column.

    >>> found = rows_of_block(b'b,"1\\n2"\\nc,3\\n', '"', ",", False)
    >>> found.rows[ROW_START], found.firsts[PLAIN]
    (2, 8)
    """
    found = _scan(np.frombuffer(block, np.uint8), ord(quote), ord(delimiter), blank_rows)
    ends, rows, firsts = (tuple(row) for row in found.tolist())
    return BlockRows(ends, rows, firsts)


def end_of_first_row(text: bytes, quote: str, delimiter: str) -> int:
    """The place where the second row begins.

    >>> end_of_first_row(b'age,"pay\\r\\na year"\\r\\n30,1', '"', ",")
    19
    """
    return int(_second_row(np.frombuffer(text, np.uint8), ord(quote), ord(delimiter)))


@inlined
def _step(state: int, byte: int, quote: int, delimiter: int) -> int:
    if state == QUOTED:
        return QUOTE_SEEN if byte == quote else QUOTED
    if state == QUOTE_SEEN and byte == quote:
        return QUOTED
    if byte == LINE_FEED:
        return ROW_START
    if byte == RETURN:
        return AFTER_RETURN
    if byte == delimiter:
        return CELL_START
    if byte == quote and state != PLAIN and state != QUOTE_SEEN:
        return QUOTED
    return PLAIN


@inlined
def _begins(state: int, byte: int) -> bool:
    return state == ROW_START or (state == AFTER_RETURN and byte != LINE_FEED)


@compiled
def _scan(block: Bytes, quote: int, delimiter: int, blank_rows: bool) -> AnyArray:
    found = np.full((3, 6), -1, np.int64)
    state, total = ROW_START, 0
    for place in range(block.size):
        byte = block[place]
        if _begins(state, byte):
            total += blank_rows or (byte != LINE_FEED and byte != RETURN)
        state = _step(state, byte, quote, delimiter)
    for start in range(6):
        other, beside, rows, rows_beside, place = start, ROW_START, 0, 0, 0
        # From where both are in the same state on, both go the same way.
        while place < block.size and (other != beside or found[2, start] < 0):
            byte = block[place]
            counts = blank_rows or (byte != LINE_FEED and byte != RETURN)
            if _begins(other, byte):
                rows += counts
                if found[2, start] < 0:
                    found[2, start] = place
            if _begins(beside, byte):
                rows_beside += counts
            other = _step(other, byte, quote, delimiter)
            beside = _step(beside, byte, quote, delimiter)
            place += 1
        met = other == beside
        found[0, start] = state if met else other
        found[1, start] = rows + total - rows_beside if met else rows
    return found


@compiled
def _second_row(text: Bytes, quote: int, delimiter: int) -> int:
    state = ROW_START
    for place in range(text.size):
        if place and _begins(state, text[place]):
            return place
        state = _step(state, text[place], quote, delimiter)
    return text.size
