"""On a terminal: progress on stderr, colour where it is welcome. Every stream has a pty of its own."""

import os
import pty
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .conftest import SHOAL, Result

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
STEP = re.compile("starting|reading|anonymizing|verifying|writing")
Watch = Callable[..., Result]


def read_all(terminal: int) -> str:
    """What appeared on a pty until the other side was closed."""
    seen = b""
    try:
        while part := os.read(terminal, 4096):
            seen += part
    except OSError:  # Linux's way of saying that nobody writes any more
        pass
    os.close(terminal)
    return seen.decode()


@pytest.fixture
def watch() -> Watch:
    """The installed command with stdout and stderr on terminals."""

    def call(*arguments: object, **environment: str) -> Result:
        (out, out_end), (err, err_end) = pty.openpty(), pty.openpty()
        plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen(
            [SHOAL, *map(str, arguments)],
            stdout=out_end,
            stderr=err_end,
            env=plain | {"TERM": "xterm-256color", **environment},
        )
        os.close(out_end)
        os.close(err_end)
        with ThreadPoolExecutor() as pool:
            said, shown = pool.map(read_all, (out, err))
        return Result(process.wait(), said, shown)

    return call


def test_progress_goes_to_stderr_and_colour_appears(
    watch: Watch, data: Path, policy: Path, tmp_path: Path
) -> None:
    result = watch("run", data, policy, "-o", tmp_path / "release")
    assert result.code == 0
    assert STEP.search(result.err)
    assert not STEP.search(result.out)
    assert result.err.endswith("\x1b[2K")  # the line is wiped in the end
    assert "\x1b[32mholds\x1b[0m" in result.out


def test_a_failure_is_red(watch: Watch, data: Path, policy: Path) -> None:
    assert "\x1b[31mFAILS\x1b[0m" in watch("check", data, policy).out
    assert "\x1b[31merror\x1b[0m: there is no file" in watch("profile", "nowhere.csv").err


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_declined(watch: Watch, data: Path, policy: Path, setting: dict[str, str]) -> None:
    result = watch("check", data, policy, **setting)
    assert "FAILS  kf-anonymity" in result.out
    assert not COLOUR.search(result.out + result.err)


def test_an_empty_no_color_declines_nothing(watch: Watch, data: Path, policy: Path) -> None:
    assert COLOUR.search(watch("check", data, policy, NO_COLOR="").out)


def test_json_is_plain_and_comes_without_progress(watch: Watch, data: Path, policy: Path) -> None:
    result = watch("check", data, policy, "--json")
    assert result.json["holds"] is False
    assert result.err == ""
