"""How many different values of a quasi column may meet in one place: who holds them has no table's memory."""

from collections.abc import Mapping, Sized

from shoal.engines.rows import Rows
from shoal.errors import Fault, ShoalError

MOST_VALUES = 1_000_000  # fit anywhere


def most_values(rows: Rows) -> int:
    return max(MOST_VALUES, rows.most_gathered)


def refuse_many(values: Mapping[str, Sized], most: int) -> None:
    """All columns with more than so many; one more was gathered than may be, so that it shows."""
    faults = [
        Fault(
            f"column {name!r} has more than {most:,} different values, which works in memory only",
            "group or round its values first, leave the column out, or choose a machine with more memory.",
        )
        for name, found in values.items()
        if len(found) > most
    ]
    if faults:
        raise ShoalError(faults)
