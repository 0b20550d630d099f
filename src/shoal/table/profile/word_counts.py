"""How often the words of a column occur: of a column with many, the most frequent ones."""

import numpy as np

from shoal.table.columns.categories import categories_of
from shoal.table.table import Table


def word_counts(table: Table, name: str, most: int) -> dict[str | None, int]:
    """Counts of words as methods with hierarchies see them: numbers as text, one word for each value, None is
    missing.

    >>> import pyarrow as pa
    >>> word_counts(Table(pa.table({"age": [30, None, 30, 41]})), "age", most=2)
    {'30': 2, '41': 1}
    """
    column = categories_of(table.encoded(name))
    counts = np.bincount(column.codes, minlength=len(column.words))
    often = np.argsort(-counts, kind="stable")[:most].tolist()
    return {column.words[at]: int(counts[at]) for at in often if counts[at]}
