"""One rule says whether a column is one of numbers, for a whole table and batch by batch."""

from functools import reduce

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.memory.rows import MemoryRows
from shoal.table.columns.mostly_numbers import mostly_numbers
from shoal.table.columns.number_summary import NumberSummary, summarize_numbers
from shoal.table.table import Table

CELLS = st.sampled_from(["7", "12.5", "-3", "1e3", "007", "n/a", "x", "", None])


@given(st.lists(CELLS, min_size=1, max_size=12), st.integers(1, 4))
def test_batches_decide_as_the_whole_table_does(cells: list[str | None], size: int) -> None:
    table = pa.table({"pay": pa.array(cells, pa.string())})
    batches = [MemoryRows.of(Table(table.slice(at, size))).table for at in range(0, len(cells), size)]
    found = reduce(NumberSummary.joined, [summarize_numbers(batch, "pay") for batch in batches])
    assert found.mostly_numbers == Table(table).mostly_numbers("pay")


@pytest.mark.parametrize(
    ("there", "others", "text", "codes", "expected"),
    [
        (0, 0, True, False, False),  # nothing is said of it
        (0, 0, False, False, True),  # an empty column of numbers stays one
        (4, 0, True, True, False),  # codes with leading zeros
        (4, 2, True, False, False),  # half of them
        (5, 2, True, False, True),
    ],
)
def test_less_than_half_may_be_something_else(
    there: int, others: int, text: bool, codes: bool, expected: bool
) -> None:
    assert mostly_numbers(there, others, text=text, codes=codes) is expected
