"""Columns of numbers that no batch knows alone are those of memory."""

from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.anonymizer.parts.table_facts import magnitude_faults
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.large_release import release_large
from shoal.table.columns.number_summary import (
    NumberSummary,
    missing_numbers,
    summarize_numbers,
    units_on_scale,
)
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.numbers import NotNumeric, numbers_from_arrow
from shoal.table.columns.same_value import DIGITS, is_float_text
from shoal.table.table import Table
from tests.draws import draws

ROWS = 40  # in batches of five


def spread(*cells, kind=None):
    """So many cells that each of them fills batches of its own."""
    return pa.array([cell for cell in cells for _ in range(ROWS // len(cells))], kind)


def rising(low, high):
    return np.concatenate([np.linspace(0, low, ROWS // 2), np.linspace(low, high, ROWS // 2)])


COLUMNS = {
    "32 bits on several scales": spread(0.1, 0.123456789, 7.25, 0.3, kind=pa.float32()),
    "32 bits, each batch on its own scale": pa.array(np.repeat([0.1, 1e-9, 2.5, 3.0], 10), pa.float32()),
    "small floats before large ones": pa.array(rising(0.5, 1e6)),
    "tiny floats before large ones": pa.array(rising(1e-9, 1e3)),
    "floats as text in some batches": spread("0.30000000000000004", "1e-05", "12345.5", "7"),
    "long decimals and an exponent": spread("0.123456789012345678", "1e-05", "2", "0.5"),
    "no 64 bits but for an exponent": spread("12.345678901234567891", "1e-05", "2", "0.5"),
    "decimals that fit no common scale": spread("0.12345678901234567", "12345678.5", "3", "-1"),
    "more decimals than there are": spread("0.1234567890123456789", "3.25", "-4", "1000"),
    "not a number": spread("nan", "0.25", "12345678901.5", "3"),
    "plain text": spread("0.25", "1234567890.125", "7", "100.50"),
    "decimals": spread("0.25", "1234567890.125", "7", "100.50").cast(pa.decimal128(30, 5)),
}


CELLS = st.one_of(
    st.decimals(-(10**6), 10**6, places=2).map(str),
    st.integers(-(10**17), 10**17).map(str),
    st.floats(-1e15, 1e15).map(repr),
    st.floats(-10, 10).map(repr),
    st.decimals(-5, 5, places=17).map(lambda cell: f"{cell:f}"),
    st.sampled_from(["", " 7 ", "+1.50", "nan", "12.345678901234567891", "1e-05", "0.1234567890123456789"]),
)


def seen_by_batches(column, rows):
    table = pa.table({"pay": column, ROW: np.arange(len(column))})
    batches = [table.slice(start, rows) for start in range(0, len(table), rows)]
    return reduce(NumberSummary.joined, [summarize_numbers(batch, "pay") for batch in batches]), batches


def assert_same_as_in_memory(column, rows):
    expected = numbers_from_arrow(pa.chunked_array([column]))
    seen, batches = seen_by_batches(column, rows)
    found = seen.scaled_numbers()
    there = expected.units[~expected.missing]
    assert (found.odd, found.scale, found.on_grid) == ({}, expected.scale, not expected.exact)
    assert (found.low, found.high) == ((there.min(), there.max()) if len(there) else (None, None))
    units, missing = zip(*(units_on_scale(batch["pay"], found.scale) for batch in batches), strict=True)
    assert np.concatenate(units).tolist() == expected.units.tolist()
    assert np.concatenate(missing).tolist() == expected.missing.tolist()
    assert np.concatenate([missing_numbers(batch["pay"]) for batch in batches]).tolist() == list(
        expected.missing
    )


@pytest.mark.parametrize("column", COLUMNS)
def test_numbers_are_those_of_memory(column):
    assert_same_as_in_memory(COLUMNS[column], 5)


@draws(200)
@given(cells=st.lists(CELLS, min_size=1, max_size=8), rows=st.integers(1, 8))
def test_text_is_read_as_in_memory(cells, rows):
    """But for floats with all their digits beside other numbers that are as long, in different batches."""
    assume(len({is_float_text(cell.strip()) for cell in cells if cell and len(cell.strip()) > DIGITS}) < 2)
    column = pa.array(cells, pa.string())
    try:
        numbers_from_arrow(pa.chunked_array([column]))
    except NotNumeric:
        found = seen_by_batches(column, rows)[0].scaled_numbers()
        assert found.odd or magnitude_faults("pay", found)
    else:
        assert_same_as_in_memory(column, rows)


@draws(100)
@given(
    cells=st.lists(st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.1, 0.25, 1e-9, None]), min_size=1),
    rows=st.integers(1, 8),
    kind=st.sampled_from([pa.float32(), pa.float64()]),
)
def test_floats_are_read_as_in_memory(cells, rows, kind):
    assert_same_as_in_memory(pa.array(cells, pa.float64()).cast(kind), rows)


def policy_for(method):
    if method == "min-sum":
        return shoal.Policy(
            columns={"note": "quasi", "pay": "sensitive"},
            guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}],
            method={"name": method, "suppression": 1.0},
            missing={"pay": "suppress"},
        )
    sums = {"kind": "kf-anonymity", "k": 3, "knows": ["pay"]}
    return shoal.Policy(
        columns={"pay": "quasi", "note": "other"},
        guarantees=[sums if method == "aggranon" else {"kind": "k-anonymity", "k": 3}],
        missing={"pay": "zero"},
        method={"name": method},
    )


def assert_same_release(folder, table, asked, engine):
    shoal.anonymize(table, asked, seed=3).write(folder / "memory", "parquet")
    made = release_large(engine, table, asked, folder / "disk", "parquet", seed=3)
    assert all(verdict.holds for verdict in made.verdicts)
    found, written = (shoal.open_release(folder / name).read().arrow for name in ("disk", "memory"))
    assert found.equals(written)


@pytest.mark.parametrize("method", ["aggranon", "mondrian", "min-sum"])
@pytest.mark.parametrize(
    "column",
    [
        "32 bits on several scales",
        "small floats before large ones",
        "floats as text in some batches",
        "long decimals and an exponent",
        "decimals that fit no common scale",
    ],
)
def test_a_release_is_that_of_memory(tmp_path, column, method):
    asked = policy_for(method)
    table = pa.table({"pay": COLUMNS[column], "note": [f"n{row * 7 % 3}" for row in range(ROWS)]})
    assert_same_release(tmp_path, table, asked, DiskEngine(1 << 30, tmp_path, RowProgress(), most=20))


@pytest.mark.parametrize("method", ["aggranon", "mondrian", "cluster"])
def test_the_scale_is_that_of_all_rows_even_if_some_leave(tmp_path, method):
    sums = {"kind": "kf-anonymity", "k": 3, "knows": ["pay + rent"]}
    asked = shoal.Policy(
        columns={"pay": "quasi", "rent": "quasi", "note": "other"},
        guarantees=[sums if method == "aggranon" else {"kind": "k-anonymity", "k": 3}],
        missing={"rent": "suppress"},
        method={"name": method, "suppression": 0.2},
    )
    pay, rent = [1.0] * 20 + [0.125] + [2.5] * 19, [5] * 20 + [None] + [7] * 19
    table = pa.table({"pay": pay, "rent": rent, "note": [f"n{row * 7 % 3}" for row in range(ROWS)]})
    assert_same_release(tmp_path, table, asked, DiskEngine(1 << 30, tmp_path, RowProgress()))


@pytest.mark.parametrize(
    "column",
    [
        pa.nulls(ROWS, pa.int64()),
        pa.nulls(ROWS, pa.string()),
        spread("007", "7", "8", "9"),
        pa.array(["word"] * 12 + ["007"] * 12 + ["7"] * 16),
        pa.array(["word"] * 24 + ["7"] * 16),
    ],
    ids=["no numbers", "no words", "codes", "fewer words than codes and numbers", "more words"],
)
@pytest.mark.parametrize("rows", [1, 5, ROWS])
def test_the_same_columns_are_mostly_numbers(column, rows):
    seen, _ = seen_by_batches(column, rows)
    assert seen.mostly_numbers == Table(pa.table({"pay": column})).mostly_numbers("pay")
