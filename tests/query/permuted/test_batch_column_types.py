"""A table in batches gets the types of the whole, however it is cut."""

from datetime import date
from decimal import Decimal
from functools import reduce
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.query.permuted.batch_column_types import column_evidence, join_evidence, typed_batch
from shoal.query.permuted.column_types import exact_column, typed_table
from shoal.table.columns.spelling import table_in_one_spelling, words_by_value
from tests.draws import draws

WRITTEN = [
    "0", "7", "-3", "1.50", "0.125", "1e-3", "2E5", "-0", "-0.0", "+5", " 5", "5.", ".5", "", " ", "007",
    "nan", "inf",
    "word", "2024-02-29", "2024-02-30", "0.12345678901234567", "123.45678901234567", "0.1234567890123456789",
    "0.012345678901234567", "0.0123456789012345678", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "99999999999999999999", "1234567890123456", "1234567890123456.5", "0.000001",
    "1000000000000000000", "+0.12345678901234567", " 123.45678901234567", None,
]  # fmt: skip
NEAR = [
    "0",
    "1.5",
    "0.12345678901234567",
    "123.45678901234567",
    "1e-3",
    "1234567.25",
    "0.000001",
    "12345678901",
]
FLOATS = [
    0.0,
    0.1,
    0.123456789,
    1234567.5,
    0.1234567891,
    12345678901.5,
    1e-13,
    1 / 3,
    1e15,
    2e15,
    float("nan"),
]
POOLS = {
    "written": (pa.string(), WRITTEN),
    "near": (pa.string(), NEAR),
    "near, or missing": (pa.string(), [*NEAR, None]),
    "floats": (pa.float64(), FLOATS),
    "floats that are there": (pa.float64(), FLOATS[:-3]),
    "short floats": (pa.float32(), [0.1, 0.3, 1234.5, 0.123456, 7.0]),
    "whole": (pa.int64(), [0, 5, 2**63 - 1, -(2**63), None]),
    "unsigned": (pa.uint64(), [0, 5, 2**63]),
    "decimals": (pa.decimal128(38, 6), [Decimal("0.000001"), Decimal(10) ** 13, Decimal("1.5"), Decimal(4)]),
    "dates": (pa.date32(), [date(2024, 1, 1), date(1999, 12, 31), None]),
    "yes or no": (pa.bool_(), [True, False, None]),
}


def in_memory(table: pa.Table, sensitive: tuple[str, ...]) -> tuple[pa.Table, list[bool]]:
    """As `write_database` types them, and which columns lie in order."""
    found = table_in_one_spelling(typed_table(table))
    exact = [exact_column(found[name]) for name in sensitive]
    for name, cells in zip(sensitive, exact, strict=True):
        if cells is not None:
            found = found.set_column(found.column_names.index(name), name, cells)
    for at, name in enumerate(found.column_names):
        found = found.set_column(at, name, words_by_value(found[name]))
    return found, [cells is not None for cells in exact]


def assert_typed_as_in_memory(cells: pa.Array, ends: list[int]) -> None:
    table, listed = pa.table({"asked": cells, "other": cells}), ("asked",)
    places = sorted({0, len(table), *(end % len(table) for end in ends)})
    batches = [table.slice(start, end - start) for start, end in pairwise(places)]
    kinds = reduce(join_evidence, (column_evidence(batch, listed) for batch in batches))
    found = pa.concat_tables(typed_batch(kinds, batch) for batch in batches)
    expected, lies = in_memory(table, listed)
    assert found.schema == expected.schema
    for name in table.column_names:
        assert str(found[name].to_pylist()) == str(expected[name].to_pylist())
    assert [kinds["asked"].lies is not None] == lies


@pytest.mark.parametrize(
    "cells",
    [
        ["0.12345678901234567", "123.45678901234567"],
        [0.123456789, 1234567.5],
        [0.1234567891, 12345678901.5],
        [1.5, float("nan")],
        ["1e-3", "1234567890123456"],
        ["0.0123456789012345678", "0.012345678901234567"],
    ],
)
def test_what_decides_may_stand_in_another_batch(cells: list[Any]) -> None:
    assert_typed_as_in_memory(pa.array(cells), [1])
    assert_typed_as_in_memory(pa.array(cells[::-1]), [1])


@draws(2000)
@given(st.data(), st.sampled_from(sorted(POOLS)), st.lists(st.integers(0, 30), max_size=3))
def test_any_batches_have_the_types_of_the_whole(data: Any, pool: str, ends: list[int]) -> None:
    kind, cells = POOLS[pool]
    drawn = data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=5))
    assert_typed_as_in_memory(pa.array(drawn, kind), ends)
