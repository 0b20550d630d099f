"""The data file: what is written is what is read, to the letter, in CSV and in Parquet."""

import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.files.data_file import FORMATS, read_data, write_data
from tests.draws import draws

IN_BOTH_FORMATS = pytest.mark.parametrize("format", FORMATS)
TRICKY = "=+-@\t\r\n'\"0,;1 []*"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text(TRICKY, max_size=8)
NAME = TEXT.filter(lambda name: name.strip("\ufeff ") and name != "key")


@st.composite
def text_tables(draw: st.DrawFn) -> pa.Table:
    """Some text columns, with missing cells, behind a plain first column."""
    rows = draw(st.integers(1, 4))
    cells = st.lists(st.none() | TEXT, min_size=rows, max_size=rows)
    columns = draw(st.dictionaries(NAME, cells, min_size=1, max_size=3))
    texts = {name: pa.array(column, pa.string()) for name, column in columns.items()}
    return pa.table({"key": [str(row) for row in range(rows)], **texts})


def ranges(low: list[Any], high: list[Any], kind: Any = None) -> pa.StructArray:
    return pa.StructArray.from_arrays([pa.array(low, kind), pa.array(high, kind)], names=["lo", "hi"])


@IN_BOTH_FORMATS
@draws(200)
@given(table=text_tables())
def test_any_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, format: str, table: pa.Table
) -> None:
    path = tmp_path_factory.getbasetemp() / f"round-trip.{format}"
    write_data(table, path)
    back = read_data(path)
    assert back.names == table.column_names
    assert back.arrow.to_pydict() == table.to_pydict()


@draws(200)
@given(table=text_tables())
def test_no_text_cell_looks_like_a_formula(tmp_path_factory: pytest.TempPathFactory, table: pa.Table) -> None:
    path = tmp_path_factory.getbasetemp() / "formulas.csv"
    write_data(table, path)
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert len(cells) == table.num_columns * (table.num_rows + 1)
    for cell in cells:
        assert not cell.startswith(("=", "@", "\t", "\r"))
        if cell.startswith(("+", "-")):
            assert float(cell) is not None


@IN_BOTH_FORMATS
def test_empty_text_is_written_as_such_and_read_as_missing(tmp_path: Path, format: str) -> None:
    table = pa.table({"key": ["1", "2"], "remark": pa.array(["", None])})
    write_data(table, tmp_path / f"data.{format}")
    found = read_data(tmp_path / f"data.{format}")
    assert found.arrow.column("remark").to_pylist() == ["", None]
    assert found.column("remark").to_pylist() == [None, None]


def test_a_range_is_written_in_brackets_and_an_exact_value_as_itself(tmp_path: Path) -> None:
    table = pa.table({"pay": ranges([-10, 7, -5], [15, 7, -5]), "remark": ["=1+1", "-5", "x"]})
    write_data(table, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == (
        'pay,remark\n"[-10, 15]",\'=1+1\n7,-5\n-5,x\n'
    )  # neither numbers nor ranges are escaped


def test_decimals_keep_their_scale(tmp_path: Path) -> None:
    cells = ranges([Decimal("10.50"), Decimal("-1.00")], [Decimal("10.50"), Decimal("0.25")])
    write_data(pa.table({"pay": cells}), tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == 'pay\n10.50\n"[-1.00, 0.25]"\n'


def test_a_parquet_range_is_a_struct_of_its_ends(tmp_path: Path) -> None:
    table = pa.table({"pay": ranges([10, 7], [15, 7])})
    write_data(table, tmp_path / "data.parquet")
    schema = parquet.read_schema(tmp_path / "data.parquet")
    assert schema.field("pay").type == pa.struct([("lo", pa.int64()), ("hi", pa.int64())])
    assert read_data(tmp_path / "data.parquet").arrow.equals(table)


def test_columns_of_other_types_are_written_as_text(tmp_path: Path) -> None:
    table = pa.table(
        {
            "flag": [True, None],
            "share": [0.5, -2.0],
            "group": pa.array(["=a", "b"]).dictionary_encode(),
            "day": pa.array([0, 1], pa.date32()),
        }
    )
    write_data(table, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == (
        "flag,share,group,day\ntrue,0.5,'=a,1970-01-01\n,-2,b,1970-01-02\n"
    )


@pytest.mark.parametrize("column", [pa.array([[1, 2]]), pa.array([{"street": "x"}])])
def test_what_csv_cannot_hold_is_refused_with_a_way_out(tmp_path: Path, column: pa.Array) -> None:
    with pytest.raises(ShoalError, match=r"column 'parts' of type .* cannot be written as CSV") as caught:
        write_data(pa.table({"parts": column}), tmp_path / "data.csv")
    assert caught.value.faults[0].hint == "use --format parquet."


def test_long_tables_are_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"pay": ranges(list(range(10)), list(range(10))), "text": list("abcdefghij")})
    write_data(table, tmp_path / "data.csv")
    monkeypatch.setattr("shoal.table.files.data_file.ROWS_AT_ONCE", 3)
    write_data(table, tmp_path / "pieces.csv")
    assert (tmp_path / "pieces.csv").read_bytes() == (tmp_path / "data.csv").read_bytes()
