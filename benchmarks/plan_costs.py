"""Bytes that a row costs on the engines beyond memory, counted in the plans: read, shuffled, written.

Read are input, staged rows and published files, each time that a plan or the verifier goes through them.
Shuffled is what goes to parts: written once to temporary files, and read from there. Written is the release,
and the link of its rows to those of the input.
"""

from dataclasses import dataclass
from math import ceil, log2

ROW = PART = INPUT = CLASS = POINT = SHARE = FIRST = 8
GROUP = TOLD = 4
LINK = ROW + INPUT + CLASS
RESIDUAL_AT_ONCE = 1_000_000
LOOKS_PER_CUT = 3.5  # passes over staged rows until parts are half as large: counted in runs of 2 to 32 parts
OF_PEOPLE = ("min-sum", "optimal")
WORDS = 58  # bytes of a row of the table `people` in memory
DISTINCT = 0.5  # the share of rows of `people` that are different in a batch; it falls with its size


@dataclass(frozen=True)
class Moved:
    """Bytes a row."""

    read: float = 0.0
    shuffled: float = 0.0
    written: float = 0.0

    def bytes_of(self, kind: str) -> float:
        """``read``, ``shuffled`` or ``written``."""
        return float(getattr(self, kind))

    def __add__(self, other: "Moved") -> "Moved":
        return Moved(self.read + other.read, self.shuffled + other.shuffled, self.written + other.written)


@dataclass(frozen=True)
class Table:
    """``given`` and ``released`` are bytes of files a row; ``part_rows`` is how many rows a part has."""

    rows: int
    columns: int
    given: float
    released: float
    part_rows: int

    @property
    def parts(self) -> int:
        return ceil(self.rows / self.part_rows)


def making(method: str, table: Table) -> Moved:
    """From the input to the written release."""
    return PLANS[method](table, 8 * table.columns + ROW) + _published(table, shown_bytes(method, table))


def verifying(method: str, table: Table) -> Moved:
    """Every promise, from the files alone, and then the truth beside the input."""
    shown, original = shown_bytes(method, table), given_bytes(method, table)
    promises = Moved(3 * table.released, shown + ROW + PART)
    beside = Moved(2 * (table.released + LINK) + 2 * table.given, shown + original + 2 * (ROW + PART) + INPUT)
    whole_groups = Moved(0, shown + original + PART) if method == "min-sum" else Moved()
    return promises + beside + whole_groups


def given_bytes(method: str, table: Table) -> float:
    """Of a row in memory."""
    return WORDS if method in OF_PEOPLE else 8 * table.columns


def shown_bytes(method: str, table: Table) -> float:
    """Of a published row in memory: ranges have two ends."""
    if method not in OF_PEOPLE:
        return 2 * given_bytes(method, table)
    return WORDS + (GROUP if method == "min-sum" else 0)


def _published(table: Table, shown: float) -> Moved:
    """Into the order that is drawn, written, and the fingerprint of the file."""
    return Moved(table.released, shown + ROW + CLASS + TOLD + PART, table.released + LINK)


def _staged(table: Table, staged: float) -> Moved:
    return Moved(2 * table.given, staged)


def _aggranon(table: Table, staged: float) -> Moved:
    sample = staged if table.parts > 1 else 0
    return _staged(table, staged) + Moved(sample + staged + staged + PART, staged + PART)


def _residual(table: Table, staged: float) -> Moved:
    served = Moved(0, staged + SHARE + FIRST)
    if table.rows <= RESIDUAL_AT_ONCE:
        return _staged(table, staged) + Moved(staged) + served
    in_order = Moved(2 * staged + 4 * (staged + PART), staged + PART)
    return _staged(table, staged) + in_order + served


def _mondrian(table: Table, staged: float) -> Moved:
    looks = LOOKS_PER_CUT * ceil(log2(table.parts)) if table.parts > 1 else 0
    return _staged(table, staged) + Moved((looks + 1) * staged, staged + PART)


def _permuted(table: Table, _staged_bytes: float) -> Moved:
    staged = WORDS + ROW + POINT
    database = Moved(table.released)
    return Moved(3 * table.given + 2 * staged, staged + staged - POINT + GROUP + PART) + database


def _recoded(table: Table, _staged_bytes: float) -> Moved:
    """Different rows are brought together as they are and as leaves, and once more for every level that the
    search begins above."""
    different = DISTINCT * (WORDS + 2 * 8)
    return Moved(2 * table.given + 6 * different, 6 * different)


PLANS = {
    "aggranon": _aggranon,
    "residual": _residual,
    "mondrian": _mondrian,
    "min-sum": _permuted,
    "optimal": _recoded,
}
