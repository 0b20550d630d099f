"""What holds for the command as a whole: help, versions, exits, colour."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal
from shoal.cli import main

from .conftest import Command

COMMANDS = ("demo", "profile", "init", "run", "check", "verify", "compare", "schema")
Failing = Callable[[BaseException], None]
READERS = {"sqlglot", "sqlite3", "python_calamine", "pyreadstat", "psycopg"}
HEAVY = {"numba", "duckdb", "numpy", "pyarrow", "pydantic", "pandas", "scipy"}


def test_help_names_every_command(process: Command) -> None:
    result = process("--help")
    assert (result.code, result.err) == (0, "")
    assert all(f"\n  {name} " in result.out for name in COMMANDS)


def imported_by(*arguments: object) -> set[str]:
    """The packages that a command has loaded when it ends."""
    code = (
        "import sys; from shoal.cli import main\n"
        "main.exit_at_once = lambda code: print(code, *sys.modules, file=sys.stderr)\n"
        "main.main()"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    code, *names = subprocess.run(command, capture_output=True, text=True).stderr.split()
    assert code == "0"
    return {name.partition(".")[0] for name in names}


def test_help_imports_nothing_heavy() -> None:
    imported = imported_by("--help")
    assert "shoal" in imported
    assert not imported & HEAVY


def test_no_work_waits_for_packages_it_does_not_need(data: Path, policy: Path, tmp_path: Path) -> None:
    with policy.open("a", encoding="utf-8") as file:
        file.write('\n[types]\nsalary = "number"\n')
    imported = imported_by("run", data, policy, "-o", tmp_path / "release")
    assert "numba" in imported
    assert not imported & {"pandas", "scipy", "duckdb", "polars", *READERS}
    assert not imported_by("verify", tmp_path / "release") & {"numba", "pandas", "scipy"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_speaks_json(command: Command, name: str) -> None:
    result = command(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert "--json" in result.out


def test_version_is_the_packages(command: Command) -> None:
    assert command("--version").out == f"shoal {shoal.__version__}\n"


@pytest.mark.parametrize("arguments", [["swim"], ["run"], ["run", "--fast"], ["profile"], ["init", "-o"]])
def test_bad_usage_exits_with_2_and_says_what_is_wrong(command: Command, arguments: list[str]) -> None:
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Error: " in result.err


@pytest.mark.parametrize("settings", [{}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}])
def test_no_escape_codes_outside_a_terminal(
    process: Command, data: Path, policy: Path, settings: dict[str, str]
) -> None:
    result = process("check", data, policy, **settings)
    assert result.code == 1
    assert "\x1b" not in result.out + result.err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Let ``shoal profile`` end with this failure."""

    def let(failure: BaseException) -> None:
        def fail(*_: object) -> None:
            raise failure

        monkeypatch.setattr("shoal.cli.profile.profile", fail)
        monkeypatch.delenv("SHOAL_DEBUG", raising=False)

    return let


def test_an_unexpected_failure_shows_its_place_but_no_value(
    command: Command, failing: Failing, data: Path
) -> None:
    failing(ValueError("Zaphod-001"))
    result = command("profile", data, "--json")
    assert result.code == 2
    assert "Zaphod" not in result.err + result.out
    assert "ValueError at test_main.py" in result.err
    assert "  Hint: SHOAL_DEBUG=1" in result.err
    assert "ValueError at test_main.py" in result.json["faults"][0]["what"]


def test_too_little_memory_is_said_plainly(command: Command, failing: Failing, data: Path) -> None:
    failing(MemoryError())
    result = command("profile", data)
    assert result.code == 2
    assert result.err.startswith("error: there is not enough memory for this table\n  Hint: ")


def test_stopping_by_hand_says_that_nothing_is_half_written(
    command: Command, failing: Failing, data: Path
) -> None:
    failing(KeyboardInterrupt())
    result = command("profile", data)
    assert (result.code, result.err) == (130, "stopped; nothing was left half-written\n")


