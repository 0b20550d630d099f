"""Quasi cells that show one value in several spellings, such as ``[1, 5]`` and ``[1,5]``.

By value their records are alike, but whoever reads the file tells them apart. So a class is only as large as
its records that are spelled alike.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from shoal.kernels.classes import class_sizes
from shoal.table.columns.dictionary_encoding import encode, value_type
from shoal.table.columns.numbers import is_text
from shoal.table.table import Table
from shoal.verify.cells.cell_codes import cell_codes
from shoal.verify.cells.published_table import PublishedTable


def columns_with_spellings(schema: pa.Schema, names: Iterable[str]) -> list[str]:
    """The columns among these in which a value can have several spellings: text, and floats that agree in
    fifteen digits. A whole number, a decimal or a range of Parquet has one."""
    kinds = {name: value_type(schema.field(name)) for name in names if name in schema.names}
    return [name for name, kind in kinds.items() if is_text(kind) or pa.types.is_floating(kind)]


def spare_spellings(table: Table, names: Iterable[str]) -> dict[str, int]:
    """How many spellings each of these columns has beyond one for every value, where it has any.

    >>> spare_spellings(Table(pa.table({"age": ["[1, 5]", "[1,5]", "7"]})), ["age"])
    {'age': 1}
    """
    found = {name: _spare(table, name) for name in columns_with_spellings(table.arrow.schema, names)}
    return {name: spare for name, spare in found.items() if spare}


def smallest_spelled_class(table: Table, names: Iterable[str]) -> int:
    """The fewest records that show the same letters in all of these columns.

    >>> smallest_spelled_class(Table(pa.table({"age": ["1", "1.0", "1"]})), ["age"])
    1
    """
    named = list(names)
    spelled, published = columns_with_spellings(table.arrow.schema, named), PublishedTable(table)
    shown = [encode(table.arrow.column(name)).numbers for name in spelled]
    others = [cell_codes(published, name).codes for name in named if name not in spelled]
    return int(class_sizes([*shown, *others]).min())


def _spare(table: Table, name: str) -> int:
    cells = encode(table.arrow.column(name)).cells
    different = PublishedTable(Table(pa.table({name: cells})))
    return len(cells) - len(np.unique(cell_codes(different, name).codes))
