"""``shoal verify``: a release from its files alone, and beside the original."""

import hashlib
import json
import subprocess
from pathlib import Path

from .conftest import Command


def test_a_release_as_it_was_written(command: Command, release: Path) -> None:
    result = command("verify", release)
    assert (result.code, result.err) == (0, "")
    assert "holds  integrity: " in result.out
    assert "holds  kf-anonymity: " in result.out
    assert "\nleaks: not measured (needs the original" in result.out


def test_the_answer_as_json(command: Command, release: Path) -> None:
    result = command("verify", release, "--json")
    assert (result.code, result.err) == (0, "")
    assert set(result.json) == {"holds", "verdicts", "fingerprint", "signed", "not_measured"}
    assert result.json["not_measured"][0].startswith("leaks: not measured (needs the original and the owner")
    assert [verdict["kind"] for verdict in result.json["verdicts"]] == ["integrity", "kf-anonymity"]


def test_a_changed_byte_ends_with_1(process: Command, release: Path) -> None:
    data = release / "data.csv"
    data.write_text(data.read_text().replace("Region-1", "Region-2", 1))
    result = process("verify", release)
    assert (result.code, result.err) == (1, "")
    assert "FAILS  integrity: The files do not match the manifest: data.csv differs." in result.out


def test_the_original_adds_coverage_global_and_truth(command: Command, release: Path, data: Path) -> None:
    result = command("verify", release, "--against", data, "--json")
    assert result.code == 0
    _, known, truth = result.json["verdicts"]
    assert known["achieved"]["coverage"] >= known["achieved"]["global"] >= 4
    assert (truth["kind"], truth["achieved"]["untrue_records"]) == ("truth", 0)


def test_the_link_decides_the_truth(command: Command, release: Path, data: Path, tmp_path: Path) -> None:
    arguments = ("verify", release, "--against", data, "--audit", tmp_path / "audit.csv")
    result = command(*arguments)
    assert result.code == 0
    assert "leaks: looked for beside the original, none found" in result.out
    assert "leaks: not measured" not in result.out
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join([lines[0], *lines[:0:-1]]))  # the same people in another order
    assert command(*arguments).code == 1


def test_another_original_is_found_out(command: Command, release: Path, data: Path) -> None:
    data.write_text(data.read_text().replace("73000", "83000"))
    result = command("verify", release, "--against", data)
    assert result.code == 1
    assert "FAILS  truth: " in result.out


def test_an_original_without_identifiers_will_do(command: Command, release: Path, data: Path) -> None:
    lines = data.read_text().splitlines()
    data.write_text("\n".join(line.partition(",")[2] for line in lines))
    assert command("verify", release, "--against", data).code == 0


def test_an_original_with_other_columns_is_bad_input(command: Command, release: Path, data: Path) -> None:
    data.write_text(data.read_text().replace("salary", "wage"))
    result = command("verify", release, "--against", data)
    assert result.code == 2
    assert "column 'salary' is in the policy but not in the table" in result.err
    assert "  Hint: the table has 'wage'" in result.err


def test_a_link_needs_the_original(command: Command, release: Path, tmp_path: Path) -> None:
    result = command("verify", release, "--audit", tmp_path / "audit.csv")
    assert result.code == 2
    assert "  Hint: give the original table as well." in result.err


def test_a_link_of_another_release_is_bad_input(
    command: Command, release: Path, data: Path, tmp_path: Path
) -> None:
    audit = tmp_path / "audit.csv"
    audit.write_text("".join(audit.read_text().splitlines(keepends=True)[:-1]))
    result = command("verify", release, "--against", data, "--audit", audit)
    assert result.code == 2
    assert "does not belong to this release" in result.err


def make_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def manifest_hash(folder: Path) -> str:
    return hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()


def test_run_verify_and_report_print_the_fingerprint(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    made = command("run", data, policy, "-o", folder)
    assert f"Fingerprint {manifest_hash(folder)}" in made.out
    assert f"Fingerprint {manifest_hash(folder)}" in command("verify", folder).out
    assert command("verify", folder, "--json").json["fingerprint"] == manifest_hash(folder)
    again = command("run", data, policy, "-o", folder, "--force", "--json").json
    assert (again["fingerprint"], again["signed"]) == (manifest_hash(folder), False)
    report = command("report", folder, "-o", tmp_path / "report.html", "--json").json
    assert report["fingerprint"] == manifest_hash(folder)
    assert manifest_hash(folder) in (tmp_path / "report.html").read_text()


def test_a_signed_release_is_checked_with_the_public_key_by_every_command(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    folder, key = tmp_path / "release", make_key(tmp_path / "owner")
    public, other = tmp_path / "owner.pub", make_key(tmp_path / "other").with_suffix(".pub")
    assert command("run", data, policy, "-o", folder, "--sign", key).code == 0
    assert "It is signed" in command("verify", folder).out
    found = command("verify", folder, "--key", public, "--json")
    assert (found.code, found.json["signed"], found.json["verdicts"][1]["kind"]) == (0, True, "signature")
    assert command("verify", folder, "--key", public, "--engine", "disk").code == 0
    question = "select count(*) from data"
    assert command("query", folder, question, "--key", public).code == 0
    report = command("report", folder, "--key", public, "-o", tmp_path / "report.html", "--json")
    assert report.code == 0
    assert "signed with SHA256:" in json.dumps(report.json)
    refused = command("verify", folder, "--key", other)
    assert refused.code == 1
    assert "FAILS  signature: The release is signed with another key" in refused.out
    assert command("query", folder, question, "--key", other).code == 2
    assert command("report", folder, "--key", other, "--json").code == 2
    assert "another key" in command("publish", folder, "postgresql://u@h/d", "--key", other).err
