"""``shoal attack``: raw tables and releases, one object of JSON, a private file, clear refusals."""

from pathlib import Path

import pytest

from .conftest import Command, holds_a_cell


@pytest.fixture
def release(command: Command, data: Path, policy: Path, tmp_path: Path) -> Path:
    assert command("run", data, policy, "-o", tmp_path / "release", "--audit", tmp_path / "link").code == 0
    return tmp_path / "release"


def test_the_raw_table_is_exposed_and_no_cell_is_told(process: Command, data: Path, policy: Path) -> None:
    result = process("attack", data, "--policy", policy)
    assert (result.code, result.err) == (0, "")
    assert "EXPOSED  aggregate: someone who knows salary + bonus of a person, exactly" in result.out
    assert not holds_a_cell(result.out)


def test_the_release_is_safe_from_whom_it_promised_to_be(command: Command, data: Path, release: Path) -> None:
    found = command("attack", data, release, "--json").json
    promised = [one for one in found["attacks"] if one["promised"]]
    assert promised
    assert all(one["level"] == "safe" and one["smallest"] >= 4 for one in promised)
    assert (found["raw"], found["attacked"]) == (False, str(release))
    assert {"below", "smallest", "median", "expected", "largest", "histogram"} <= found["attacks"][0].keys()


def test_every_person_is_in_the_private_file(
    command: Command, data: Path, release: Path, tmp_path: Path
) -> None:
    path, audit = tmp_path / "who.csv", tmp_path / "link"
    assert command("attack", data, release, "--audit", audit, "--attacks", "aggregate", "--besides", "0",
                   "--per-record", path).code == 0  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines[0] == "attacker,input_row,candidates,success"
    assert [line.split(",")[1] for line in lines[1:]] == [str(row) for row in range(1, 41)]
    assert not holds_a_cell("\n".join(lines))
    again = command("attack", data, release, "--per-record", path)
    assert (again.code, "--force" in again.err) == (2, True)


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "nothing to attack"),
    (["RELEASE", "--policy", "POLICY"], "both a release and a policy"),
    (["--policy", "POLICY", "--with", "RELEASE"], "--with needs a release"),
    (["--policy", "POLICY", "--audit", "LINK"], "--audit needs a release"),
    (["RELEASE", "--attacks", "linkag"], "there is no attack 'linkag'"),
    (["RELEASE", "--per-record", "RELEASE/who.csv"], "inside the release"),
    (["RELEASE", "--audit", "nowhere"], "no audit file"),
    (["nowhere"], "no folder"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_with_a_hint(
    command: Command, data: Path, policy: Path, release: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    places = {"RELEASE": str(release), "POLICY": str(policy), "LINK": str(tmp_path / "link")}
    given = [places.get(part, part.replace("RELEASE/", f"{release}/")) for part in arguments]
    result = command("attack", data, *given)
    assert result.code == 2
    assert said in result.err
    assert "Hint:" in result.err
    assert not holds_a_cell(result.err)


def test_a_changed_release_is_refused(command: Command, data: Path, release: Path) -> None:
    file = release / "data.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("[", "(", 1), encoding="utf-8")
    result = command("attack", data, release)
    assert result.code == 2
    assert "data.csv does not match the manifest" in result.err


def test_a_seed_is_not_negative(command: Command, data: Path, release: Path) -> None:
    result = command("attack", data, release, "--seed", "-1")
    assert (result.code, "greater than or equal to 0" in result.err) == (2, True)


def test_homogeneous_classes_are_named_by_class_and_not_by_value(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "ill.csv", tmp_path / "ill.toml"
    rows = "".join(f"{30 + row // 2},{'Zyx-fever' if row < 2 else f'Qwv-{row}'}\n" for row in range(6))
    data.write_text("age,illness\n" + rows, encoding="utf-8")
    asked = '[columns]\nage = "quasi"\nillness = "sensitive"\n[[guarantees]]\nkind = "k-anonymity"\nk = 2\n'
    policy.write_text(asked, encoding="utf-8")
    said = command("attack", data, "--policy", policy, "--attacks", "homogeneity").out
    assert "one value is that of all records in 1 of 3 classes" in said
    assert "class 0 (lines 2, 3 of what is published)" in said
    assert "Zyx" not in said
