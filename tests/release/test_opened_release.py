"""A release as its recipient has it: whatever was changed is found."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engines.memory.engine import MemoryEngine
from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME
from shoal.release.opened_release import open_release
from shoal.verify.verdict import Verdict
from tests.release.conftest import ROWS, Write, Written, people

CHANGES = 60


def verified(folder: Path) -> list[Verdict]:
    return open_release(folder).verify()


def is_found_out(folder: Path) -> bool:
    try:
        return not all(verdict.holds for verdict in verified(folder))
    except ShoalError:
        return True


def sentence(folder: Path) -> str:
    (integrity,) = verified(folder)  # nothing else is said about a release that was changed
    assert not integrity.holds
    return integrity.sentence


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_release_as_written_keeps_its_promises(write: Write, format: str) -> None:
    verdicts = verified(write(format=format).folder)
    assert [verdict.kind for verdict in verdicts] == ["integrity", "kf-anonymity"]
    assert all(verdict.holds for verdict in verdicts)


@pytest.mark.parametrize("name", ["data.csv", FILE_NAME])
def test_every_single_changed_byte_is_found(written: Written, name: str) -> None:
    path = written.folder / name
    original = path.read_bytes()
    draw = np.random.default_rng(5)
    places = {0, len(original) - 1, *draw.choice(len(original), CHANGES, replace=False).tolist()}
    for place in sorted(places):
        changed = bytearray(original)
        changed[place] ^= int(draw.integers(1, 256))
        path.write_bytes(changed)
        assert is_found_out(written.folder), f"byte {place}"
    path.write_bytes(original)
    assert not is_found_out(written.folder)


@pytest.mark.parametrize("name", ["data.csv", FILE_NAME])
@pytest.mark.parametrize("cut", [0, 1, 100])
def test_a_cut_or_longer_file_is_found(written: Written, name: str, cut: int) -> None:
    path = written.folder / name
    content = path.read_bytes()
    path.write_bytes(content[:-cut] if cut else content + b"\n")
    assert is_found_out(written.folder)


def test_blanks_of_the_manifest_count_as_well(written: Written) -> None:
    path = written.folder / FILE_NAME
    original = path.read_bytes()
    for place in [at for at, byte in enumerate(original) if byte in b" \n"][:: len(original) // 40]:
        path.write_bytes(original[:place] + b"\t" + original[place + 1 :])
        assert is_found_out(written.folder), f"byte {place}"


def test_a_changed_file_is_named(written: Written) -> None:
    (written.folder / "data.csv").write_text("salary,bonus\n")
    assert sentence(written.folder) == "The files do not match the manifest: data.csv differs."


def test_a_missing_file_is_named(written: Written) -> None:
    (written.folder / "data.csv").unlink()
    assert "data.csv is missing" in sentence(written.folder)


def test_a_folder_in_place_of_a_file_is_a_change(written: Written) -> None:
    (written.folder / "data.csv").unlink()
    (written.folder / "data.csv").mkdir()
    assert "data.csv differs" in sentence(written.folder)


@pytest.mark.parametrize("name", ["audit.csv", ".hidden", "data.parquet"])
def test_an_extra_file_is_named(written: Written, name: str) -> None:
    (written.folder / name).write_text("what is this?")
    assert f"{name} does not belong to it" in sentence(written.folder)


def test_all_changes_are_named_at_once(written: Written) -> None:
    (written.folder / "extra").mkdir()
    (written.folder / "data.csv").write_text("")
    assert "data.csv differs; extra does not belong to it" in sentence(written.folder)


def test_without_its_manifest_it_is_no_release(written: Written) -> None:
    (written.folder / FILE_NAME).unlink()
    with pytest.raises(ShoalError, match=r"is not a release: it has no manifest\.json"):
        open_release(written.folder)


def test_the_published_table_can_be_read(written: Written) -> None:
    table = open_release(written.folder).read()
    assert table.names == ["region", "salary", "bonus", "illness"]
    assert len(table) == ROWS


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_original_shows_that_every_record_is_true(write: Write, format: str) -> None:
    written = write(format=format)
    for audit in (None, written.audit):
        verdicts = open_release(written.folder).verify(people(), audit)
        assert [verdict.kind for verdict in verdicts] == ["integrity", "kf-anonymity", "truth"]
        assert all(verdict.holds for verdict in verdicts)


@pytest.mark.parametrize("column", ["salary", "illness"])
def test_an_original_that_it_was_not_made_from_is_found(written: Written, column: str) -> None:
    table = people()
    at = table.column_names.index(column)
    changed = [9_999_999] * ROWS if column == "salary" else ["flutter"] * ROWS
    other = table.set_column(at, column, pa.array(changed))
    for audit in (None, written.audit):
        assert not open_release(written.folder).verify(other, audit)[-1].holds


def test_an_original_with_other_columns_is_bad_input(written: Written) -> None:
    with pytest.raises(ShoalError, match="column 'salary' is in the policy but not in the table"):
        open_release(written.folder).verify(people().drop_columns(["salary"]))


def test_an_audit_of_another_table_is_bad_input(written: Written) -> None:
    with pytest.raises(ShoalError, match="does not belong to this release"):
        open_release(written.folder).verify(people().slice(0, ROWS - 1), written.audit)


@pytest.mark.parametrize("guarantee", ["k-anonymity", "ke-anonymity"])
def test_records_that_left_for_want_of_a_word_do_not_count_as_published(tmp_path, guarantee):
    table = pa.table({"town": ["Ulm", "Rom", None, "Ulm", "Rom", "Ulm"], "pay": [5, 3, 9, 4, 6, 8]})
    asked = {"kind": guarantee, "k": 2} | (
        {"e": 1, "sensitive": "pay"} if guarantee == "ke-anonymity" else {}
    )
    policy = shoal.Policy(
        columns={"town": "quasi", "pay": "sensitive"},
        guarantees=[asked],
        missing={"town": "suppress"},
        method={"suppression": 0.5},
    )
    shoal.anonymize(table, policy).write(tmp_path / "release")
    opened = shoal.open_release(tmp_path / "release")
    assert opened.manifest.suppressed == 1
    assert all(verdict.holds for verdict in opened.verify(against=table))


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.release.opened_release.available_memory", lambda: 1)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("asked", [{"population": "nowhere.csv"}, {"recoding": "nowhere.json"}])
def test_what_only_memory_can_look_at_is_not_left_aside_in_silence(
    written: Written, asked: dict[str, str]
) -> None:
    with pytest.raises(ShoalError, match="looked at in memory only"):
        open_release(written.folder).verify(people(), written.audit, **asked)


@pytest.mark.usefixtures("little_memory")
def test_an_engine_that_is_named_is_the_one_that_is_used(written: Written) -> None:
    release = open_release(written.folder)
    with pytest.raises(ShoalError, match="truth can be checked in memory only"):
        release.verify(people())
    assert all(verdict.holds for verdict in release.verify(people(), engine=MemoryEngine()))


def test_a_strange_file_is_refused_by_questions_as_by_verify(written: Written) -> None:
    (written.folder / "notes.txt").write_text("hello")
    assert "notes.txt does not belong to it" in sentence(written.folder)
    with pytest.raises(ShoalError, match=r"notes\.txt does not belong to the release"):
        open_release(written.folder).query("select count(*) from data")
