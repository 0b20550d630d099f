"""What the options of a command say about a table: where it is, which one, and how to read it."""

from pathlib import Path

from shoal.table.databases.address import DatabaseAddress, located
from shoal.table.files.reading import Reading, split_names
from shoal.table.source import ChosenTable


def reading_of(header: bool | None, names: str | None, multiline: str | None) -> Reading:
    """
    >>> reading_of(None, 'age,"pay, net"', None).names
    ('age', 'pay, net')
    """
    return Reading(header, tuple(split_names(names or "")), tuple(split_names(multiline or "")))


def source_of(
    data: str, sheet: str | None = None, table: str | None = None, query: str | None = None
) -> Path | DatabaseAddress | ChosenTable:
    """The table that is meant.

    >>> source_of("staff.xlsx", sheet="2024").sheet
    '2024'
    """
    place = located(data)
    if sheet is None and table is None and query is None:
        return place
    return ChosenTable(place, sheet, table, query)


def choice_options(data: object) -> list[str]:
    """The options of a command that reads the same table.

    >>> choice_options(ChosenTable("staff.xlsx", sheet="2024"))
    ['--sheet', '2024']
    """
    if not isinstance(data, ChosenTable):
        return []
    said = {"--sheet": data.sheet, "--table": data.table, "--query": data.query}
    return [word for option, value in said.items() if value is not None for word in (option, value)]
