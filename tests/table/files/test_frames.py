"""A frame goes in, the same kind of frame comes out."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.table.read import read_table

CELLS = {"pay": [10, 20, 30, 41], "zip": ["01", "01", None, "02"]}
POLICY = shoal.Policy(columns={"pay": "quasi", "zip": "other"}, guarantees=[shoal.KAnonymity(k=2)])

FRAMES = {
    "pandas": (lambda: pd.DataFrame(CELLS), pd.DataFrame, lambda frame: pa.Table.from_pandas(frame)),
    "Polars": (lambda: pl.DataFrame(CELLS), pl.DataFrame, lambda frame: frame.to_arrow()),
    "lazy Polars": (lambda: pl.LazyFrame(CELLS), pl.DataFrame, lambda frame: frame.to_arrow()),
    "Arrow": (lambda: pa.table(CELLS), pa.Table, lambda frame: frame),
    "Arrow batch": (lambda: pa.RecordBatch.from_pydict(CELLS), pa.Table, lambda frame: frame),
    "DuckDB": (
        lambda: duckdb.from_arrow(pa.table(CELLS)),
        duckdb.DuckDBPyRelation,
        lambda frame: frame.to_arrow_table(),
    ),
}


@pytest.fixture(params=FRAMES)
def kind(request):
    return FRAMES[request.param]


def cells(arrow):
    return {name: arrow[name].to_pylist() for name in arrow.column_names}


def test_every_frame_is_the_same_table(kind):
    assert cells(read_table(kind[0]()).arrow) == CELLS


def test_the_release_is_a_frame_of_the_kind_that_went_in(kind):
    make, out, arrow = kind
    published = shoal.anonymize(make(), POLICY, seed=3).table
    assert isinstance(published, out)
    assert cells(arrow(published)) == cells(shoal.anonymize(pa.table(CELLS), POLICY, seed=3).table)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(CELLS, index=[7, 7, 1, 0]),
        pd.DataFrame(CELLS).set_index("zip", drop=False),
        pd.DataFrame(CELLS).set_index(["pay", "zip"], drop=False),
        pd.DataFrame(CELLS | {"x": 1}, index=list("abcd"))[["pay", "zip"]],
    ],
    ids=["repeated", "named like a column", "of two levels", "of text"],
)
def test_the_index_of_a_pandas_frame_never_matters(frame):
    released = shoal.anonymize(frame, POLICY, seed=3)
    assert released.table.equals(shoal.anonymize(pd.DataFrame(CELLS), POLICY, seed=3).table)
    assert released.table.index.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "pay",
    [
        pd.array([10, 20, 30, 41], dtype="Int64"),
        pd.Categorical([10, 20, 30, 41]),
        np.array([10, 20, 30, 41], np.float32),
        pd.array([10, 20, 30, 41], dtype=pd.ArrowDtype(pa.decimal128(9, 4))),
        np.array([10, 20, 30, 41], np.uint64),
    ],
    ids=["nullable", "categorical", "float32", "decimal", "uint64"],
)
def test_numbers_of_any_pandas_type_are_published_alike(pay):
    released = shoal.anonymize(pd.DataFrame({"pay": pay, "zip": CELLS["zip"]}), POLICY, seed=3)
    assert cells(released.result.table) == cells(shoal.anonymize(pa.table(CELLS), POLICY, seed=3).table)


def test_a_pandas_column_of_mixed_kinds_is_refused_without_a_cell():
    frame = pd.DataFrame({"pay": [1, "secret", 3], "zip": [b"hidden", 2, "x"]})
    with pytest.raises(ShoalError) as refused:
        read_table(frame)
    assert [fault.what for fault in refused.value.faults] == [
        "column 'pay' mixes cells of different kinds",
        "column 'zip' mixes cells of different kinds",
    ]
    assert refused.value.__context__ is None  # Arrow's own message shows the cell


def test_a_pandas_frame_with_two_columns_of_one_name_is_refused():
    with pytest.raises(ShoalError, match="more than one column named 'pay'"):
        read_table(pd.DataFrame([[1, 2]], columns=["pay", "pay"]))


@pytest.mark.parametrize("source", [None, CELLS, [1, 2], pd.Series([1], name="a"), np.zeros((2, 2))])
def test_what_is_no_table_is_refused(source):
    with pytest.raises(ShoalError, match=f"cannot read a table from {type(source).__name__}"):
        read_table(source)
