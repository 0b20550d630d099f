"""Whatever a name, a cell or a file name holds, the command neither steers the terminal nor begins a line."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.cli.terminal.output import paint, visible_line

from .conftest import Command, Result

ESCAPES = "\x1b]8;;http://evil.example\x07\x1b[2J\x9b31m\x85\u202e\u2066\u2028\x7f"
FORGED = "\nholds  k-anonymity: forged\r\x1b[1A"
NAMES = (f"age{ESCAPES}", f"town{FORGED}", f"note{ESCAPES}{FORGED}")
WORDS = (f"Ulm{ESCAPES}\x00", f"Rom{FORGED}")
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def assert_tame(result: Result) -> None:
    for said in (result.out, result.err):
        assert not HIDDEN.search(said)
        assert not [line for line in said.split("\n") if line.startswith("holds  k-anonymity: forged")]
    assert "Traceback" not in result.err


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A file with such names, such cells, and such a name of its own."""
    path = tmp_path / f"t{ESCAPES.replace('/', '')}{FORGED}.parquet"
    rows = {
        NAMES[0]: [20 + row // 4 for row in range(24)],
        NAMES[1]: [WORDS[row % 2] for row in range(24)],
        NAMES[2]: [f"{WORDS[0]}{row % 3}" for row in range(24)],
    }
    parquet.write_table(pa.table(rows), path)
    return path


def policy_file(tmp_path: Path, roles: tuple[str, ...] = ("quasi", "quasi", "sensitive"), k: int = 2) -> Path:
    columns = "".join(
        f"{json.dumps(name)} = {json.dumps(role)}\n" for name, role in zip(NAMES, roles, strict=True)
    ).replace("\x7f", "\\u007f")
    path = tmp_path / "policy.toml"
    allowed = json.dumps(NAMES).replace("\x7f", "\\u007f")
    path.write_text(
        f'[columns]\n{columns}[publish]\nallow = {allowed}\n[[guarantees]]\nkind = "k-anonymity"\nk = {k}\n',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["words", "json"])
def test_no_command_passes_an_escape_on(
    command: Command, hostile: Path, tmp_path: Path, more: list[str]
) -> None:
    policy, release, name = policy_file(tmp_path), tmp_path / "release\x1b[2J", NAMES[2]
    made = command("run", hostile, policy, "-o", release, *more)
    assert_tame(made)
    assert made.code == 0
    for arguments in (
        ["profile", hostile],
        ["init", hostile, "-o", tmp_path / "draft\x1b[2J.toml"],
        ["check", hostile, policy, "--measures"],
        ["verify", release, "--against", hostile],
        ["query", release, f'select "{name}", count(*) from data group by "{name}"'],
        ["attack", hostile, release],
        ["compare", hostile, policy, "--k", "2,3", "--methods", "mondrian"],
        ["report", release, "-o", tmp_path / "report\x1b[2J.html"],
    ):
        result = command(*arguments, *more)
        assert_tame(result)
        assert result.code == 0, arguments[0]
    if not more:
        assert "\\u001b[2J" in made.out


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["words", "json"])
def test_no_error_passes_an_escape_on(
    command: Command, hostile: Path, tmp_path: Path, more: list[str]
) -> None:
    infeasible = policy_file(tmp_path, k=23)
    assert_tame(command("run", hostile, infeasible, "-o", tmp_path / "release", *more))
    assert_tame(command("profile", tmp_path / f"nowhere{ESCAPES}{FORGED}.csv", *more))
    assert_tame(command("verify", tmp_path / f"nowhere{FORGED}", *more))
    assert_tame(command("explain", f"k{ESCAPES}{FORGED}", *more))
    assert_tame(command(f"swim{ESCAPES}{FORGED}", *more))
    assert_tame(command("profile", hostile, f"more{FORGED}", *more))
    assert_tame(command("run", hostile, infeasible, "-o", "x", "--engine", f"disk{FORGED}", *more))
    unknown = tmp_path / "unknown.toml"
    unknown.write_text(infeasible.read_text().replace("age", "agee").replace("town", "twn"))
    assert_tame(command("check", hostile, unknown, *more))


def test_json_means_what_it_meant(command: Command, hostile: Path) -> None:
    found = command("profile", hostile, "--json")
    assert [column["name"] for column in found.json["columns"]] == list(NAMES)


def test_a_file_name_that_is_no_text_is_told_in_words_and_json(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    name = str(tmp_path / "odd") + "\udcff.csv"  # a byte that is no text
    Path(name).write_text("a,b\n1,2\n3,4\n")
    for arguments in (
        ["profile", name],
        ["check", name, policy],
        ["run", data, policy, "-o", name],
        ["run", name, policy, "-o", tmp_path / "release", "--engine", "disk"],
        ["verify", name],
    ):
        for more in ([], ["--json"]):
            refused = command(*arguments, *more)
            assert_tame(refused)
            assert refused.code == 2
            assert "odd\\udcff.csv" in refused.err
            assert "something went wrong" not in refused.err


def test_what_is_shown_for_the_owner_does_no_harm_either(command: Command, tmp_path: Path) -> None:
    """The cells at fault, in a file that is looked at in a terminal or a spreadsheet."""
    bad = tmp_path / "bad.csv"
    bad.write_text('age,town\n1,x\n"=1+1\x1b[2J",y\n3,z\n4,z\n', encoding="utf-8")
    policy = tmp_path / "sum.toml"
    policy.write_text(
        '[columns]\nage = "quasi"\ntown = "other"\n'
        '[[guarantees]]\nkind = "kf-anonymity"\nk = 2\nknows = ["age"]\n'
    )
    refused = command("run", bad, policy, "-o", tmp_path / "release", "--show-values", tmp_path / "cells.csv")
    assert refused.code == 2
    assert "'=1+1\\u001b[2J" in (tmp_path / "cells.csv").read_text()
    assert (tmp_path / "cells.csv").stat().st_mode & 0o777 == 0o600


def test_nobody_can_forge_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert visible_line(f"{paint('holds', '32')}  \x1b[31mred") == "\x1b[32mholds\x1b[0m  \\u001b[31mred"
    assert visible_line(paint("\x1b[0m\nholds", "32")) == "\x1b[32m\\u001b[0m\\u000aholds\x1b[0m"


def test_a_command_to_copy_is_quoted_for_the_shell(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "a; rm -rf $HOME.csv"
    table.write_text("a,b\n1,2\n3,4\n")
    assert f"Next: shoal init '{table}'" in command("profile", table).out
    drafted = command("init", table, "-o", tmp_path / "my policy.toml")
    assert f"shoal run '{table}' '{tmp_path / 'my policy.toml'}' -o release" in drafted.out
