"""Cells of every kind are the same exact numbers, alone and in a table."""

from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.table.rules.exact_numbers import Fractions, cells_of


def test_numbers_of_every_type_are_what_is_written():
    for cells in (["0.1"], [0.1], [Decimal("0.10")], np.array([0.1], np.float32), ["1e-1"]):
        found = Fractions.of(pa.chunked_array([pa.array(cells)]))
        assert (found.top[0], found.bottom) == (1, 10)


def test_what_is_missing_and_what_is_no_number_are_told_apart():
    found = Fractions.of(pa.chunked_array([["1", None, "", "nan", "x", "01", "inf", "1e9999"]]))
    assert found.missing.tolist() == [False, True, True, True, False, False, False, False]
    assert found.odd.tolist() == [False] * 4 + [True] * 4


def test_numbers_become_cells_of_any_type_again():
    units, missing = np.array([250, 0], object), np.array([False, True])
    assert cells_of(units, 2, missing, pa.string()).to_pylist() == ["2.5", None]
    assert cells_of(units, 2, missing, pa.float64()).to_pylist() == [2.5, None]
    assert cells_of(units, 2, missing, pa.decimal128(38, 2)).to_pylist() == [Decimal("2.50"), None]


def test_numbers_beyond_64_bits_become_cells_as_well():
    units, missing = np.array([25 * 10**30], object), np.array([False])
    assert cells_of(units, 30, missing, pa.string()).to_pylist() == ["25"]
    many = np.array([int("123456789" * 4)], object)
    assert cells_of(many, 10, missing, pa.string()).to_pylist() == ["12345678912345678912345678.9123456789"]
    assert cells_of(units, 31, missing, pa.float64()).to_pylist() == [2.5]
    assert cells_of(units, 30, missing, pa.int64()).to_pylist() == [25]
    assert cells_of(units, 30, missing, pa.decimal128(38, 3)).to_pylist() == [Decimal("25.000")]
