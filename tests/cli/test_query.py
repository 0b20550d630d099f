"""``shoal query``: one question, many, or a conversation."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from .conftest import SHOAL, Command
from .test_terminal import read_all

PERMUTED = """\
[columns]
name   = "identifier"
salary = "sensitive"
bonus  = "quasi"
region = "quasi"

[[guarantees]]
kind = "ke-anonymity"
k = 4
e = 100
sensitive = "salary"
"""
QUESTION = "select region, avg(salary) as pay, count(*) from data where bonus > 910001 group by region"


@pytest.fixture
def permuted(command: Command, data: Path, tmp_path: Path) -> Path:
    policy = tmp_path / "permuted.toml"
    policy.write_text(PERMUTED, encoding="utf-8")
    assert command("run", data, policy, "-o", tmp_path / "permuted").code == 0
    return tmp_path / "permuted"


def test_the_result_as_json(command: Command, permuted: Path) -> None:
    result = command("query", permuted, QUESTION, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["columns"] == ["region", "pay", "count(*)"]
    assert [row["region"] for row in result.json["rows"]] == ["Region-0", "Region-1", "Region-2"]
    for row in result.json["rows"]:
        assert set(row["pay"]) == {"lower", "expected", "upper", "sd", "hits"}
        assert row["pay"]["lower"] <= row["pay"]["expected"] <= row["pay"]["upper"]
        assert row["count(*)"]["lower"] == row["count(*)"]["upper"] == row["pay"]["hits"]


def test_the_installed_command_answers_in_a_table(process: Command, permuted: Path) -> None:
    result = process("query", permuted, QUESTION)
    assert (result.code, result.err) == (0, "")
    head, first, *_ = result.out.splitlines()
    assert head.split() == ["region", "pay", "count(*)", "hits"]
    assert first.startswith("Region-0  7,300,")
    assert " to " in first


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("select salary from data", "of single records"),
        ("select 1 from data", "asks for no aggregate"),
        ("select * from data", "single records"),
        ("select sum(salary) from data join data using (bonus)", "a join"),
        ("select sum(salary) from read_csv('/etc/passwd')", "reads the table 'data'"),
        ("select sum(wages) from data", "column 'wages' is not in the release"),
        ("drop table data", "only a SELECT"),
        ("", "only a SELECT"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(
    command: Command, permuted: Path, question: str, reason: str
) -> None:
    result = command("query", permuted, question)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
    assert "Hint:" in result.err


def test_a_generalized_release_answers_too(command: Command, release: Path) -> None:
    result = command(
        "query", release, "select sum(salary), count(*) from data where salary > 7300500", "--json"
    )
    assert result.code == 0
    (row,) = result.json["rows"]
    assert row["count(*)"]["lower"] <= 26 <= row["count(*)"]["upper"]


def test_a_folder_that_is_no_release(command: Command, tmp_path: Path) -> None:
    result = command("query", tmp_path, "select count(*) from data")
    assert result.code == 2
    assert "is not a release" in result.err


def test_questions_come_line_by_line_from_a_pipe(permuted: Path) -> None:
    lines = "select count(*) from data\n\nselect min(bonus) from data\n"
    done = subprocess.run(
        [SHOAL, "query", permuted], input=lines, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["count(*)", "hits", "40", "40", "min(bonus)", "hits", "910,000", "40"]
    empty = subprocess.run([SHOAL, "query", permuted], input="", capture_output=True, text=True, timeout=120)
    assert empty.returncode == 2
    assert "no question was asked" in empty.stderr


def test_a_conversation_goes_on_after_a_mistake_and_is_remembered(permuted: Path, tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1", "TERM": "dumb"}
    talk = subprocess.Popen([SHOAL, "query", permuted], stdin=end, stdout=end, stderr=end, env=environment)
    os.close(end)
    os.write(terminal, b"select count(*) from data;\nselect pay from data\nhelp\nquit\n")
    said = read_all(terminal)
    assert talk.wait() == 0
    assert said.count("known within bounds: salary") == 2
    assert "exact: bonus, region" in said
    assert "'pay' is not in the release" in said
    history = tmp_path / "state" / "shoal" / "questions"
    assert "select count(*) from data" in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600
