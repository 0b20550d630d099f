import datetime
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.release.export import excel_export
from shoal.release.export.export import export_table
from shoal.release.export.export_form import ExportForm
from tests.release.export.people import PUBLISHED, rows_of

PLAIN = ExportForm()


def test_words_are_never_formulas_links_or_numbers(tmp_path: Path) -> None:
    words = ["=1+1", "http://a.b", "{=SUM(A1)}", "007", "1e5 ", "_x0041_", "a\x01b", "-x", "TRUE"]
    export_table(pa.table({"w": words}), tmp_path / "t.xlsx", PLAIN, force=False)
    assert rows_of(tmp_path / "t.xlsx") == {"w": words}


def test_days_that_excel_does_not_count_right_stay_text(tmp_path: Path) -> None:
    days = pa.table({"old": ["1899-12-31", "2000-01-01"], "new": ["1900-03-01", None]})
    export_table(days, tmp_path / "t.xlsx", PLAIN, force=False)
    found = rows_of(tmp_path / "t.xlsx")
    assert found == {"old": ["1899-12-31", "2000-01-01"], "new": [datetime.date(1900, 3, 1), None]}


def test_real_numbers_come_out_in_fifteen_digits(tmp_path: Path) -> None:
    reals = np.random.default_rng(3).normal(0, 1, 2000) * 10.0 ** np.random.default_rng(4).integers(
        -9, 9, 2000
    )
    export_table(pa.table({"x": reals}), tmp_path / "t.xlsx", PLAIN, force=False)
    assert np.allclose(rows_of(tmp_path / "t.xlsx")["x"], reals, rtol=1e-14, atol=0)


def test_rows_at_the_end_may_be_empty(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(["1", None, None]), "b": pa.array([None, "x", None])})
    assert export_table(table, tmp_path / "t.xlsx", PLAIN, force=False).records == 3


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_ROWS", "at most 59 rows below its names, and the release 60"),
        ("MOST_COLUMNS", "at most 8 columns"),
        ("MOST_LETTERS", "column 'age' has 15 cells of more than 7 letters, which Excel does not hold"),
    ],
)
def test_what_is_larger_than_a_sheet_is_refused_first(
    limit: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel_export, limit, {"MOST_ROWS": 60, "MOST_COLUMNS": 8, "MOST_LETTERS": 7}[limit])
    with pytest.raises(ShoalError, match=message):
        export_table(PUBLISHED, tmp_path / "t.xlsx", PLAIN, force=False)
    assert list(tmp_path.iterdir()) == []


def test_the_longest_text_of_a_cell_is_held(tmp_path: Path) -> None:
    export_table(pa.table({"a": ["x" * 32_767]}), tmp_path / "t.xlsx", PLAIN, force=False)


@pytest.mark.parametrize("package", ["xlsxwriter", "python_calamine"])
def test_the_missing_extra_is_named(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ShoalError, match=r"pip install 'shoal\[excel\]'"):
        export_table(PUBLISHED, tmp_path / "t.xlsx", PLAIN, force=False)
    assert list(tmp_path.iterdir()) == []


def test_batches_of_rows_are_one_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel_export, "ROWS_AT_ONCE", 7)
    export_table(PUBLISHED, tmp_path / "t.xlsx", PLAIN, force=False)
    assert rows_of(tmp_path / "t.xlsx")["town"] == PUBLISHED["town"].to_pylist()
