"""Quotes that take other people's rows into a cell.

A quote that is never closed makes one cell of the rest of a file; one that a stray quote further down closes
makes one cell of the rows between, and all rows still have as many cells as the header. Such a cell always
holds line ends, and for each of them as many delimiters as a row has. So a cell with line ends and that many
delimiters is refused unless its owner says that its column holds such text, and so is an end of the file
inside of quotes.
"""

from codecs import BOM_UTF8
from collections.abc import Sequence

import numpy as np

from shoal.arrays import Bytes, Ints
from shoal.errors import ShoalError
from shoal.kernels.compiled import compiled

ROW_START, CELL_START, PLAIN, QUOTED, QUOTE_SEEN = range(5)
LINE_FEED, RETURN = 10, 13
STATE, LAST, COLUMN, LINE, OPENED, DELIMITERS, ENDS, KEPT = range(8)  # places in what is kept
ALL_COLUMNS = 1 << 40  # delimiters that no cell has


class QuotedCells:
    """Looks at a text piece by piece; ``look`` and ``end`` raise what is wrong with its quotes.

    >>> cells = QuotedCells("pay.csv", ["name", "pay"], '"', ",")
    >>> cells.look(b'name,pay\\nAnn,"1\\nBob,2\\n')
    >>> cells.end()
    Traceback (most recent call last):
    shoal.errors.ShoalError: the quote that opens in line 2 of pay.csv is never closed
    Hint: close it, or take it away: everything after it would be one cell.
    """

    def __init__(
        self,
        file: str,
        names: Sequence[str],
        quote: str,
        delimiter: str,
        multiline: Sequence[str] = (),
    ) -> None:
        self._file, self._names = file, names
        self._marks = np.array([ord(quote), ord(delimiter)], np.uint8)
        least = [ALL_COLUMNS if name in multiline else len(names) - 1 for name in names]
        self._least = np.array(least, np.int64)
        self._kept = np.zeros(KEPT, np.int64)
        self._kept[LINE] = 1
        self._begun = False

    def look(self, text: bytes) -> None:
        if not self._begun:
            text, self._begun = text.removeprefix(BOM_UTF8), True
        if _scan(np.frombuffer(text, np.uint8), self._marks, self._least, self._kept):
            raise self._too_many()

    def end(self) -> None:
        if self._kept[STATE] == QUOTED:
            raise self._unclosed()
        self.look(b"\n")

    def _unclosed(self) -> ShoalError:
        return ShoalError(
            f"the quote that opens in line {self._kept[OPENED]:,} of {self._file} is never closed",
            "close it, or take it away: everything after it would be one cell.",
        )

    def _too_many(self) -> ShoalError:
        opened, lines, at = (int(self._kept[place]) for place in (OPENED, ENDS, COLUMN))
        name = repr(self._names[at]) if at < len(self._names) and opened > 1 else str(at + 1)
        return ShoalError(
            f"the quote that opens in line {opened:,} of {self._file} makes one cell of {lines + 1:,} lines, "
            f"with as many delimiters as a row has (column {name})",
            "mend the quote; if such text is meant, allow it by the column's name: --multiline NAME, or "
            "multiline = [NAME] in the policy's [reading].",
        )


@compiled
def _scan(text: Bytes, marks: Bytes, least: Ints, kept: Ints) -> bool:
    """True where a cell ends that holds too much; its place is in what is kept."""
    quote, delimiter = marks
    state, last, column, line = kept[STATE], kept[LAST], kept[COLUMN], kept[LINE]
    opened, delimiters, ends = kept[OPENED], kept[DELIMITERS], kept[ENDS]
    found = False
    for byte in text:
        new_line = byte == RETURN or (byte == LINE_FEED and last != RETURN)
        last = byte
        line += new_line
        if state == QUOTED:
            if byte == quote:
                state = QUOTE_SEEN
            else:
                ends += new_line
                delimiters += byte == delimiter
            continue
        if state == QUOTE_SEEN:
            if byte == quote:
                state = QUOTED
                continue
            if ends and delimiters >= least[min(column, least.size - 1)]:
                found = True
                break
        if byte == delimiter:
            state = CELL_START
            column += 1
        elif new_line or byte == LINE_FEED:
            state = ROW_START
            column = 0
        elif byte == quote and state <= CELL_START:
            state, opened, ends, delimiters = QUOTED, line, 0, 0
        else:
            state = PLAIN
    kept[STATE], kept[LAST], kept[COLUMN], kept[LINE] = state, last, column, line
    kept[OPENED], kept[DELIMITERS], kept[ENDS] = opened, delimiters, ends
    return found
