"""Files of SPSS, Stata and SAS read like the CSV file of the same table."""

import datetime
import gzip
import os
import struct
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.table_size import bytes_needed
from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.labels import labels_of
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.study import study_file, study_kinds
from shoal.table.files.study.study_file import first_rows_of_study, study_size
from shoal.table.profile.preview import preview
from shoal.table.read import read_table
from tests.draws import draws

WRITERS = {
    ".sav": pyreadstat.write_sav,
    ".zsav": lambda frame, path, **more: pyreadstat.write_sav(frame, path, compress=True, **more),
    ".dta": pyreadstat.write_dta,
    ".xpt": pyreadstat.write_xport,
}
ENDINGS = pytest.mark.parametrize("ending", WRITERS)
FRAME = pl.DataFrame(
    {
        "sex": [1.0, 2.0, None, 1.0],
        "pay": [1200.5, 900.0, 1e6, None],
        "town": ["Zürich", None, "Bern", "007"],
        "born": [datetime.date(1999, 12, 31), None, datetime.date(1931, 1, 1), datetime.date(2020, 2, 29)],
    }
)
AS_TEXT = pa.table(
    {
        "sex": pa.array([1, 2, None, 1]),
        "pay": pa.array([1200.5, 900.0, 1e6, None]),
        "town": ["Zürich", None, "Bern", "007"],
        "born": ["1999-12-31", None, "1931-01-01", "2020-02-29"],
    }
)


@pytest.fixture(params=WRITERS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"people{request.param}"
    WRITERS[request.param](FRAME, path)
    return path


def test_codes_are_whole_numbers_and_dates_are_iso_text(file: Path) -> None:
    assert read_table(file).arrow.equals(AS_TEXT)


def test_batches_hold_the_same_rows_however_few_are_read_at_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_file, "CELLS_AT_ONCE", 8)  # two rows of four cells
    batches = batches_of(file)
    for rows_at_once in (1, 3, 100):
        assert pa.concat_tables(batches.read(rows_at_once)).equals(AS_TEXT)
    assert batches.schema.equals(AS_TEXT.schema)
    assert batches.rows in (4, None)


def test_the_first_rows_are_shown_without_the_others(file: Path) -> None:
    assert first_rows_of_study(file, UNLIMITED, 1).num_rows == 1
    assert preview(file, rows=1).rows == (("1", "1200.5", "Zürich", "1999-12-31"),)


def test_the_size_is_known_without_reading(file: Path) -> None:
    columns, rows = study_size(file)
    assert columns == 4
    assert rows == (None if file.suffix == ".xpt" else 4)
    assert bytes_needed(file) > 400_000_000


def test_a_folder_of_files_is_one_table(tmp_path: Path) -> None:
    for name in ("a.sav", "b.sav"):
        pyreadstat.write_sav(FRAME, tmp_path / name)
    assert batches_of(tmp_path).rows == 8
    assert pa.concat_tables(batches_of(tmp_path).read(100)).num_rows == 8


def test_codes_that_are_declared_missing_are_missing_cells(tmp_path: Path) -> None:
    frame = pl.DataFrame({"income": [10.0, -9.0, 98.0, 3.0], "vote": ["a", "x", "b", "c"]})
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(frame, path, missing_ranges={"income": [-9, {"lo": 97, "hi": 99}], "vote": ["x"]})
    assert read_table(path).arrow.to_pydict() == {
        "income": [10, None, None, 3],
        "vote": ["a", None, "b", "c"],
    }


def test_tagged_missing_numbers_of_stata_are_missing_cells(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"income": [10.0, "a", 3.5]}, dtype=object)
    pyreadstat.write_dta(frame, tmp_path / "t.dta", missing_user_values={"income": ["a"]})
    assert read_table(tmp_path / "t.dta").arrow["income"].to_pylist() == [10.0, None, 3.5]


def test_times_are_iso_text(tmp_path: Path) -> None:
    moments = [datetime.datetime(1999, 12, 31, 23, 59, 58), datetime.datetime(1900, 1, 1)]
    frame = pl.DataFrame({"at": moments, "time": [datetime.time(1, 2, 3), None]})
    for ending in (".sav", ".dta"):
        WRITERS[ending](frame, tmp_path / f"t{ending}")
        found = read_table(tmp_path / f"t{ending}").arrow.to_pydict()
        assert found == {"at": ["1999-12-31 23:59:58", "1900-01-01 00:00:00"], "time": ["01:02:03", None]}