def ended_in_the_middle(by: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """The signal comes in the worst moment: when release and link are written but not yet verified."""
    code = (
        "import os, signal, shoal.release.release as release, shoal.release.large_release as large\n"
        "from shoal.cli.main import main\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # the tests may run under nohup
        f"def end(*_): os.kill(os.getpid(), signal.{by}); raise AssertionError('it lives')\n"
        "release.read_data = end\n"
        "large.StoredRelease.complete = end\n"
        "main()"
    )
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
def test_being_ended_leaves_nothing_behind(data: Path, policy: Path, tmp_path: Path, by: str) -> None:
    before = set(tmp_path.iterdir())
    arguments = ["run", data, policy, "-o", tmp_path / "release", "--audit", tmp_path / "audit.csv"]
    done = ended_in_the_middle(by, *arguments)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "stopped; nothing was left half-written\n"
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
def test_being_ended_on_the_disk_engine_leaves_nothing_behind(
    data: Path, policy: Path, tmp_path: Path, by: str
) -> None:
    before = set(tmp_path.iterdir())
    arguments = ["run", data, policy, "-o", tmp_path / "release", "--audit", tmp_path / "audit.csv"]
    done = ended_in_the_middle(by, *arguments, "--engine", "disk")
    assert (done.returncode, done.stdout) == (143, "")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_a_link_that_a_killed_run_leaves_is_taken_away_by_the_next(
    command: Command, data: Path, policy: Path, tmp_path: Path, engine: str
) -> None:
    """Another name of link or release does not matter, nor that no link is asked for."""
    (tmp_path / "private").mkdir()
    audits = [tmp_path / "private" / "audit.csv", tmp_path / "link.csv"]
    for number, audit in enumerate(audits):
        arguments = ["run", data, policy, "-o", tmp_path / f"killed-{number}", "--audit", audit]
        assert ended_in_the_middle("SIGKILL", *arguments, "--engine", engine).returncode == -9
        (left,) = audit.parent.glob(f".{audit.name}.*")
        assert left.stat().st_size > 0
        assert left.stat().st_mode & 0o777 == 0o600
    assert command("run", data, policy, "-o", tmp_path / "release").code == 0
    assert not list(tmp_path.glob(".link.csv.*"))
    again = tmp_path / "private" / "other.csv"
    assert command("run", data, policy, "-o", tmp_path / "release-2", "--audit", again).code == 0
    assert list(again.parent.iterdir()) == [again]


def test_a_recoding_that_a_killed_run_leaves_is_taken_away_by_the_next(
    command: Command, data: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "classes.toml"
    policy.write_text(
        '[columns]\nname = "identifier"\nsalary = "quasi"\nbonus = "quasi"\nregion = "other"\n'
        '[[guarantees]]\nkind = "k-anonymity"\nk = 4\n'
    )
    recoding = tmp_path / "recoding.json"
    arguments = ["run", data, policy, "-o", tmp_path / "release", "--save-recoding", recoding]
    assert ended_in_the_middle("SIGKILL", *arguments).returncode == -9
    assert len(list(tmp_path.glob(".recoding.json.*"))) == 1
    assert command(*arguments).code == 0
    assert not list(tmp_path.glob(".recoding.json.*"))


def test_a_hang_up_that_is_ignored_stays_ignored(data: Path, policy: Path, tmp_path: Path) -> None:
    """As under nohup."""
    code = (
        "import os, signal, shoal.cli.run as run\n"
        "from shoal.cli.main import main\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "tells = run.say_run\n"
        "hang_up = lambda: os.kill(os.getpid(), signal.SIGHUP)\n"
        "run.say_run = lambda *given, **named: (hang_up(), tells(*given, **named))\n"
        "main()"
    )
    command = [sys.executable, "-c", code, "run", data, policy, "-o", tmp_path / "release"]
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_the_exit_code_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(main, "exit_at_once", left.append)
    monkeypatch.setattr(main.gc, "disable", lambda: None)
    monkeypatch.setattr(main.signal, "signal", lambda *_: None)
    monkeypatch.setattr(main, "hide_pandas", lambda: None)
    monkeypatch.setattr(main, "watch_output", lambda: None)
    monkeypatch.setattr(sys, "argv", ["shoal", "swim"])
    main.main()
    assert left == [2]
