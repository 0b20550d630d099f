"""How far a long piece of work is: what is under way, how many rows of how many, and the time left."""

from collections.abc import Callable, Iterator
from time import monotonic

import pyarrow as pa

from shoal.progress import unwatched

ProgressCallback = Callable[[str, float | None], None]  # what is under way, and the share of it that is done
SELDOM = 0.2  # seconds


class RowProgress:
    """Counts the rows of every pass; ``rows`` is how many a pass has, as soon as somebody knows."""

    def __init__(self, tell: ProgressCallback = unwatched, rows: int | None = None) -> None:
        self.rows = rows
        self.bytes_spilled = 0
        self._tell, self._what, self._told = tell, "", 0.0

    def begin(self, what: str) -> None:
        """A new step, for example ``sorting``."""
        self._what = what
        self._tell(what, None)

    def spilled(self, count: int) -> None:
        self.bytes_spilled += count

    def counted(self, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """The same tables, while whoever watches is told how far they are."""
        started, done = monotonic(), 0
        for table in tables:
            yield table
            done += len(table)
            if (now := monotonic()) - self._told > SELDOM:
                self._told = now
                self._tell(f"{self._what}: {_standing(done, self.rows, now - started)}", self._share(done))

    def _share(self, done: int) -> float | None:
        return min(done / self.rows, 1.0) if self.rows else None


def _standing(done: int, rows: int | None, seconds: float) -> str:
    """
    >>> _standing(1_000_000, 4_000_000, 20.0)
    '1,000,000 of 4,000,000 rows, 60 s left'
    """
    if not rows or done >= rows:
        return f"{done:,} rows"
    return f"{done:,} of {rows:,} rows, {seconds * (rows - done) / done:.0f} s left"
