"""Is a column one of numbers, in which everything else is a mistake, or one of words?

This is decided here, for tables in memory and for columns that were looked at batch by batch.
"""


def mostly_numbers(there: int, others: int, *, text: bool, codes: bool) -> bool:
    """A column of so many cells that are there, ``others`` of which are no numbers, is one of numbers if that
    is less than half. ``codes`` with leading zeros are words, and so is ``text`` without any cell.

    >>> mostly_numbers(3, 1, text=True, codes=False), mostly_numbers(3, 2, text=True, codes=False)
    (True, False)
    """
    if others:
        return 2 * others < there
    return not codes and (there > 0 or not text)
