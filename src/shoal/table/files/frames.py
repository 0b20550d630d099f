"""Frames at the border: pandas, Polars, Arrow and DuckDB relations in, the same kind out."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from shoal.errors import Fault, ShoalError, refuse_faults

Restore = Callable[[pa.Table], Any]


def arrow_from_frame(frame: Any) -> tuple[pa.Table, Restore]:
    """The frame as an Arrow table, and how to turn an Arrow table into such a frame."""
    if isinstance(frame, pa.Table):
        return frame, lambda table: table
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame]), lambda table: table
    package = type(frame).__module__.split(".")[0].lstrip("_")
    if package == "pandas" and hasattr(frame, "columns"):
        return _from_pandas(frame), _to_pandas
    if package == "duckdb":
        return frame.to_arrow_table(), _to_duckdb
    return _through_narwhals(frame)


def _from_pandas(frame: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, ValueError):  # Arrow's message may show a cell, ours must not
        columns = [_column_of_pandas(frame, place) for place in range(len(frame.columns))]
    refuse_faults(column for column in columns if isinstance(column, Fault))
    return pa.Table.from_arrays(columns, names=[str(name) for name in frame.columns])


def _column_of_pandas(frame: Any, place: int) -> pa.ChunkedArray | Fault:
    try:
        return pa.Table.from_pandas(frame.iloc[:, [place]], preserve_index=False).column(0)
    except pa.ArrowException:
        what = f"column {str(frame.columns[place])!r} mixes cells of different kinds"
        return Fault(what, "make them all numbers, or all text.")


def _to_pandas(table: pa.Table) -> Any:
    import pandas

    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def _to_duckdb(table: pa.Table) -> Any:
    import duckdb

    return duckdb.from_arrow(table)


def _through_narwhals(frame: Any) -> tuple[pa.Table, Restore]:
    import narwhals as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise ShoalError(
            f"cannot read a table from {type(frame).__name__}",
            "give a path, or a pandas, Polars or Arrow frame, or a DuckDB relation.",
        ) from None
    eager = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    backend = eager.implementation

    def restore(table: pa.Table) -> Any:
        return nw.from_arrow(table, backend=backend).to_native()

    return eager.to_arrow(), restore
