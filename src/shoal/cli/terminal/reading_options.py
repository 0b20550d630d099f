"""What the options of a command say about a CSV file."""

from shoal.table.files.reading import Reading, listed


def reading_of(header: bool, names: str | None, multiline: str | None) -> Reading:
    """
    >>> reading_of(False, 'age,"pay, net"', None).names
    ('age', 'pay, net')
    """
    return Reading(header, tuple(listed(names or "")), tuple(listed(multiline or "")))
