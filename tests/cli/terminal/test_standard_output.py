"""An answer that reaches nobody does not exit with 0, and what was done all the same is told."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import SHOAL

Lost = Callable[..., "subprocess.CompletedProcess[str]"]
FULL = "standard output could not be written: No space left on device"
GONE = "standard output could not be written: Broken pipe"
CLOSED = "standard output could not be written: it is closed"


def to_a_full_disk(*arguments: object) -> "subprocess.CompletedProcess[str]":
    with open("/dev/full", "w") as full:
        return subprocess.run([SHOAL, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True)


def to_nobody(*arguments: object) -> "subprocess.CompletedProcess[str]":
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        return subprocess.run([SHOAL, *map(str, arguments)], stdout=gone, stderr=subprocess.PIPE, text=True)


def closed(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = ["sh", "-c", 'exec "$@" >&-', "sh", SHOAL, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True)


LOST = pytest.mark.parametrize(("lost", "why"), [(to_a_full_disk, FULL), (to_nobody, GONE), (closed, CLOSED)])


def assert_told(done: "subprocess.CompletedProcess[str]", why: str, code: int = 2) -> None:
    assert f"error: {why}\n" in done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error: ") == 1


@LOST
@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["explain", "k-anonymity", "--json"]], ids=" ".join
)
def test_what_cannot_be_said_is_an_error(arguments: list[str], lost: Lost, why: str) -> None:
    assert_told(lost(*arguments), why)


@LOST
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_verdict_that_nobody_reads_does_not_exit_with_0(
    release: Path, lost: Lost, why: str, how: list[str]
) -> None:
    assert_told(lost("verify", release, *how), why)
    assert_told(lost("query", release, "select count(*) from data", *how), why)


@pytest.mark.parametrize(("lost", "why"), [(to_a_full_disk, FULL), (to_nobody, GONE)])
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_release_that_was_written_is_said_to_be(
    data: Path, policy: Path, tmp_path: Path, lost: Lost, why: str, how: list[str]
) -> None:
    done = lost("run", data, policy, "-o", tmp_path / "release", *how)
    assert_told(done, why)
    assert f"Hint: the release '{tmp_path / 'release'}' was written all the same." in done.stderr
    assert (tmp_path / "release" / "manifest.json").is_file()


def test_a_closed_output_is_refused_before_anything_is_written(
    data: Path, policy: Path, tmp_path: Path
) -> None:
    assert_told(closed("run", data, policy, "-o", tmp_path / "release"), CLOSED)
    assert not (tmp_path / "release").exists()


def test_a_verdict_that_does_not_hold_exits_with_1_whoever_reads_it(data: Path, policy: Path) -> None:
    assert to_a_full_disk("check", data, policy).returncode == 1
    assert to_nobody("check", data, policy, "--json").returncode == 1


def test_the_exit_code_stays_when_errors_cannot_be_said_either(release: Path) -> None:
    with open("/dev/full", "w") as full:
        bad = subprocess.run([SHOAL, "profile", "nowhere.csv"], stdout=full, stderr=full)
        both = subprocess.run([SHOAL, "verify", release], stdout=full, stderr=full)
        usage = subprocess.run([SHOAL, "swim"], stdout=full, stderr=full)
    assert (bad.returncode, both.returncode, usage.returncode) == (2, 2, 2)


def test_without_any_stream_no_file_gets_what_was_to_be_printed(
    data: Path, policy: Path, tmp_path: Path
) -> None:
    """The first file that is opened would have the number of a stream."""
    command = ["sh", "-c", 'exec "$@" <&- 2>&-', "sh", SHOAL, "run", data, policy, "-o", tmp_path / "release"]
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    assert subprocess.run([SHOAL, "verify", tmp_path / "release"], stdout=subprocess.DEVNULL).returncode == 0


def test_what_an_encoding_lacks_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("größe,Ελλάδα\n1,2\n3,4\n", encoding="utf-8")
    latin = os.environ | {"PYTHONIOENCODING": "ascii"}
    plain = subprocess.run([SHOAL, "profile", tmp_path / "t.csv"], capture_output=True, env=latin)
    assert (plain.returncode, b"gr\\xf6\\xdfe" in plain.stdout) == (0, True)
    found = subprocess.run([SHOAL, "profile", tmp_path / "t.csv", "--json"], capture_output=True, env=latin)
    names = [column["name"] for column in json.loads(found.stdout)["columns"]]
    assert names == ["größe", "Ελλάδα"]
