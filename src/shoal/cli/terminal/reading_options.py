"""What the options of a command say about a CSV file."""

from shoal.table.files.reading import Reading, split_names


def reading_of(header: bool, names: str | None, multiline: str | None) -> Reading:
    """
    >>> reading_of(False, 'age,"pay, net"', None).names
    ('age', 'pay, net')
    """
    return Reading(header, tuple(split_names(names or "")), tuple(split_names(multiline or "")))
