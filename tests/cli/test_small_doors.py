"""Files that have no end, or never begin, or are far too large are refused wherever a file is given."""

import os
import time
from pathlib import Path

import pytest

from .conftest import POLICY, TABLE, Command

ENDLESS = "/dev/zero"
pytestmark = pytest.mark.usefixtures("folder")
HIERARCHY = '\n[hierarchies]\nregion = "{}"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("policy.toml").write_text(POLICY)
    os.mkfifo("pipe")
    os.mkfifo("pipe.csv")
    os.mkfifo("pipe.parquet")
    os.symlink(ENDLESS, "endless.csv")
    os.symlink(ENDLESS, "endless.jsonl")
    os.symlink(ENDLESS, "endless.parquet")
    Path("sub").mkdir()


def refused(result: object) -> str:
    assert result.code == 2  # type: ignore[attr-defined]
    said = result.err  # type: ignore[attr-defined]
    assert "something went wrong" not in said
    assert "Hint" in said
    return str(said)


@pytest.mark.parametrize("odd", [ENDLESS, "pipe", "sub"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "t.csv", "{}"),
        ("run", "t.csv", "{}", "-o", "release"),
        ("run", "t.csv", "{}", "-o", "release", "--engine", "disk"),
        ("run", "t.csv", "policy.toml", "-o", "release", "--secret-from", "{}"),
        ("attack", "t.csv", "--policy", "{}"),
        ("apply", "{}", "t.csv", "-o", "release"),
        ("compare", "t.csv", "{}"),
        ("verify", "{}"),
        ("query", "{}", "select count(*) from data"),
        ("report", "{}"),
    ],
    ids=" ".join,
)
def test_pipes_devices_and_folders_are_no_policies_and_private_files(
    arguments: tuple[str, ...], odd: str, command: Command
) -> None:
    refused(command(*(one.format(odd) for one in arguments)))
    assert not Path("release").exists()


@pytest.mark.parametrize("odd", [ENDLESS, "pipe", "sub"])
def test_pipes_devices_and_folders_are_no_hierarchies(odd: str, command: Command) -> None:
    Path("policy.toml").write_text(POLICY + HIERARCHY.format(odd))
    assert "region" in refused(command("check", "t.csv", "policy.toml"))


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize(
    "odd", ["endless.csv", "endless.jsonl", "endless.parquet", "pipe.csv", "pipe.parquet"]
)
def test_pipes_and_devices_are_no_tables(odd: str, engine: str, command: Command) -> None:
    said = refused(command("run", odd, "policy.toml", "-o", "release", "--engine", engine))
    assert "is a pipe or a device, not a table" in said
    assert "is a pipe or a device" in refused(command("attack", odd, "--policy", "policy.toml"))


@pytest.mark.parametrize("odd", ["endless.csv", "pipe.csv"])
def test_pipes_and_devices_are_no_population_or_original(odd: str, command: Command) -> None:
    assert command("run", "t.csv", "policy.toml", "-o", "release", "--audit", "audit.csv").code == 0
    refused(command("verify", "release", "--against", odd))
    refused(command("verify", "release", "--against", "t.csv", "--audit", odd))
    refused(command("verify", "release", "--against", "t.csv", "--audit", odd, "--engine", "disk"))
    refused(command("verify", "release", "--against", "t.csv", "--audit", "audit.csv", "--population", odd))
    refused(command("attack", "t.csv", "release", "--population", odd))


def test_a_policy_file_has_a_largest_size(command: Command) -> None:
    with Path("large.toml").open("wb") as file:
        file.truncate(20 << 30)  # as it looks; nothing of it is on the disk
    assert "too much for a policy file" in refused(command("check", "t.csv", "large.toml"))
    assert "too much for a recoding file" in refused(command("apply", "large.toml", "t.csv", "-o", "release"))


@pytest.mark.parametrize("part", ["a", '"a"', "'a'"])
@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "[[{}]]", "x = {{ y = [{{ {} = 1 }}] }}"])
def test_keys_of_thousands_of_parts_are_refused_at_once(part: str, form: str, command: Command) -> None:
    Path("deep.toml").write_text(form.format(" . ".join([part] * 10_000)))
    began = time.process_time()
    assert "a key of more than 32 parts" in refused(command("check", "t.csv", "deep.toml"))
    assert time.process_time() - began < 2
