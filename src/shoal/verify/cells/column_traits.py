"""What a batch of a published table holds, column by column, as far as other batches have to know it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import encode, value_type
from shoal.table.columns.numbers import (
    BEYOND,
    FLOAT_DIGITS,
    LARGEST_FLOAT_UNITS,
    PLAIN,
    holds_exact,
    holds_floats,
    is_text,
    numbers_from_arrow,
)
from shoal.table.table import Table
from shoal.verify.cells.column_format import ColumnFormat, ColumnTraits
from shoal.verify.cells.published_table import BadCells, Cells, PublishedTable, as_floats

TraitsByColumn = Mapping[str, ColumnTraits]
FormatsByColumn = dict[str, ColumnFormat]
FLOAT = r"\d\.?[eE][+-]?\d|^(?i)[+-]?(nan|inf(inity)?)$"


def batch_traits(batch: Table, policy: Policy) -> TraitsByColumn:
    """What this batch holds in every column that a guarantee may be about."""
    named = [*policy.having("quasi"), *policy.having("sensitive"), *([GROUP] if policy.permutes else [])]
    return {name: column_traits(batch, name) for name in named if name in batch.names}


def join_traits(one: TraitsByColumn, two: TraitsByColumn) -> TraitsByColumn:
    """What two batches of a published table hold together, column by column."""
    return {name: reading.joined(two[name]) for name, reading in one.items()}


def column_formats(readings: TraitsByColumn) -> FormatsByColumn:
    """How every column is read, once all batches were seen."""
    return {name: reading.way(name) for name, reading in readings.items()}


def column_traits(batch: Table, name: str) -> ColumnTraits:
    """
    >>> column_traits(Table(pa.table({"pay": ["12.50", "7"]})), "pay").scale
    1
    """
    column = batch.column(name)
    kind = value_type(column)
    text = is_text(kind)
    facts = _written(column) if text else {}
    try:
        cells = PublishedTable(batch).cells(name)
    except BadCells as error:
        has_values = column.null_count < len(column)
        beyond = BEYOND in error.fault.what
        return ColumnTraits(
            numbers=False, has_values=has_values, text=text, beyond=beyond, **facts, **_dates(column, text)
        )
    there = ~(cells.missing | cells.suppressed)
    return ColumnTraits(
        numbers=True,
        has_values=bool(there.any()),
        text=text,
        floating=_floating(kind),
        marked=_marked(kind, cells),
        scale=_needed_scale(column) if text and not _marked(kind, cells) else cells.scale,
        float_scale=_float_scale(column, kind, cells),
        **_ends(cells),
        **facts,
        **_dates(column, text),
    )


def _marked(kind: pa.DataType, cells: Cells) -> bool:
    """Are there ranges or stars?"""
    ranged = pa.types.is_struct(kind) or not np.array_equal(cells.low, cells.high)
    return bool(ranged or cells.suppressed.any())


def _floating(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(pa.types.is_floating(field.type) for field in kind)
    return bool(pa.types.is_floating(kind))


def _ends(cells: Cells) -> dict[str, Any]:
    if cells.reals is not None:
        return {"low": Fraction(float(cells.reals.min())), "high": Fraction(float(cells.reals.max()))}
    unit = Fraction(1, 10**cells.scale)
    return {"low": int(cells.low.min()) * unit, "high": int(cells.high.max()) * unit}


def _written(column: Any) -> dict[str, Any]:
    """Traits of the different cells of a column of text."""
    cells = pc.utf8_trim_whitespace(encode(column).cells.cast(pa.string()).drop_null())
    cells = cells.filter(pc.not_equal(cells, ""))
    numbers = cells.filter(pc.match_substring_regex(cells, r"^[\[+\-.\d]"))
    plain = not pc.any(pc.match_substring_regex(cells, FLOAT)).as_py()
    digits = 0
    while pc.any(pc.match_substring_regex(numbers, rf"\.\d{{{digits + 1}}}")).as_py():
        digits += 1
    alone = numbers.filter(pc.match_substring_regex(numbers, PLAIN))
    bare = pc.replace_substring_regex(pc.replace_substring_regex(alone, r"^\+", ""), r"^-?0*\.?0*|\.", "")
    longest = pc.max(pc.utf8_length(bare)).as_py() or 0
    floats = plain and holds_floats(alone)
    return {
        "plain": plain and not floats,
        "digits": digits,
        "long": longest > FLOAT_DIGITS,
        "float_texts": floats,
        "exact_texts": plain and holds_exact(alone),
    }


def _needed_scale(column: Any) -> int:
    """The most digits behind a point that are not zeros at the end, of text that may not fit 64 bits."""
    cells = pc.utf8_trim_whitespace(encode(column).cells.cast(pa.string()).drop_null())
    cells = cells.filter(pc.match_substring_regex(cells, PLAIN))
    short = pc.utf8_rtrim(cells.filter(pc.match_substring(cells, ".")), "0")
    digits = pc.subtract(pc.subtract(pc.utf8_length(short), pc.find_substring(short, ".")), 1)
    return int(pc.max(digits).as_py() or 0)


def _dates(column: Any, text: bool) -> dict[str, Any]:
    """Cells that are blank are no dates, and speak against none."""
    if days_from_arrow(column) is not None:
        return {"dates": True}
    cells = encode(column).cells.to_pylist() if text else ["no text"]
    return {"dates": not any(cell and cell.strip() for cell in cells)}


def _float_scale(column: Any, kind: Any, cells: Cells) -> int | None:
    """The scale on which all cells are themselves as floats; None if there is none."""
    if pa.types.is_struct(kind):
        ends = [numbers_from_arrow(column.combine_chunks().field(end)) for end in ("lo", "hi")]
        return cells.scale if all(end.exact for end in ends) else None
    if cells.reals is not None:
        return None
    reach = max(-int(cells.low.min()), int(cells.high.max()))
    if not is_text(kind) or _marked(kind, cells) or reach <= LARGEST_FLOAT_UNITS:
        return cells.scale
    values = numpy_from_arrow(as_floats(column).fill_null(0.0))
    if np.abs(values).max() > LARGEST_FLOAT_UNITS:
        return None
    return numbers.scale if (numbers := numbers_from_arrow(pa.array(values))).exact else None
