"""The command as tests use it: inside this process for speed, or as a process of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shoal.cli.main import _exit_code

SHOAL = Path(sys.executable).parent / "shoal"

# Every cell is long enough to be recognised wherever it should not be.
TABLE = "name,salary,bonus,region\n" + "".join(
    f"Zaphod-{row:03d},{7_300_000 + 37 * row},{910_000 + row % 4},Region-{row % 3}\n" for row in range(40)
)
CELLS = {cell for line in TABLE.splitlines()[1:] for cell in line.split(",")}


def holds_a_cell(said: str) -> bool:
    """Some cell, and not only its digits inside a longer number."""
    return any(re.search(rf"(?<![\d.]){re.escape(cell)}(?!\d)", said) for cell in CELLS)


POLICY = """\
[columns]
name   = "identifier"
salary = "quasi"
bonus  = "quasi"
region = "other"

[[guarantees]]
kind = "kf-anonymity"
k = 4
knows = ["salary + bonus"]
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Result]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """``command("run", data, ...)``: what the command does and says, without a new process."""

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        capsys.readouterr()
        code = _exit_code()
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def process() -> Command:
    """The same with the installed script."""

    def call(*arguments: object, **environment: str) -> Result:
        done = subprocess.run(
            [SHOAL, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            timeout=120,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "pay.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture
def release(command: Command, data: Path, policy: Path, tmp_path: Path) -> Path:
    """A release of the table, with its audit file beside it."""
    folder = tmp_path / "release"
    assert command("run", data, policy, "-o", folder, "--audit", tmp_path / "audit.csv").code == 0
    return folder
