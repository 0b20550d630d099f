"""Do two releases of one table, made under the same secret, show everybody the same?

``python scale_same.py one one.csv other other.csv``: each release with its audit file, which says whose row
is whose. Prints how many rows there are, how many people have a row that is not the same in every column,
and whether the rows also stand in the same order.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from shoal.arrays import Bools, Ints


def compared(one: Path, one_audit: Path, other: Path, other_audit: Path) -> dict[str, int | bool]:
    first, second = input_rows(one_audit), input_rows(other_audit)
    if not np.array_equal(np.sort(first), np.sort(second)):
        return {"rows": len(first), "differing": max(len(first), len(second)), "same order": False}
    differs = np.zeros(len(first), bool)
    at, beside = np.argsort(first), np.argsort(second)
    for name in parquet.read_schema(_files(one)[0]).names:
        differs |= _differing(one, name, at, other, beside)
    order = bool(np.array_equal(first, second))
    return {"rows": len(first), "differing": int(differs.sum()), "same order": order}


def input_rows(audit: Path) -> Ints:
    """Of every published row, in their order."""
    read = csv.read_csv(audit, csv.ReadOptions(skip_rows=2))
    return np.asarray(read.column("input_row").to_numpy())


def _differing(one: Path, name: str, at: Ints, other: Path, beside: Ints) -> Bools:
    """Whose cells of a column differ."""
    differs = np.zeros(len(at), bool)
    for cells, others in zip(_plain(one, name), _plain(other, name), strict=True):
        both = pa.chunked_array([*cells.chunks, *others.chunks]).dictionary_encode().combine_chunks()
        codes = both.indices.fill_null(-1).to_numpy()
        differs |= codes[: len(at)][at] != codes[len(at) :][beside]
    return differs


def _plain(release: Path, name: str) -> list[pa.ChunkedArray]:
    """A column, or the ends of its ranges."""
    read = [parquet.read_table(file, columns=[name]).column(0) for file in _files(release)]
    cells = pa.chunked_array([chunk for column in read for chunk in column.chunks])
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    return cells.flatten() if pa.types.is_struct(cells.type) else [cells]


def _files(release: Path) -> list[Path]:
    data = release / "data.parquet"
    return sorted(data.iterdir()) if data.is_dir() else [data]


if __name__ == "__main__":
    print(json.dumps(compared(*map(Path, sys.argv[1:5]))))
