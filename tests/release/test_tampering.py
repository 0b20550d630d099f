"""A release that was changed and sealed again: what its files do not bear out is refused at every door."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.decision.decision import decide
from shoal.errors import ShoalError
from shoal.policy.model.people import ROWS_PREFIX
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.naming_values import NAMES_PREFIX
from shoal.release.opened_release import verify_large
from shoal.release.publish import publish
from shoal.report.measurements import measure
from shoal.report.report import report_on
from tests.release.tampered import (
    ANY_FAMILY,
    NUMBERS,
    OF_FAMILY,
    OF_FORMAT,
    PEOPLE,
    K,
    Tampering,
    disk,
    seal,
    write_release,
)

QUESTION = "select count(*) from data"
KINDS = {
    "ranges": ("csv", "parquet", "disk-parquet", "parts"),
    "labels": ("csv", "disk-csv"),
    "local": ("parquet",),
    "sets": ("csv",),
    "stars": ("parquet",),
    "means": ("csv", "disk-parquet"),
    "permuted": ("csv", "parquet", "disk-csv"),
}


def _of_format(kind: str) -> tuple[Tampering, ...]:
    return OF_FORMAT["csv" if kind.endswith("csv") else "parquet"]


RELEASES = [(family, kind) for family, kinds in KINDS.items() for kind in kinds]
CASES = [
    (family, kind, tampering)
    for at, (family, kind) in enumerate(RELEASES)
    for tampering in (
        *(one for place, one in enumerate(ANY_FAMILY) if at == 0 or (place + at) % 6 == 0),
        *(OF_FAMILY[family][:: 1 if kind == KINDS[family][0] else 6]),
        *(one for place, one in enumerate(_of_format(kind)) if at < 2 or (place + at) % 4 == 0),
    )
]
Original = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    """Each release is made once."""
    place, made = tmp_path_factory.mktemp("releases"), set()

    def release(family: str, kind: str) -> Path:
        folder = place / f"{family}-{kind}"
        if folder not in made:
            write_release(family, kind, folder)
            made.add(folder)
        return folder

    return release


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever gets as far as loading fails in another way than a release that is refused."""
    monkeypatch.setattr("shoal.release.publish.connection_to", lambda _: nullcontext())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def passes_verify(folder: Path) -> bool:
    try:
        return all(verdict.holds for verdict in shoal.open_release(folder).verify())
    except ShoalError:
        return False


def passes_on_disk(folder: Path) -> bool:
    try:
        return all(verdict.holds for verdict in verify_large(disk(folder.parent), folder))
    except ShoalError:
        return False


def passes_query(folder: Path) -> bool:
    try:
        return bool(shoal.open_release(folder).query(QUESTION).rows)
    except ShoalError:
        return False


def passes_publish(folder: Path) -> bool:
    try:
        publish(folder, "postgresql://ann:secret@127.0.0.1/nowhere")
    except ShoalError:
        return False
    except AttributeError:  # there is no server to load it into
        return True
    return True


def passes_report(folder: Path) -> bool:
    try:
        return report_on(measure(shoal.open_release(folder)), "public").light != "exposed"
    except ShoalError:
        return False


ON_DISK = "verify on disk"
DOORS = {
    "verify": passes_verify,
    ON_DISK: passes_on_disk,
    "query": passes_query,
    "publish": passes_publish,
    "report": passes_report,
}


@pytest.mark.parametrize(("family", "kind"), RELEASES)
def test_a_release_as_it_was_written_passes_every_door_also_when_sealed_again(
    family: str, kind: str, original: Original, tmp_path: Path
) -> None:
    again = Tampering("nothing").apply(original(family, kind), tmp_path / "again")
    for folder in (original(family, kind), again):
        assert {door: passes(folder) for door, passes in DOORS.items() if door != "report"} == {
            "verify": True, "verify on disk": True, "query": True, "publish": True
        }  # fmt: skip
        assert all(verdict.holds for verdict in measure(shoal.open_release(folder)).verdicts)


@pytest.mark.parametrize(
    ("family", "kind", "tampering"), CASES, ids=[f"{f}-{k}: {one.name}" for f, k, one in CASES]
)
def test_what_the_files_do_not_bear_out_is_refused_at_every_door(
    family: str, kind: str, tampering: Tampering, original: Original, tmp_path: Path
) -> None:
    folder = tampering.apply(original(family, kind), tmp_path / "tampered")
    tried = {door: passes for door, passes in DOORS.items() if kind.startswith("disk") or door != ON_DISK}
    assert [door for door, passes in tried.items() if passes(folder)] == []


def test_words_of_another_version_are_said_not_to_be_compared(original: Original, tmp_path: Path) -> None:
    folder = Tampering("nothing").apply(original("ranges", "csv"), tmp_path / "release")
    assert shoal.open_release(folder).verify()[0].notes == ()
    seal(folder, lambda content: content.update(software="shoal 9.9"))
    for found in (shoal.open_release(folder).verify(), verify_large(disk(tmp_path), folder)):
        assert found[0].holds
        assert "another version" in found[0].notes[0]
        assert "cannot compare" in found[0].notes[0]


