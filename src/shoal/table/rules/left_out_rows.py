"""Rows that the owner leaves out, by a condition."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.rules.row_expression import columns_of, parse_condition
from shoal.table.rules.row_values import truth_of


@dataclass(frozen=True)
class LeftOutRows:
    """The rule: rows of which the condition is true leave. Where a missing cell leaves it open, they stay.

    >>> rows = pa.table({"age": [12, 30, None]})
    >>> LeftOutRows("age < 15")(rows).column("age").to_pylist()
    [30, None]
    """

    condition: str
    keeps_rows = False

    def __call__(self, rows: pa.Table) -> pa.Table:
        tree = parse_condition(self.condition)
        if not set(columns_of(tree)) <= set(rows.column_names):
            return rows
        return rows.filter(pc.invert(truth_of(tree, rows).fill_null(False)))
