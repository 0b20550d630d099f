from pathlib import Path

import polars as pl
import pyreadstat
import pytest

from shoal.errors import ShoalError
from shoal.table.files.labels import ColumnLabels, labels_of

FRAME = pl.DataFrame({"sex": [1.0, 2.0], "vote": ["a", "b"], "pay": [1.5, -9.0]})


def test_titles_labels_and_missing_codes_are_read_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        FRAME,
        path,
        column_labels={"sex": "Sex of the person"},
        variable_value_labels={"sex": {1: "man", 2: "woman"}, "vote": {"a": "yes"}},
        missing_ranges={"pay": [-9, {"lo": 97, "hi": 99}], "vote": ["x"]},
    )
    assert labels_of(path) == {
        "sex": ColumnLabels("Sex of the person", {1: "man", 2: "woman"}),
        "vote": ColumnLabels("", {"a": "yes"}, (("x", "x"),)),
        "pay": ColumnLabels("", {}, ((97, 99), (-9, -9))),
    }


def test_a_letter_that_tags_a_missing_number_is_no_code(tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "t.dta"
    pyreadstat.write_dta(
        pd.DataFrame({"pay": [1.0, "a"]}, dtype=object),
        path,
        missing_user_values={"pay": ["a"]},
        variable_value_labels={"pay": {1: "one", "a": "refused"}},
    )
    assert labels_of(path)["pay"] == ColumnLabels("", {1: "one"})


def test_a_transport_file_has_titles(tmp_path: Path) -> None:
    pyreadstat.write_xport(FRAME, tmp_path / "t.xpt", column_labels={"sex": "Sex"})
    assert labels_of(tmp_path / "t.xpt")["sex"] == ColumnLabels("Sex")


def test_a_file_of_another_kind_has_no_labels(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n1\n")
    with pytest.raises(ShoalError, match=r"t\.csv is no file with labels"):
        labels_of(tmp_path / "t.csv")
    with pytest.raises(ShoalError, match="there is no file"):
        labels_of(tmp_path / "t.sav")
