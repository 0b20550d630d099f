"""Labels of a study file for what a release shows, and of nothing else.

A label of a code that the release does not show would tell that the value exists. A code that a file declares
to be missing may be a value of the release, such as a mean or a top code: it is then declared no more.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.numbers import is_text
from shoal.table.files.labels import Code, ColumnLabels


def published_labels(labels: Mapping[str, ColumnLabels], table: pa.Table) -> dict[str, ColumnLabels]:
    """For columns of the table. In a column of text, as one with ranges is, a code is its spelling.

    >>> sex = ColumnLabels("Sex", {1: "man", 2: "woman", 3: "other"})
    >>> published_labels({"sex": sex}, pa.table({"sex": ["1", "{1, 2}", "*"]}))["sex"].values
    {'1': 'man'}
    """
    return {name: _published(labels[name], table[name]) for name in table.column_names if name in labels}


def _published(labels: ColumnLabels, column: pa.ChunkedArray) -> ColumnLabels:
    if pa.types.is_date(column.type):
        return ColumnLabels(labels.title)
    if not is_text(column.type):
        shown = set(pc.unique(column).to_pylist())
        values = {code: label for code, label in labels.values.items() if code in shown}
        return replace(labels, values=values, missing=_missing(labels, shown, (int, float, Decimal)))
    words = set(pc.unique(column).to_pylist())
    values = {str(code): label for code, label in labels.values.items() if str(code) in words}
    return replace(labels, values=values, missing=_missing(labels, words, (str,)))


def _missing(labels: ColumnLabels, shown: set[Any], kinds: tuple[type, ...]) -> tuple[tuple[Code, Code], ...]:
    """Codes that are declared missing, of the kind that the column has, and none of which is shown."""
    values: list[Any] = [value for value in shown if isinstance(value, kinds)]
    ranges: list[tuple[Any, Any]] = [ends for ends in labels.missing if isinstance(ends[0], kinds)]
    return tuple((low, high) for low, high in ranges if not any(low <= value <= high for value in values))
