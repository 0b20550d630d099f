"""Cells that cannot be read are counted over all batches, with the lines that a table in memory names."""

import pytest

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.reading import Reading
from shoal.table.read import read_table
from shoal.table.rules.column_readers import ColumnReaders
from shoal.table.rules.date_spelling import DateSpelling
from shoal.table.rules.number_spelling import NumberSpelling

TYPES = Reading(
    multiline=("note",), rules=(ColumnReaders((("pay", NumberSpelling()), ("born", DateSpelling()))),)
)
ROWS = 40


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Remarks over several lines, and odd cells here and there; batches of a few rows."""
    monkeypatch.setattr("shoal.table.files.csv_file.BLOCK_BYTES", 100)
    monkeypatch.setattr("shoal.table.files.csv_blocks.BLOCK_BYTES", 100, raising=False)
    lines = ["pay,born,note"]
    for row in range(ROWS):
        pay = '"1,5"' if row in (3, 17, 30) else str(row)
        born = "31.12.1999" if row == 38 else "1999-12-31"
        lines.append(f'{pay},{born},"one\ntwo"' if row % 5 == 0 else f"{pay},{born},x")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def faults(read):
    with pytest.raises(ShoalError) as refused:
        read()
    return [fault.as_dict() for fault in refused.value.faults]


def test_the_faults_of_batches_are_those_of_memory(table):
    expected = faults(lambda: read_table(table, reading=TYPES))
    assert [fault["what"] for fault in expected] == [
        "column 'pay' has 3 of 40 cells that are not numbers as declared (decimal '.') (lines 6, 23, 38)",
        "column 'born' has 1 of 40 cells that are not dates as declared (ISO (2011-04-03)) (line 48)",
    ]
    found = batches_of(table, reading=TYPES)
    assert faults(lambda: list(found.read(3))) == expected


def test_a_frame_has_rows_in_place_of_lines(table):
    arrow = read_table(table, reading=Reading(multiline=("note",))).arrow
    expected = faults(lambda: read_table(arrow, reading=TYPES))
    assert "(rows 4, 18, 31)" in expected[0]["what"]
    assert faults(lambda: list(batches_of(arrow, reading=TYPES).read(3))) == expected


def test_no_cell_is_told(table):
    told = str(faults(lambda: read_table(table, reading=TYPES)))
    assert "1,5" not in told
    assert "31.12" not in told


def test_the_owner_can_see_the_cells_of_batches_as_in_memory(table):
    def cells(read):
        with pytest.raises(ShoalError) as refused:
            read()
        return [cell for fault in refused.value.faults for cell in fault.cells()]

    expected = cells(lambda: read_table(table, reading=TYPES))
    assert expected[0] == ("pay", 6, "1,5")
    assert cells(lambda: list(batches_of(table, reading=TYPES).read(3))) == expected
