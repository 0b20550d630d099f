"""The manifest: complete, sealed, and without anything private."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import FILE_NAME, Manifest, file_hash
from shoal.release.release import anonymize_in_memory
from tests.release.conftest import POLICY, SECRET, Write, Written, people


def text_of(written: Written) -> str:
    return (written.folder / FILE_NAME).read_text(encoding="utf-8")


def test_a_manifest_comes_back_as_it_was(written: Written) -> None:
    manifest = Manifest.load(written.folder)
    assert manifest.to_json() == text_of(written)
    assert manifest.policy == POLICY
    assert (manifest.method, manifest.records, manifest.suppressed) == (written.release.result.method, 60, 0)
    assert manifest.files == {"data.csv": file_hash(written.folder / "data.csv")}
    assert [verdict.kind for verdict in manifest.verdicts] == ["kf-anonymity"]


def test_every_kind_of_policy_comes_back(tmp_path: Path) -> None:
    plain = POLICY.model_dump() | {
        "domains": {"salary": ("0", "1000000.50")},
        "missing": {"bonus": "zero"},
        "guarantees": [
            {"kind": "kf-anonymity", "k": 3, "knows": ["salary + bonus"], "within": "0.05", "band": "any"},
            {"kind": "k-anonymity", "k": 2},
        ],
        "method": {"name": "mondrian", "options": {"relaxed": True}, "weights": {"salary": 2.0}},
    }
    policy = Policy(**plain)
    anonymize_in_memory(people(), policy).write(tmp_path / "release")
    assert Manifest.load(tmp_path / "release").policy == policy


def test_a_manifest_tells_what_is_promised_and_what_is_not(written: Written) -> None:
    content = json.loads(text_of(written))
    assert content["format_version"] == 1
    assert content["software"].startswith("shoal ")
    assert all(verdict["holds"] and verdict["sentence"] for verdict in content["verdicts"])
    assert len(content["does_not_protect_against"]) > 3
    assert "unsafe" not in content


def test_nothing_private_is_in_it(written: Written) -> None:
    text, table = text_of(written), people()
    cells = {str(cell) for name in table.column_names for cell in table[name].to_pylist() if cell}
    assert not [cell for cell in cells if cell in text]
    assert SECRET.hex() not in text
    assert str(written.folder) not in text


def test_its_keys_are_known_to_be_safe(written: Written) -> None:
    content = json.loads(text_of(written))
    assert set(content) == {
        "format_version", "software", "policy", "method", "records", "suppressed", "verdicts",
        "does_not_protect_against", "notes", "files", "sha256",
    }  # fmt: skip
    achieved = {name for verdict in content["verdicts"] for name in verdict["achieved"]}
    assert achieved == {"k", "records_below", "certain"}


def test_a_seed_marks_it_unsafe_but_is_not_in_it(write: Write) -> None:
    written = write(seed=471_100_815)
    assert Manifest.load(written.folder).seeded
    assert "do not publish" in json.loads(text_of(written))["unsafe"]
    assert "471100815" not in text_of(written)


def test_the_mark_cannot_be_taken_away(write: Write) -> None:
    path = write(seed=1).folder / FILE_NAME
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["unsafe"]
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    with pytest.raises(ShoalError, match="does not match its own fingerprint"):
        Manifest.load(path.parent)


@pytest.mark.parametrize(("old", "new"), [("\n", "\r\n"), ("  ", "\t"), ('": ', '" : '), ("}\n", "} ")])
def test_even_its_spaces_are_sealed(written: Written, old: str, new: str) -> None:
    path = written.folder / FILE_NAME
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))
    with pytest.raises(ShoalError, match="does not match its own fingerprint"):
        Manifest.load(written.folder)


def test_a_manifest_of_the_future_is_not_guessed_at(written: Written) -> None:
    path = written.folder / FILE_NAME
    path.write_text(path.read_text().replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(ShoalError, match="newer shoal\nHint: update"):
        Manifest.load(written.folder)


def test_letters_of_any_language_survive(written: Written, tmp_path: Path) -> None:
    manifest = replace(Manifest.load(written.folder), notes=("Gehälter größer als 'ни́что'",))
    (tmp_path / FILE_NAME).write_text(manifest.to_json(), encoding="utf-8")
    assert Manifest.load(tmp_path).notes == manifest.notes