def test_invented_words_of_another_version_are_shown_nowhere_as_checked(
    original: Original, tmp_path: Path
) -> None:
    """Whoever forges a manifest writes its version too."""
    folder = Tampering("nothing").apply(original("labels", "csv"), tmp_path / "release")

    def forged(content: dict[str, Any]) -> None:
        content.update(software="shoal 0.0.1", does_not_protect_against=["Nothing: all is safe."])
        content["verdicts"][0].update(sentence="Certified by everybody.", notes=["Anonymous for ever."])

    seal(folder, forged)
    release = shoal.open_release(folder)
    limits = protection_limits(release.policy)
    for found in (release.verify(), verify_large(disk(tmp_path), folder)):
        told = " ".join(line for one in found for line in (one.sentence, *one.notes))
        assert all(limit in told for limit in limits)
        assert not any(words in told for words in ("all is safe", "Certified", "for ever"))
    page = report_on(measure(release), "public")
    shown = [str(part) for section in page.sections for part in section.parts]
    assert not any(words in line for line in shown for words in ("all is safe", "Certified", "for ever"))
    assert not any(words in release._repr_html_() for words in ("all is safe", "Certified", "for ever"))


def test_notes_are_shown_as_what_no_file_bears_out(original: Original, tmp_path: Path) -> None:
    folder = Tampering("nothing").apply(original("labels", "csv"), tmp_path / "release")
    seal(folder, lambda content: content.update(notes=["Anonymous for ever."]))
    release = shoal.open_release(folder)
    page = report_on(measure(release), "public")
    shown = [str(part) for section in page.sections for part in section.parts]
    assert [line for line in shown if "for ever" in line]
    assert all("no file bears out: Anonymous" in line for line in shown if "for ever" in line)
    assert "no file bears out: Anonymous for ever." in release._repr_html_()


@pytest.mark.parametrize("prefix", [ROWS_PREFIX, NAMES_PREFIX])
def test_a_reason_that_rests_on_a_note_is_shown_as_what_no_file_bears_out(
    prefix: str, original: Original, tmp_path: Path
) -> None:
    folder = Tampering("nothing").apply(original("labels", "csv"), tmp_path / "release")
    seal(folder, lambda content: content.update(notes=[f"{prefix}Anonymous for ever."]))
    reasons = [reason.text for reason in decide(measure(shoal.open_release(folder)).evidence).reasons]
    told = [text for text in reasons if "for ever" in text]
    assert told
    assert all("no file bears out" in text for text in told)


@pytest.mark.parametrize("limits", [[], [" "]])
def test_a_release_of_another_version_has_limits_too(
    limits: list[str], original: Original, tmp_path: Path
) -> None:
    folder = Tampering("nothing").apply(original("ranges", "csv"), tmp_path / "release")
    seal(folder, lambda content: content.update(software="shoal 9.9", does_not_protect_against=limits))
    assert not passes_verify(folder)
    assert not passes_query(folder)


def test_there_are_at_least_sixty_of_them() -> None:
    assert len(CASES) >= 60


def test_a_role_that_was_changed_passes_without_a_key(original: Original, tmp_path: Path) -> None:
    """Nothing in the files tells it, and the verdict does not say that it would."""
    folder = Tampering("nothing").apply(original("sets", "csv"), tmp_path / "release")
    policy = shoal.open_release(folder).policy.public()
    policy["columns"]["illness"], policy["columns"]["pay"] = "sensitive", "other"
    changed = shoal.Policy(**policy)
    seal(folder, lambda c: c.update(policy=policy, does_not_protect_against=protection_limits(changed)))
    [integrity, *_] = shoal.open_release(folder).verify()
    assert integrity.holds
    assert "tells damage, not forgery" in integrity.sentence


SPARSE = PEOPLE.set_column(1, "age", pa.array([20, None, None, *PEOPLE["age"].to_pylist()[3:]]))
LEAVING = {"missing": {"age": {"codes": [9], "count": "suppress"}}, "method": {"suppression": 0.1}}


@pytest.fixture(scope="module")
def left_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of which two records were left out for a missing cell, and the owner's link beside it."""
    place = tmp_path_factory.mktemp("left-out")
    policy = shoal.Policy(columns=NUMBERS, guarantees=[K], prepare={"leave_out": "pay = 1000"}, **LEAVING)
    assert shoal.anonymize(SPARSE, policy).result.suppressed == 2
    shoal.anonymize(SPARSE, policy).write(place / "release", "csv", place / "audit.csv")
    return place


@pytest.mark.parametrize("suppressed", [0, 1, 3])
def test_with_the_original_the_number_of_suppressed_records_is_known(
    suppressed: int, left_out: Path, tmp_path: Path
) -> None:
    folder = Tampering("number", manifest=lambda c: c.update(suppressed=suppressed)).apply(
        left_out / "release", tmp_path / "release"
    )
    audit, release = left_out / "audit.csv", shoal.open_release(folder)
    for found in (
        release.verify(SPARSE),
        release.verify(SPARSE, audit),
        verify_large(disk(tmp_path), folder, SPARSE, audit),
    ):
        kinds = [one.kind for one in found]
        assert kinds.count("integrity") == 1
        assert not found[0].holds
        assert f"{suppressed + 44} records" in found[0].sentence
        assert all(one.holds for one in found[1:])


def test_what_was_stated_of_suppressed_records_holds_beside_the_original(
    left_out: Path, tmp_path: Path
) -> None:
    folder, audit = left_out / "release", left_out / "audit.csv"
    for found in (
        shoal.open_release(folder).verify(SPARSE),
        shoal.open_release(folder).verify(SPARSE, audit),
        verify_large(disk(tmp_path), folder, SPARSE, audit),
    ):
        assert all(one.holds for one in found)


def test_records_that_leave_for_a_missing_cell_count_towards_the_limit(
    left_out: Path, tmp_path: Path
) -> None:
    for suppressed in (6, 777):
        folder = Tampering("number", manifest=lambda c, many=suppressed: c.update(suppressed=many)).apply(
            left_out / "release", tmp_path / str(suppressed)
        )
        assert [door for door, passes in DOORS.items() if passes(folder)] == []
