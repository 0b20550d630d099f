"""The library chooses the engine by size, or takes the one that is named; the rows are the same."""

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.table.files.data_file import read_data

TABLE = pa.table({"age": [20 + row % 50 for row in range(400)], "pay": [row * 7 % 90 for row in range(400)]})
POLICY = shoal.Policy(
    columns={"age": "quasi", "pay": "other"},
    guarantees=[shoal.KAnonymity(k=5)],
    method={"name": "mondrian"},
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    from pyarrow import csv

    csv.write_csv(TABLE, tmp_path / "people.csv")
    return tmp_path / "people.csv"


def test_a_file_that_does_not_fit_goes_by_way_of_the_disk(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(shoal.anonymize(file, POLICY), shoal.Release)
    monkeypatch.setattr("shoal.release.engine_choice.fits_in_memory", lambda *_: False)
    with shoal.anonymize(file, POLICY) as release:  # type: ignore[attr-defined]
        assert isinstance(release, shoal.LargeRelease)


def test_the_release_on_disk_is_that_in_memory(file: Path, tmp_path: Path) -> None:
    shoal.anonymize(file, POLICY, seed=3).write(tmp_path / "memory", "parquet")
    with shoal.anonymize(file, POLICY, seed=3, engine="disk", work=tmp_path) as release:
        assert release.table.count_rows() == release.records == len(TABLE)
        verdicts = release.write(tmp_path / "disk", audit=tmp_path / "audit.csv")
        assert [verdict.kind for verdict in verdicts] == ["k-anonymity", "truth"]
    one, other = (read_data(tmp_path / name / "data.parquet").arrow for name in ("memory", "disk"))
    assert one.equals(other)
    assert all(found.holds for found in shoal.open_release(tmp_path / "disk").verify(file))
    assert not [path for path in tmp_path.iterdir() if path.name[0] == "."]


def test_what_was_changed_in_the_work_folder_is_not_written(file: Path, tmp_path: Path) -> None:
    with shoal.anonymize(file, POLICY, engine="disk", work=tmp_path) as release:
        [data] = tmp_path.glob(".*/data.parquet")
        data.write_bytes(data.read_bytes() + b" ")
        with pytest.raises(shoal.ShoalError, match="the work folder was changed"):
            release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_an_engine_that_does_not_exist_is_refused(file: Path) -> None:
    with pytest.raises(shoal.ShoalError, match="there is no engine 'tape'"):
        shoal.anonymize(file, POLICY, engine="tape")  # type: ignore[call-overload]


def test_a_release_beyond_memory_is_verified_by_way_of_the_disk(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shoal.anonymize(file, POLICY).write(tmp_path / "release", audit=tmp_path / "audit.csv")
    monkeypatch.setattr("shoal.release.opened_release.bytes_needed", lambda _: 1 << 62)
    opened = shoal.open_release(tmp_path / "release")
    assert [verdict.holds for verdict in opened.verify(file, tmp_path / "audit.csv")] == [True] * 3
    with pytest.raises(shoal.ShoalError, match="without the owner's link"):
        opened.verify(file)
    monkeypatch.setattr("shoal.release.opened_release.is_judged", lambda _: False)
    assert opened.insist(opened.manifest.files) is None
