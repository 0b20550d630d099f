"""Proposed hierarchies: round, nested, fit for the column, and without a cell in them."""

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.policy.draft.draft_policy import draft_policy
from shoal.policy.draft.hierarchy_proposals import (
    hierarchy_files,
    interval_widths,
    propose_hierarchies,
    with_known_columns,
)
from shoal.table.profile.profile import profile
from shoal.table.table import Table

ROUND = {(1,), (2,), (5,)}


def proposed(name, cells, **more):
    table = Table(pa.table({name: cells} | more))
    return propose_hierarchies(table, profile(table), {}, Path()).get(name)


@given(st.decimals(Decimal("0.01"), 10**9, places=2), st.booleans())
def test_widths_are_round_and_lie_in_each_other(span, whole):
    widths = interval_widths(Decimal(int(span) + 1) if whole else span, whole)
    assert 1 <= len(widths) <= 3
    assert all(width.normalize().as_tuple().digits in ROUND for width in widths)
    assert all(wide % narrow == 0 and wide > narrow for narrow, wide in pairwise(widths))
    if whole:
        assert all(width == int(width) >= 2 for width in widths)


@pytest.mark.parametrize(
    ("span", "widths"),
    [
        (73, [5, 10, 20]),
        (100, [5, 10, 20]),
        (1000, [50, 100, 200]),
        (9, [2]),
        (250_000, [10_000, 20_000, 100_000]),
    ],
)
def test_about_twenty_eight_and_four_ranges(span, widths):
    assert interval_widths(Decimal(span), whole=True)[: len(widths)] == widths


def test_dates_in_other_notations_get_a_word_and_no_hierarchy():
    found = proposed(
        "Geburtsdatum", [f"{day:02}.05.19{year}" for day in range(1, 29) for year in range(50, 60)]
    )
    assert (found.kind, found.works) == ("dates", False)
    assert "2011-05-17" in found.why


def test_german_postal_codes_are_starred():
    assert proposed("Postleitzahl", [f"0{1000 + row}" for row in range(60)]).kind == "mask"
    assert proposed("PLZ", list(range(10_000, 10_060))).kind == "mask"


def test_ages_get_intervals():
    assert proposed("age", list(range(18, 91))).toml == "{ intervals = [5, 10, 20] }"


def test_decimals_get_intervals_too():
    assert (
        proposed("age", [f"{row / 100:.2f}" for row in range(100)]).toml == "{ intervals = [0.05, 0.1, 0.2] }"
    )


def test_one_giant_does_not_widen_the_intervals():
    assert proposed("age", [*range(18, 91), 1_000_000]).toml == "{ intervals = [5, 10, 20] }"


def test_few_numbers_and_few_words_need_none():
    assert proposed("age", [1, 2, 3, 4] * 20) is None
    assert proposed("sex", ["f", "m"] * 20) is None


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("zip", [f"0{row:04}" for row in range(50)]),
        ("zip", list(range(10_000, 10_050))),
        ("postcode", ["SW1A 1AA", "M1 1AE"] * 5),
        ("birth_number", [f"00{row:04}" for row in range(50)]),
    ],
)
def test_codes_are_masked(name, cells):
    assert proposed(name, cells).toml == '{ mask = "right" }'


@pytest.mark.parametrize(
    ("years", "parts"),
    [
        (range(2010, 2013), '"month", "quarter", "year"'),
        (range(1930, 2000), '"month", "year", "decade"'),
    ],
)
def test_dates_are_grouped_by_their_span(years, parts):
    cells = [f"{year}-0{1 + year % 9}-11" for year in years] * 2
    assert proposed("birth", cells).toml == f"{{ dates = [{parts}] }}"
    as_dates = pa.array(cells).cast(pa.date32())
    assert proposed("birth", as_dates).toml == f"{{ dates = [{parts}] }}"


def test_words_of_which_many_are_rare_are_grouped_by_frequency():
    cells = [*["Ulm"] * 900, *[f"Town-{row}" for row in range(100)]]
    assert proposed("country", cells).toml == "{ frequency = [0.01, 0.05] }"


def test_words_that_are_all_frequent_are_not():
    assert proposed("country", [f"Land-{row % 12}" for row in range(1200)]) is None


@pytest.mark.parametrize("odd", ["", "nan"])
def test_a_missing_cell_has_a_range_of_its_own(odd):
    assert proposed("age", [*map(str, range(18, 91)), odd]).toml == "{ intervals = [5, 10, 20] }"


def test_only_quasi_columns_get_one():
    assert proposed("name", [f"{row:05}" for row in range(50)]) is None


def test_a_draft_shows_no_cell():
    cells = [f"7310{row:03}" for row in range(40)]
    table = Table(pa.table({"zip": cells, "birth": [f"19{row + 40}-03-07" for row in range(40)]}))
    found = profile(table)
    text = draft_policy(found, "t.csv", propose_hierarchies(table, found, {}, Path()))
    assert not any(cell in text for cell in [*cells, "03-07", "7310"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "adult_hierarchy_Marital-Status.csv").write_text("single;*\nmarried;*\n")
    (tmp_path / "tree" / "town.csv").write_text("Ulm;south;*\n")
    (tmp_path / "tree" / "job.csv").write_text("a;x;*\na;y;*\n")
    return tmp_path / "tree"


TABLE = Table(
    pa.table(
        {"marital_status": ["single", "married"] * 3, "town": ["Ulm", "Kiel"] * 3, "job": ["a", "b"] * 3}
    )
)


def test_files_are_found_by_the_names_of_columns(folder):
    files = hierarchy_files(folder, TABLE.names)
    assert {name: file.name for name, file in files.items()} == {
        "marital_status": "adult_hierarchy_Marital-Status.csv",
        "town": "town.csv",
        "job": "job.csv",
    }


def test_a_column_with_a_file_is_quasi_and_refers_to_it(folder):
    files = hierarchy_files(folder, TABLE.names)
    found = with_known_columns(profile(TABLE), files)
    assert {column.guess for column in found.columns} == {"quasi"}
    proposals = propose_hierarchies(TABLE, found, files, folder.parent)
    assert proposals["marital_status"].toml == '"tree/adult_hierarchy_Marital-Status.csv"'
    assert proposals["marital_status"].works


def test_a_file_that_does_not_fit_is_a_comment_that_says_why(folder):
    files = hierarchy_files(folder, TABLE.names)
    found = with_known_columns(profile(TABLE), files)
    text = draft_policy(found, "t.csv", propose_hierarchies(TABLE, found, files, folder.parent))
    assert '# town = "tree/town.csv"   # cannot be used: lacks 1 of the column\'s values' in text
    assert "# job = \"tree/job.csv\"   # cannot be used: the hierarchy of 'job' maps 1 value" in text
    assert "Kiel" not in text


def test_a_folder_without_files_for_columns_is_refused(tmp_path):
    with pytest.raises(ShoalError, match="is named after a column"):
        hierarchy_files(tmp_path, ["age"])
    with pytest.raises(ShoalError, match="there is no folder"):
        hierarchy_files(tmp_path / "nowhere", ["age"])
