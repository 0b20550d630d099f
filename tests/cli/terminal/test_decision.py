"""The command decides after a run as in a report of the same release."""

import json
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("columns", [{"pay": "quasi", "illness": "sensitive"}, {"pay": "quasi"}])
def test_a_run_on_disk_measures_what_a_report_on_it_does(
    command: Command, tmp_path: Path, columns: dict[str, str]
) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    names = ["pay", "gain", *list(columns)[1:]]
    data.write_text("\n".join([",".join(names), *(",".join([str(at), str(at % 5), "flu"][: len(names)])
                                                  for at in range(60)), ""]))  # fmt: skip
    roles = "".join(f'{name} = "{columns.get(name, "quasi")}"\n' for name in names)
    policy.write_text(
        f'[columns]\n{roles}[[guarantees]]\nkind = "kf-anonymity"\nk = 60\nknows = ["pay + gain"]\n'
    )
    run = command("run", data, policy, "-o", tmp_path / "release", "--engine", "disk", "--json")
    assert run.code == 0, run.err
    decision = run.json["decision"]
    report = command("report", tmp_path / "release", "--json").json["decision"]
    assert decision["level"] == report["level"] == "watch"
    assert report["not_measured"] == decision["not_measured"]
    named = [reason["sentence"] for reason in decision["reasons"]]
    assert any("All 60 records show the same in every quasi column" in one for one in named)
    assert any("illness" in one for one in named) == ("illness" in columns)
