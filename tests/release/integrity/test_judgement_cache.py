"""A release that was found to be what it states is not looked at again, whatever else lies there is."""

import os
import time
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.release import opened_release as opened
from shoal.release.integrity import judgement_cache
from shoal.release.integrity.judgement_cache import is_judged, remember_judgement, remember_long_judgement
from shoal.release.integrity.manifest import Manifest
from shoal.release.opened_release import open_release
from tests.release.conftest import Written
from tests.release.tampered import seal

QUESTION = "select count(*) from data"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "shoal" / "judged"


def test_what_is_found_quickly_leaves_no_mark(written: Written, cache: Path) -> None:
    remember_long_judgement(Manifest.load(written.folder), 0.1)
    assert not is_judged(Manifest.load(written.folder))
    assert not cache.exists()


def test_a_mark_spares_the_next_question_the_look(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_judgement(Manifest.load(written.folder))

    def looked(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(opened, "verify_rows", looked)
    assert open_release(written.folder).query(QUESTION).rows


def test_a_mark_is_of_one_manifest_and_does_not_cover_changed_files(written: Written) -> None:
    remember_judgement(Manifest.load(written.folder))
    data = written.folder / "data.csv"
    data.write_text("".join(data.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ShoalError, match=r"data\.csv does not match the manifest"):
        open_release(written.folder).query(QUESTION)
    seal(written.folder)
    assert not is_judged(Manifest.load(written.folder))
    with pytest.raises(ShoalError, match="it states 60 records and has 59"):
        open_release(written.folder).query(QUESTION)


def test_marks_that_others_may_write_count_for_nothing(written: Written, cache: Path) -> None:
    remember_judgement(Manifest.load(written.folder))
    cache.chmod(0o777)
    assert not is_judged(Manifest.load(written.folder))


def test_the_oldest_marks_go_and_the_new_one_stays_among_marks_of_the_same_moment(
    written: Written, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgement_cache, "MOST_MARKS", 3)
    cache.mkdir(parents=True)
    later = time.time() + 1
    for number in range(5):
        (cache / f"{number}").touch()
        os.utime(cache / f"{number}", (later, later))
    remember_judgement(Manifest.load(written.folder))
    assert len(list(cache.iterdir())) == 3
    assert is_judged(Manifest.load(written.folder))


def test_a_mark_is_of_the_manifest_that_was_judged(written: Written) -> None:
    judged = open_release(written.folder)
    seal(written.folder, lambda content: content.update(records=5))
    remember_judgement(judged.manifest)
    assert not is_judged(Manifest.load(written.folder))


def test_marks_behind_a_link_count_for_nothing(written: Written, cache: Path) -> None:
    manifest = Manifest.load(written.folder)
    remember_judgement(manifest)
    cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to(cache.with_name("elsewhere"))
    assert not is_judged(manifest)


def test_a_mark_is_of_the_libraries_that_looked(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = Manifest.load(written.folder)
    remember_judgement(manifest)
    monkeypatch.setattr(judgement_cache, "version", lambda _: "0")
    assert not is_judged(manifest)
