"""The commands and the program that make the same release do make it, whatever files are called."""

import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.release.opened_release import open_release
from shoal.release.rerun_commands import rerun_command, rerun_program, shell_command

POLICY = """\
[columns]
age = "quasi"
pay = "other"

[[guarantees]]
kind = "k-anonymity"
k = 3

[method]
name = "mondrian"
"""
HOSTILE = [
    "plain",
    "two words",
    "it's",
    'a "b"',
    "-o",
    "--force",
    "$(touch x)",
    "a\nb",
    "back\\slash",
    "~",
    "; ls",
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(here: Path, name: str) -> tuple[str, str, str]:
    """Data, policy and folder, named relative to where we are."""
    (here / f"{name}.csv").write_text("age,pay\n" + "".join(f"{row},{row % 7}\n" for row in range(20)))
    (here / f"{name}.toml").write_text(POLICY)
    return f"{name}.csv", f"{name}.toml", name


@pytest.mark.parametrize("name", HOSTILE)
def test_the_commands_run(name: str, here: Path) -> None:
    text = rerun_command(*files(here, name), format="parquet", audit=f"{name}.audit", report=None)
    commands = [as_bash_reads(command) for command in text.split(" &&\n")]
    assert [command[:2] for command in commands] == [["shoal", "run"], ["shoal", "verify"]]
    for _, *arguments in commands:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert (here / name / "data.parquet").is_file()
    assert (here / f"{name}.audit").is_file()


def as_bash_reads(command: str) -> list[str]:
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True)
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]


@pytest.mark.parametrize("name", HOSTILE)
def test_the_program_runs(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(rerun_program(*files(here, name), audit=f"{name}.audit"), {})  # noqa: S102
    assert "FAILS" not in capsys.readouterr().out
    assert all(verdict.holds for verdict in open_release(here / name).verify(f"{name}.csv"))
    assert (here / f"{name}.audit").is_file()


def test_the_report_is_the_last_command() -> None:
    last = rerun_command("d.csv", Path("p.toml"), Path("out"), report="the report.html").splitlines()[-1]
    assert last == "shoal report out --against d.csv -o 'the report.html'"


@pytest.mark.parametrize(
    "name", ["a\x1b[201~\nrm -rf x.csv", "\u202egnp.csv", "it's\\\t.csv", "odd\udcff.csv"]
)
def test_a_command_that_is_pasted_steers_no_terminal_and_names_the_same_file(name: str) -> None:
    written = shell_command(["printf", "%s", name])
    assert written.isprintable()
    assert written.isascii()
    done = subprocess.run(["bash", "-c", written], capture_output=True)
    assert done.stdout == os.fsencode(name)
