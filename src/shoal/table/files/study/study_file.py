"""Files of SPSS, Stata and SAS: rows as they are stored, so that a CSV file of the same table reads alike.

Codes stay codes: what they stand for is in `shoal.table.files.labels`. Such a file keeps most numbers as
floats. A column of whole ones is read as whole numbers, for which the floats are looked through before the
rows are read. Codes that the file declares to be missing are missing cells.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.numbers import LARGEST_FLOAT_UNITS
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.long_cells import refuse_long_cells
from shoal.table.files.study.study_dates import DateFormat, date_format, iso_texts
from shoal.table.files.study.study_kinds import read_study_head, read_study_part, study_kind

CELLS_AT_ONCE = (
    2_000_000  # each is a Python object once; rows before them are skipped, for which they are read
)
STORED = {"string": pa.string(), "float": pa.float32(), "double": pa.float64()}  # others: whole numbers


def first_rows_of_study(path: Path, limits: Limits, count: int) -> pa.Table:
    """The first rows, without a look at the rest of it."""
    _described(path, limits)
    cells, about = read_study_part(path, row_limit=count)
    whole = {name for name in _floats(path, about) if _are_whole(_stored(cells, about, name))}
    return _table(path, cells, about, whole)


def study_batches(
    path: Path, rows_at_once: int, schema: pa.Schema, user_missing: bool = False
) -> Iterator[pa.Table]:
    """The rows of a file of any length, some at a time, with the columns that ``study_head`` gives. With
    ``user_missing`` the codes that it declares to be missing are told, too."""
    whole = {field.name for field in schema if pa.types.is_integer(field.type)}
    for cells, about in _parts(path, schema.names, user_missing):
        part = _table(path, cells, about, whole)
        for start in range(0, len(part), rows_at_once):
            yield part.slice(start, rows_at_once)


def study_size(path: Path, limits: Limits = UNLIMITED) -> tuple[int, int | None]:
    """The number of columns, and that of rows where the file says it; no row is read."""
    about = _described(path, limits)
    return len(about.column_names), about.number_rows


def study_head(path: Path, limits: Limits = UNLIMITED) -> tuple[pa.Schema, int | None]:
    """The columns of a file, for which its floats are looked through, and how many rows it says it has."""
    about = _described(path, limits)
    whole = _floats(path, about)
    for cells, described in _parts(path, sorted(whole)):
        whole -= {name for name in whole if not _are_whole(_stored(cells, described, name))}
    nothing: dict[str, list[Any]] = {name: [] for name in about.column_names}
    return _table(path, nothing, about, whole).schema, about.number_rows


def _described(path: Path, limits: Limits) -> Any:
    """What a file says of its columns."""
    about = read_study_head(path)
    limits.refuse_cells(path.name, about.number_rows or 1, len(about.column_names))
    return about


def _parts(path: Path, columns: Collection[str], user_missing: bool = False) -> Iterator[tuple[Any, Any]]:
    """All rows of some columns, if there are any, as lists."""
    at_once = max(CELLS_AT_ONCE // max(len(columns), 1), 1)
    done, found = 0, at_once if columns else 0
    while found == at_once:
        cells, about = read_study_part(
            path, usecols=list(columns), row_offset=done, row_limit=at_once, user_missing=user_missing
        )
        found = len(next(iter(cells.values())))
        done += found
        yield cells, about


def _floats(path: Path, about: Any) -> set[str]:
    """The columns of floats that are no dates."""
    stored = about.readstat_variable_types
    return {name for name in stored if stored[name] in ("float", "double") and not _date(path, about, name)}


def _date(path: Path, about: Any, name: str) -> DateFormat | None:
    return date_format(study_kind(path).program, about.original_variable_types[name])


def _stored(cells: Any, about: Any, name: str) -> pa.Array:
    """A column as the file has it; an empty text is a missing cell."""
    column = pa.array(cells[name], STORED.get(about.readstat_variable_types[name], pa.int64()))
    if column.type != pa.string():
        return column
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)


def _are_whole(floats: pa.Array) -> bool:
    """
    >>> [_are_whole(pa.array(cells)) for cells in ([1.0, None], [1.5, 2.0], [1e300])]
    [True, False, False]
    """
    numbers = np.asarray(numpy_from_arrow(floats.drop_null()))
    return bool((np.abs(numbers) <= LARGEST_FLOAT_UNITS).all() and (numbers == np.rint(numbers)).all())


def _table(path: Path, cells: Any, about: Any, whole: Collection[str]) -> pa.Table:
    table = pa.table({name: _column(path, cells, about, name, name in whole) for name in about.column_names})
    refuse_long_cells(path.name, table)
    return table


def _column(path: Path, cells: Any, about: Any, name: str, whole: bool) -> pa.Array:
    column, date = _stored(cells, about, name), _date(path, about, name)
    if date is not None and column.type != pa.string():
        return iso_texts(column.cast(pa.float64()), date)
    return column.cast(pa.int64()) if whole else column
