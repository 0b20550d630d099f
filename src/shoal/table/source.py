"""Where a table is: in a file, in a folder of files, in a database, or in a frame of Python.

A file or a database may hold several tables. Which of them is meant can be said with the place itself
(`ChosenTable`), and goes before what a policy says in its ``[reading]``.
"""

from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.table.databases.address import DatabaseAddress, located
from shoal.table.files.reading import AS_IT_LOOKS, Reading

Place = Path | DatabaseAddress
Source = Any  # a place, a table chosen there, or a pandas / Polars / Arrow frame, or a DuckDB relation


@dataclass(frozen=True)
class ChosenTable:
    """One of several tables in one place: a sheet of a workbook, a table of a database, or what a query of
    its owner selects there.

    >>> str(ChosenTable("staff.xlsx", sheet="2024"))
    'staff.xlsx'
    """

    place: str | PathLike[str] | DatabaseAddress
    sheet: str | None = None
    table: str | None = None
    query: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))  # which does not show a password
        self.choosing(Reading())

    def __str__(self) -> str:
        return str(place_of(self.place))

    def choosing(self, reading: Reading) -> Reading:
        """The same reading of this table."""
        if self.sheet is None and self.table is None and self.query is None:
            return reading
        return replace(reading, sheet=self.sheet, table=self.table, query=self.query)


def place_of(source: Source) -> Place | None:
    """The file, folder or database in which the table is; None for a frame.

    >>> place_of("pay.csv").name
    'pay.csv'
    """
    if isinstance(source, ChosenTable):
        return place_of(source.place)
    if isinstance(source, DatabaseAddress):
        return source
    return located(str(source)) if isinstance(source, str | PathLike) else None


def reading_of_source(source: Source, reading: Reading) -> Reading:
    """How to read the source: which table was chosen with it goes before what was said elsewhere."""
    return source.choosing(reading) if isinstance(source, ChosenTable) else reading


def chosen_with(source: Source) -> Reading:
    """What was said with the source itself about which table is meant."""
    return reading_of_source(source, AS_IT_LOOKS)


def source_name(source: Source) -> str:
    """What messages call the source."""
    place = place_of(source)
    return "the frame" if place is None else place.name
