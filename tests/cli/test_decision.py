"""The command decides after a run as in a report of the same release."""

import json
from pathlib import Path

from tests.cli.conftest import Command

POLICY = """
[columns]
age = "quasi"
zip = "quasi"
illness = "sensitive"
[[guarantees]]
kind = "k-anonymity"
k = 3
[method]
name = "mondrian"
"""


def test_the_command_says_it_after_a_run_and_in_a_report(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    rows = [f"{20 + at},{at % 7},{'flu' if at < 4 else f'illness {at % 3}'}" for at in range(40)]
    data.write_text("\n".join(["age,zip,illness", *rows, ""]))
    policy.write_text(POLICY)
    run = command("run", data, policy, "-o", tmp_path / "release")
    report = command("report", tmp_path / "release", "-o", tmp_path / "report.html")
    assert (run.code, report.code) == (0, 0)
    said = report.out[: report.out.index("\nWrote")].strip()
    assert said.startswith("watch  Think before you publish")
    assert said in run.out
    again = command("run", data, policy, "-o", tmp_path / "again", "--json")
    shown = command("report", tmp_path / "again", "--json")
    assert json.loads(again.out)["decision"] == json.loads(shown.out)["decision"]
