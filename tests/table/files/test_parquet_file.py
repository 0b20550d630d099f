"""Parquet files of a few kilobytes that stand for tables beyond all memory."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.files.limits import Limits
from shoal.table.read import read_table

MEGABYTE = 1_000_000
SMALL = Limits(bytes=MEGABYTE, cells=100_000, columns=100)


def refusal(path: Path) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(path, SMALL)
    return str(refused.value)


def test_many_equal_rows_are_refused_by_the_footer(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": np.zeros(2_000_000, np.int64)}), path, compression="zstd")
    assert path.stat().st_size < 20_000
    assert "t.parquet has more than 100,000 cells" in refusal(path)


def test_a_long_text_that_is_repeated_is_refused_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(50_000, np.int32)), pa.array(["x" * 1000]))
    parquet.write_table(pa.table({"a": words}), path, store_schema=False)
    assert path.stat().st_size < 20_000
    assert "t.parquet holds more than 1 MB" in refusal(path)


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({f"c{place}": [1] for place in range(101)}), path)
    assert "t.parquet has more than 100 columns" in refusal(path)


@pytest.mark.parametrize("row_groups", [1, 7])
def test_rows_come_back_in_their_order(row_groups: int, tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(20_000), "b": [f"w{row % 9}" for row in range(20_000)]})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=20_000 // row_groups)
    assert read_table(tmp_path / "t.parquet").arrow.equals(table)


@pytest.mark.parametrize("place", range(4, 80, 3))
def test_a_footer_that_lies_gives_the_table_or_a_refusal(place: int, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": np.arange(500), "b": ["x"] * 500}), path, store_schema=False)
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[footer + place] ^= 0x55
    path.write_bytes(content)
    assert told(path) in ("500 rows", "refused")


def told(path: Path) -> str:
    try:
        return f"{len(read_table(path, SMALL))} rows"
    except ShoalError:
        return "refused"
