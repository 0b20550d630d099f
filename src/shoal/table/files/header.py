"""Is the first row of a file the names of its columns, or the first person?

A file without names would turn a person into column names, which every message, policy and release shows. So
a first row that looks like the rows below is refused, by positions only, until its owner says what it is.
"""

import re
from collections import Counter
from collections.abc import Sequence

from shoal.errors import Fault, ShoalError, refuse_faults
from shoal.table.files.reading import Reading

JUDGED_ROWS = 200
FEWEST_ALIKE = 3  # cells below that must look alike before a name that looks like them tells anything
SHOWN = 8
NUMBER = re.compile(r"[-+]?[\d.,' \u00a0]*\d[\d.,' \u00a0]*([eE][-+]?\d+)?%?")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d.*)?")
ASK = (
    "if it is names, say so: --header, or header = true in the policy's [reading]; if the file has no names, "
    'give them: --names age,pay or names = ["age", "pay"] there.'
)
OURS = "shoal:"  # how the columns begin that engines add to a table


def column_names(
    file: str, first: Sequence[str], below: Sequence[Sequence[str]], reading: Reading
) -> tuple[str, ...]:
    """The names of the columns of a file with this first row: that row, if it is no person; what its owner
    says; or numbers, where the owner says only that there are no names. They are as they stand there, for who
    looks for them again."""
    if reading.names and len(reading.names) != len(first):
        what = f"{len(reading.names)} names are given, but {file} has {len(first)} cells in its first line"
        raise ShoalError(what, "give a name for every column, in their order.")
    if reading.without_header:
        return reading.names or tuple(f"column_{place}" for place in range(1, len(first) + 1))
    names = [name.strip() for name in first]
    refuse_header(file, with_row_name(names), below, reading)
    return tuple(first)


def with_row_name(names: Sequence[str]) -> tuple[str, ...]:
    """R and pandas write the names or numbers of rows into a first column without a name: it gets one.

    >>> with_row_name(["", "age", "pay"]), with_row_name(["", "row"])
    (('row', 'age', 'pay'), ('row_', 'row'))
    """
    if len(names) < 2 or names[0].strip() or not all(name.strip() for name in names[1:]):
        return tuple(names)
    name = "row"
    while name in names:
        name += "_"
    return (name, *names[1:])


def refuse_header(file: str, names: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading) -> None:
    """Refuse names that are missing, repeated or like a row; what they are is not told, for it may be a
    person."""
    faults = list[Fault]()
    if unnamed := [place for place, name in enumerate(names, 1) if not name]:
        what = f"the header of {file} has no name at position {_places(unnamed)}"
        faults.append(Fault(what, "name every column in the first line."))
    counts = Counter(names)
    if twice := [place for place, name in enumerate(names, 1) if name and counts[name] > 1]:
        what = f"the header of {file} has the same name more than once, at position {_places(twice)}"
        faults.append(Fault(what, f"give every column a name of its own; or, if the first line is no header: "
                                  f"{ASK}"))  # fmt: skip
    refuse_faults(faults)
    if reading.header or not reading.known.isdisjoint(names):
        return
    if places := like_a_row(names, rows):
        what = f"the first line of {file} looks like a row, not like names of columns (position "
        raise ShoalError(f"{what}{_places(places)})", ASK)


def refuse_column_names(names: Sequence[str], table: str) -> None:
    """Refuse a table without columns, with two of the same name, or with names that shoal works with."""
    if not names:
        raise ShoalError(f"{table} has no columns", "give a table with a header and rows.")
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise ShoalError(
            f"{table} has more than one column named {', '.join(map(repr, twice))}",
            "give every column a name of its own.",
        )
    if ours := [name for name in names if name.startswith(OURS)]:
        what = f"{table} has a column {', '.join(map(repr, ours))}, and shoal names its own like that"
        raise ShoalError(what, f"begin the name with something else than {OURS!r}.")


def no_rows(table: str) -> ShoalError:
    """The error for a table that has names of columns only."""
    return ShoalError(f"{table} has a header but no rows", "give a table with rows.")


def like_a_row(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The positions, from 1, at which the first row looks as if it were a row like those below; none if it
    looks like names.

    A number or a date is no name. Where all cells below have one form with digits in it, a cell of that form
    is no name either. A word that is also a cell below may be one; several of them are not.

    >>> like_a_row(["name", "age"], [["Ann", "30"], ["Bob", "41"]])
    []
    >>> like_a_row(["Eve", "52"], [["Ann", "30"], ["Bob", "41"]])
    [2]
    """
    below = [
        [row[at].strip() for row in rows[:JUDGED_ROWS] if len(row) == len(names) and row[at].strip()]
        for at in range(len(names))
    ]
    sure = [at for at, name in enumerate(names, 1) if _is_value(name) or _is_alike(name, below[at - 1])]
    words = [at for at, name in enumerate(names, 1) if name in below[at - 1]]
    return sorted({*sure, *words}) if sure or 3 * len(words) >= max(len(names), 2) else []


def _is_value(name: str) -> bool:
    return NUMBER.fullmatch(name) is not None or DATE.fullmatch(name) is not None


def _is_alike(name: str, cells: list[str]) -> bool:
    form = _form(name)
    return "9" in form and len(cells) >= FEWEST_ALIKE and all(_form(cell) == form for cell in cells)


def _form(cell: str) -> str:
    """
    >>> _form("D-89073"), _form("S06.1")
    ('a-99999', 'a99.9')
    """
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", cell))


def _places(places: list[int]) -> str:
    more = f" and {len(places) - SHOWN:,} more" if len(places) > SHOWN else ""
    return ", ".join(map(str, places[:SHOWN])) + more