def test_single_precision_is_compared_in_its_own(tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "t.dta"
    pd.DataFrame({"pay": [0.1, 0.2]}, dtype="float32").to_stata(path, write_index=False)
    assert read_table(path).numbers("pay").units.tolist() == [1, 2]


@pytest.mark.parametrize("ending", [".sav", ".dta"])
@draws(300)
@given(
    numbers=st.lists(st.none() | st.integers(-(10**15), 10**15), min_size=1, max_size=9),
    floats=st.none() | st.floats(-1e9, 1e9),
)
def test_numbers_come_back_as_they_were(
    ending: str, numbers: list[int | None], floats: float | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / f"t{ending}"
    frame = pl.DataFrame(
        {"whole": numbers, "real": [floats] * len(numbers)}, {"whole": pl.Float64, "real": pl.Float64}
    )
    WRITERS[ending](frame, path)
    with pytest.MonkeyPatch.context() as patch:  # another process looks at every file, which takes a while
        patch.setattr(study_kinds, "_can_be_read", lambda *_: True)
        found = read_table(path).arrow.to_pydict()
    assert found["whole"] == numbers
    assert found["real"] == [floats] * len(numbers)


@ENDINGS
@pytest.mark.parametrize("content", ["cut", "random", "empty", "text", "pdf", "archive"])
def test_what_is_no_such_file_is_refused_without_a_cell(ending: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / f"people{ending}"
    WRITERS[ending](pl.concat([FRAME] * 99), path)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "cut": whole[: len(whole) * 2 // 3 + 1],
            "random": os.urandom(5000),
            "empty": b"",
            "text": b"sex,pay\n1,1200\n" * 99,
            "pdf": b"%PDF-1.7" + whole,
            "archive": b"PK\x03\x04" + whole,
        }[content]
    )
    for read in (read_table, batches_of, study_size, preview):
        if content == "cut" and read in (study_size, preview):
            continue  # they look at its beginning
        with pytest.raises(ShoalError, match="people") as refused:
            read(path)
        assert "1200" not in str(refused.value)
        assert "Zürich" not in str(refused.value)


def test_a_file_that_would_end_the_process_is_refused(tmp_path: Path) -> None:
    """Labels of a column that is not there: the library reads from nowhere."""
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(FRAME, path, variable_value_labels={"sex": {1: "man"}})
    of_first, of_none = (struct.pack("<3i", 4, 1, column) for column in (1, 2**28))
    path.write_bytes(path.read_bytes().replace(of_first, of_none))
    for read in (read_table, batches_of, labels_of):
        with pytest.raises(ShoalError, match=r"t\.sav cannot be read as an SPSS file"):
            read(path)


def test_a_packed_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.sav.gz").write_bytes(gzip.compress(b"$FL2"))
    with pytest.raises(ShoalError, match="is gzip, not an SPSS file"):
        read_table(tmp_path / "t.sav.gz")


def test_an_encrypted_file_is_told_by_its_start(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    path.write_bytes(b"\x1c" + bytes(7) + b"ENCRYPTEDSAV\x15" + bytes(99))
    with pytest.raises(ShoalError, match="an SPSS file with a password"):
        read_table(path)


@pytest.mark.parametrize(("ending", "as_text"), [(".sav", ".dta"), (".dta", ".sav"), (".xpt", ".sas7bdat")])
def test_a_file_of_another_program_is_told_apart(ending: str, as_text: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{as_text}"
    WRITERS[ending](FRAME, path)
    with pytest.raises(ShoalError, match=f"let its name end in .*{ending}"):
        read_table(path)


def test_a_head_that_promises_endless_rows_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(FRAME, path)
    content = bytearray(path.read_bytes())
    content[80:84] = (10**9).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ShoalError, match=r"t\.sav has more than"):
        read_table(path, Limits(bytes=10**9, cells=10**8))
    with pytest.raises(ShoalError, match="cut off"):
        batches_of(path)


def test_a_table_beyond_the_limits_is_refused(file: Path) -> None:
    with pytest.raises(ShoalError, match="has more than 10 cells"):
        read_table(file, Limits(bytes=10**9, cells=10))
    with pytest.raises(ShoalError, match="has more than 3 columns"):
        read_table(file, Limits(bytes=10**9, cells=10**9, columns=3))


def test_the_missing_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ShoalError, match=r"pip install 'shoal\[study\]'"):
        read_table(file)


@pytest.mark.skipif(
    "SHOAL_SAS_EXAMPLES" not in os.environ, reason="no program here writes .sas7bdat: name a folder"
)
def test_examples_of_sas_are_read() -> None:
    """Any folder of files that SAS has written: their rows are as many as they say."""
    examples = sorted(Path(os.environ["SHOAL_SAS_EXAMPLES"]).glob("*.sas7bdat"))
    assert examples
    for path in examples:
        assert len(read_table(path)) == study_size(path)[1]
