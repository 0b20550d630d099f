"""Lists of words in Parquet, as other tools write sets: the same sets in words, which everybody reads."""

from typing import Any

import pyarrow as pa

from shoal.table.columns.word_set import cell_of
from shoal.table.table import Table


def with_sets_for_lists(table: Table) -> Table:
    """A table in which a list of words or numbers is the set of them; no list, or an empty one, is missing.

    >>> lists = pa.table({"job": [["cook", "a, b"], ["cook"], []]})
    >>> with_sets_for_lists(Table(lists)).arrow["job"].to_pylist()
    ['{"a, b", cook}', 'cook', None]
    """
    arrow = table.arrow
    for at, field in enumerate(arrow.schema):
        if _is_list_of_values(field.type):
            cells = [_cell(words) for words in arrow.column(at).to_pylist()]
            arrow = arrow.set_column(at, field.name, pa.array(cells, pa.string()))
    return table if arrow is table.arrow else Table(arrow, table.lines, rules=table.rules)


def _is_list_of_values(kind: pa.DataType) -> bool:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return is_list and not pa.types.is_nested(kind.value_type)


def _cell(words: list[Any] | None) -> str | None:
    if not words:
        return None
    return cell_of(
        sorted({None if word is None else str(word) for word in words}, key=lambda word: word or "")
    )
