"""Columns that are computed from others, row by row, such as a body mass index."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from shoal.errors import ShoalError
from shoal.table.columns.numbers import BEYOND, is_text
from shoal.table.rules.exact_numbers import cells_of, decimals_of, fits, rounded
from shoal.table.rules.row_expression import columns_of, parse_arithmetic, plain
from shoal.table.rules.row_values import values_of
from shoal.table.rules.unreadable_cells import CellsAtFault, UnreadableCells

LARGEST = 2**63


@dataclass(frozen=True)
class DerivedColumn:
    """A name, the calculation, and how many decimals the result is rounded to; without, it is exact."""

    name: str
    value: str
    decimals: int | None = None


@dataclass(frozen=True)
class DerivedColumns:
    """The rule: new columns behind the others, in their order; one may use those before it.

    >>> rule = DerivedColumns((DerivedColumn("bmi", "weight / (height * height)", 1),))
    >>> rule(pa.table({"weight": ["70"], "height": ["1.75"]})).column("bmi").to_pylist()
    ['22.9']
    """

    columns: tuple[DerivedColumn, ...]
    keeps_rows = True

    def __call__(self, rows: pa.Table) -> pa.Table:
        for one in self.columns:
            if one.name in rows.column_names:
                what = f"column {one.name!r} is derived in [prepare], and the table has one of that name"
                raise ShoalError(what, "give the derived column another name.")
            tree = parse_arithmetic(one.value)
            if set(columns_of(tree)) <= set(rows.column_names):
                rows = rows.append_column(one.name, _derived(one, tree, rows))
        return rows


def _derived(one: DerivedColumn, tree: Any, rows: pa.Table) -> pa.Array:
    found, kind = values_of(tree, rows), _type(one, tree, rows.schema)
    top, bottom, scale = found.top, found.bottom, len(str(found.bottom)) - 1
    if one.decimals is not None:
        top, bottom, scale = rounded(top * 10**one.decimals, bottom), 10**one.decimals, one.decimals
    top = np.where(found.missing, 0, top)
    beyond = np.flatnonzero((abs(top) >= LARGEST * bottom) | ~fits(top, scale, kind))
    if len(beyond):
        hint = "divide by more in [prepare.derive], for example to have thousands."
        raise UnreadableCells((CellsAtFault(columns_of(tree)[0], beyond, f"{one.name}: {BEYOND}", hint),))
    return cells_of(top, scale, found.missing, kind)


def _type(one: DerivedColumn, tree: Any, schema: pa.Schema) -> pa.DataType:
    kinds = [schema.field(name).type for name in columns_of(tree)]
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]
    if any(map(is_text, kinds)):
        return pa.string()
    if any(map(pa.types.is_floating, kinds)):
        return pa.float64()
    scale = _scale(tree, schema) if one.decimals is None else one.decimals
    return pa.decimal128(38, scale) if scale else pa.int64()


def _scale(tree: Any, schema: pa.Schema) -> int:
    node = plain(tree)
    if isinstance(node, exp.Column):
        kind = schema.field(node.name).type
        return max(kind.scale, 0) if pa.types.is_decimal(kind) else 0
    if isinstance(node, exp.Literal):
        return decimals_of(Decimal(node.name))
    if isinstance(node, exp.Neg):
        return _scale(node.this, schema)
    sides = _scale(node.this, schema), _scale(node.expression, schema)
    return sum(sides) if isinstance(node, exp.Mul) else max(sides)
