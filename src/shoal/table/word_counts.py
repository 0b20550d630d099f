"""How often the words of a column occur: of a column with many, the most frequent ones."""

import numpy as np

from shoal.table.categories import categories_of, stripped
from shoal.table.table import Table


def word_counts(table: Table, name: str, most: int) -> dict[str | None, int]:
    """As methods with hierarchies see them: numbers as text, blanks around words taken away, None is missing.

    >>> import pyarrow as pa
    >>> word_counts(Table(pa.table({"age": [30, None, 30, 41]})), "age", most=2)
    {'30': 2, '41': 1}
    """
    column = categories_of(table.encoded(name))
    counts = np.bincount(column.codes, minlength=len(column.words))
    found: dict[str | None, int] = {}
    for at in np.argsort(-counts, kind="stable")[:most].tolist():
        if counts[at]:
            word = stripped(column.words[at])
            found[word] = found.get(word, 0) + int(counts[at])
    return found
