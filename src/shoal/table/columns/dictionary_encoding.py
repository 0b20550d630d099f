"""A column as numbers of its different cells: what is asked of a cell is asked once of each different one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import SmallInts
from shoal.errors import ShoalError
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow

MOST_DIGITS = 38  # of a decimal in 128 bits
VIEWS = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
LONG = 10_000  # from here on it pays to look at the different cells only, if they are few

PROBES = 4_096
FEW_TAKEN = 10  # so many rows of a column for each that is taken


class Uncomparable(ShoalError, pa.ArrowNotImplementedError):  # type: ignore[misc]
    """Cells of a kind that nothing can be said of: those who know what to do instead catch Arrow's error."""


@dataclass(frozen=True)
class EncodedColumn:
    """``cells[numbers[row]]`` is what a row holds. All cells differ and occur; a missing one comes last."""

    numbers: SmallInts
    cells: pa.Array

    @property
    def few(self) -> bool:
        return len(self.numbers) >= LONG and 4 * len(self.cells) <= len(self.numbers)

    def rows_with(self, cells: Any) -> Any:
        """The rows that hold one of these cells."""
        wanted = np.zeros(len(self.cells), bool)
        wanted[cells] = True
        return np.flatnonzero(wanted[self.numbers])


def encode(column: Any) -> EncodedColumn:
    """
    >>> found = encode(pa.chunked_array([["b", None], ["a", "b"]]))
    >>> found.numbers.tolist(), found.cells.to_pylist()
    ([0, 2, 1, 0], ['b', 'a', None])
    """
    if pa.types.is_dictionary(column.type):
        return _recoded(column)
    try:
        encoded = column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        what = "a column holds lists, maps or structs, which cannot be compared"
        raise Uncomparable(what, "make one plain column of each part.") from None
    if isinstance(encoded, pa.ChunkedArray):
        # Arrow cannot make nothing of nothing if the cells are decimals.
        encoded = encoded.combine_chunks() if len(column) else pa.array([], column.type).dictionary_encode()
    return _with_missing(encoded.indices, encoded.dictionary)


def value_type(column: Any) -> pa.DataType:
    """The type of the cells, also where they are written as codes of a dictionary."""
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def cell_by_cell(column: Any) -> Any:
    """The column with every cell written out."""
    return column.cast(value_type(column)) if pa.types.is_dictionary(column.type) else column


def encode_if_few(column: Any) -> EncodedColumn | None:
    """The same for a long column of few different cells; None if it is not one. A look at some cells spares
    the others of a column with many different ones."""
    found = encode(column) if len(column) >= LONG and not _probably_many(column) else None
    return found if found is not None and found.few else None


def _probably_many(column: Any) -> bool:
    if len(column) < 10 * PROBES:
        return False
    probes = column.take(arrow_from_numpy(np.linspace(0, len(column) - 1, PROBES).astype(np.int64)))
    return 2 * len(probes.unique()) > PROBES


def take_rows(column: Any, rows: pa.Array) -> Any:
    """The cells of these rows. Chunks make many of them slow.

    >>> take_rows(pa.chunked_array([["b"], ["a"]]), pa.array([1, 0])).to_pylist()
    ['a', 'b']
    """
    many = FEW_TAKEN * len(rows) > len(column)
    if isinstance(column, pa.ChunkedArray) and (many or pa.types.is_primitive(column.type)):
        column = pa.Table.from_arrays([column], ["cells"]).combine_chunks().column(0)
    return column.take(rows)


def _with_missing(indices: pa.Array, cells: pa.Array) -> EncodedColumn:
    if indices.null_count:
        indices = indices.fill_null(len(cells))
        cells = pa.concat_arrays([cells, pa.nulls(1, cells.type)])
    return EncodedColumn(numpy_from_arrow(indices.cast(pa.int32())), cells)


def _recoded(column: Any) -> EncodedColumn:
    """A dictionary from elsewhere may hold a word twice, a missing one, or some that do not occur."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    given = _with_missing(column.indices, column.dictionary)
    used = np.zeros(len(given.cells), bool)
    used[given.numbers] = True
    places = np.flatnonzero(used)
    words = encode(given.cells.take(arrow_from_numpy(places)))
    renumbered = np.zeros(len(used), np.int32)
    renumbered[places] = words.numbers
    return EncodedColumn(renumbered[given.numbers], words.cells)


def decode_columns(table: pa.Table, names: list[str]) -> pa.Table:
    """The same table with these columns cell by cell, wherever they are encoded; what else is encoded holds
    the cells that occur and no others."""
    table = plain_types(table)
    columns = [
        _plain(column, name in names) if pa.types.is_dictionary(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def plain_types(table: pa.Table) -> pa.Table:
    """Kinds that few functions of Arrow and DuckDB take as those that all of them do: views of text and bytes
    as what they show, decimals in 256 bits that need 128 as such.

    >>> plain_types(pa.table({"a": pa.array(["x"], pa.string_view())})).schema.types
    [DataType(string)]
    """
    for at, field in enumerate(table.schema):
        if (kind := _plain_kind(field.type)) != field.type:
            column = table.column(at).cast(kind)
            table = table.set_column(at, pa.field(field.name, kind, field.nullable), column)
    return table


def _plain_kind(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal256(kind) and kind.precision <= MOST_DIGITS:
        return pa.decimal128(kind.precision, kind.scale)
    return VIEWS.get(kind, kind)


def _plain(column: pa.ChunkedArray, decode: bool) -> Any:
    """A dictionary would tell what records held that were left out, and which cells came first; only an order
    with a meaning is kept."""
    kind = column.type
    if decode or not kind.ordered:
        column = pc.cast(column, kind.value_type)
    if decode:
        return column
    found = encode(column)
    there = found.cells.drop_null()
    numbers = arrow_from_numpy(found.numbers).cast(kind.index_type)
    known = arrow_from_numpy(found.numbers < len(there))
    indices = pc.if_else(known, numbers, pa.scalar(None, kind.index_type))
    return pa.DictionaryArray.from_arrays(indices, there, ordered=kind.ordered)
