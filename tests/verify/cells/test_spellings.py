"""Values in several spellings, counted in memory and beyond it."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.spellings import spare_spellings
from shoal.verify.parts.spare_spellings import spare_spellings_in_rows
from shoal.verify.parts.verify_rows import ways_to_read

POLICY = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
VALUES = {
    "one to five": ["[1, 5]", "[1,5]", "[1.0, 5]", "1-5", "1..5"],
    "one": ["1", "1.0", "+1"],
    "seven": ["7", "7.00"],
    "any": ["*"],
}
WORDS = {
    "both": ["{A, B}", "{B, A}", "{A,B}"],
    "a word": ["A", "{A}", '{"A"}'],
    "a code": ["007"],
    "a number": ["7", "7.0"],
}


def beyond_memory(cells: list[str]) -> dict[str, int]:
    """In batches of a few rows."""
    disk = DiskEngine(10**9, Path(tempfile.gettempdir()), RowProgress(lambda *_: None), most=4)
    rows = disk.read(pa.table({"age": cells}))
    return spare_spellings_in_rows(rows, ["age"], ways_to_read(rows, POLICY))


@pytest.mark.parametrize("values", [VALUES, WORDS])
def test_every_spelling_but_the_first_of_a_value_is_one_too_many(values: dict[str, list[str]]) -> None:
    meaning = {cell: value for value, cells in values.items() for cell in cells}

    @given(st.lists(st.sampled_from(sorted(meaning)), max_size=12))
    def holds(drawn: list[str]) -> None:
        cells = [*drawn, "A" if values is WORDS else "7"]  # says whether it is a column of words
        spare = len(set(cells)) - len({meaning[cell] for cell in cells})
        expected = {"age": spare} if spare else {}
        assert spare_spellings(Table(pa.table({"age": cells})), ["age"]) == expected
        assert beyond_memory(cells) == expected

    holds()


def test_floats_of_parquet_have_one_spelling_in_fifteen_digits() -> None:
    table = Table(pa.table({"age": [0.3, 0.1 + 0.2, 0.5], "pay": [1, 2, 3]}))
    assert spare_spellings(table, ["age", "pay"]) == {"age": 1}
    disk = DiskEngine.with_memory(10**9, watched=RowProgress(lambda *_: None))
    rows = disk.read(table.arrow)
    assert spare_spellings_in_rows(rows, ["age", "pay"], ways_to_read(rows, POLICY)) == {"age": 1}
