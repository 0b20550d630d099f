"""What `shoal run` says when no release satisfies the policy."""

from pathlib import Path

import pytest

from shoal.cli.terminal import infeasible
from shoal.comparison.diagnosis import Diagnosis
from tests.cli.conftest import POLICY, Command, holds_a_cell

DIVERSE = (
    POLICY.replace('"other"', '"sensitive"').replace("kf-anonymity", "k-anonymity").split("knows")[0]
    + '\n[[guarantees]]\nkind = "l-diversity"\nl = 5\nsensitive = "region"\n\n[method]\nname = "mondrian"\n'
)


def test_the_shortfall_and_what_would_work_follow_the_error(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    policy.write_text(DIVERSE)
    result = command("run", data, policy, "-o", tmp_path / "release")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error: ")
    assert result.err.endswith(
        "  guarantee 2 (l-diversity): asked for 5 different values of region, 3 can be reached\n"
        "What would work:\n"
        "  - ask for 3 instead of 5 different values of region\n"
        "      l = 3 in [[guarantees]] number 2\n"
    )
    assert not holds_a_cell(result.err)
    assert not (tmp_path / "release").exists()


def test_json_has_them_beside_the_faults(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    policy.write_text(DIVERSE)
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert result.code == 1
    assert list(result.json) == ["faults", "shortfalls", "changes"]
    (shortfall,), (change,) = result.json["shortfalls"], result.json["changes"]
    assert (shortfall["place"], shortfall["asked"], shortfall["reachable"]) == (2, 5, 3)
    assert (change["parameter"], change["then"], change["smallest"]) == ("l", 3, True)
    assert not holds_a_cell(result.out)


def test_what_was_written_down_works(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    policy.write_text(DIVERSE.replace("l = 5", "l = 3"))
    assert command("run", data, policy, "-o", tmp_path / "release").code == 0


def test_a_k_above_the_number_of_records_is_bad_input_with_a_way_out(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    policy.write_text(DIVERSE.replace("l = 5", "l = 3").replace("k = 4", "k = 41"))
    result = command("run", data, policy, "-o", tmp_path / "release")
    assert result.code == 2
    assert "  - ask for 40 instead of 41 records that share their quasi values\n" in result.err
    assert "      k = 40 in [[guarantees]] number 1\n" in result.err


def test_other_faults_are_said_once_and_nothing_is_tried(
    command: Command, data: Path, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infeasible, "steps", None)
    policy.write_text(POLICY.replace("bonus  =", "bones  =").replace("salary + bonus", "salary + bones"))
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert result.code == 2
    assert list(result.json) == ["faults"]


def test_nothing_found_is_nothing_said(capsys: pytest.CaptureFixture[str]) -> None:
    infeasible._tell(Diagnosis())
    assert capsys.readouterr().err == ""
