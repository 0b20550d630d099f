"""Columns of text that are parsed once are the same columns afterwards."""

import pyarrow as pa
import pytest

from shoal.anonymizer.parts.parsed_text import parsed_text
from shoal.engines.memory.rows import MemoryRows
from shoal.table.columns.number_summary import summarize_numbers
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.numbers import numbers_from_arrow
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table


def parsed(cells, words=()):
    rows = MemoryRows.of(Table(pa.table({"cell": cells}), SourceLines(2)))
    return parsed_text(rows, ["cell"], words)


@pytest.mark.parametrize(
    "cells",
    [
        ["7", "0", "-3"],
        ["1.50", "2", None],
        ["1e3", "0.125"],
        ["0.1", "0.12345678901234567"],
        ["3", " ", "5"],
    ],
)
def test_numbers_are_the_same_on_the_same_scale(cells):
    text, found = pa.chunked_array([cells]), parsed(cells).table.column("cell")
    assert not pa.types.is_string(found.type)
    before, after = numbers_from_arrow(text), numbers_from_arrow(found)
    assert after.units.tolist() == before.units.tolist()
    assert after.missing.tolist() == before.missing.tolist()
    assert (after.scale, after.exact, after.floats) == (before.scale, before.exact, before.floats)
    rows = pa.table({"cell": text, ROW: range(len(cells))})
    assert (
        summarize_numbers(parsed(cells).table, "cell").scaled_numbers()
        == summarize_numbers(rows, "cell").scaled_numbers()
    )


@pytest.mark.parametrize(
    "cells", [["1", "x"], ["007"], [None, None], ["1,5", "2,5"], ["99999999999999999999"]]
)
def test_what_is_no_column_of_numbers_stays_text(cells):
    assert parsed(pa.array(cells, pa.string())).table.column("cell").to_pylist() == cells


def test_many_rows_of_few_words_have_the_numbers_of_their_words():
    cells = ["b", "a", None, "a"] * 2500
    found = parsed(cells).table.column("cell")
    assert pa.types.is_dictionary(found.type)
    assert found.to_pylist() == cells


def test_numbers_that_a_hierarchy_takes_as_words_stay_words():
    assert parsed(["1", "2"], words=["cell"]).table.column("cell").to_pylist() == ["1", "2"]


def test_rows_stand_where_they_stood():
    assert parsed(["1", "2"]).lines == SourceLines(2)
