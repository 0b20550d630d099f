"""``shoal init``: a draft that says it guesses, and that run accepts."""

from pathlib import Path

import pytest

from shoal.policy.policy import Policy

from .conftest import Command

AMOUNTS = [f"{1_000 + 7 * row},{20 * row},{row % 25}.5" for row in range(50)]
NAMES = [
    "salary,bonus,interest",
    '"net pay","a ""good"" year",größe',
    "sum,min,product",
    "1st,-,x+y",
    '"a\\b",#comment,"comma, here"',
]


@pytest.mark.parametrize("header", NAMES)
def test_run_accepts_the_draft_of_a_table_of_amounts(command: Command, tmp_path: Path, header: str) -> None:
    data, policy = tmp_path / "amounts.csv", tmp_path / "draft.toml"
    data.write_text("\n".join([header, *AMOUNTS]) + "\n", encoding="utf-8")
    assert command("init", data, "-o", policy).code == 0
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["verdicts"][0]["kind"] == "kf-anonymity"
    assert result.json["verdicts"][0]["asked"]["k"] == 10


def test_every_role_is_marked_as_a_guess(process: Command, data: Path, tmp_path: Path) -> None:
    result = process("init", data, "-o", tmp_path / "draft.toml")
    assert (result.code, result.err) == (0, "")
    assert "every role in it is a guess" in result.out
    text = (tmp_path / "draft.toml").read_text(encoding="utf-8")
    roles = text.split("[columns]\n")[1].split("\n\n")[0].splitlines()
    assert len(roles) == 4
    assert all("# guess: " in line for line in roles)
    assert "Zaphod" not in text


def test_the_guesses_as_json(command: Command, data: Path, tmp_path: Path) -> None:
    result = command("init", data, "-o", tmp_path / "draft.toml", "--json")
    assert result.json["policy"] == str(tmp_path / "draft.toml")
    assert result.json["guesses"] == dict(Policy.load(tmp_path / "draft.toml").columns)


def test_the_draft_goes_to_policy_toml(
    command: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("init", data).code == 0
    assert Policy.load("policy.toml").having("identifier") == ["name"]


def test_force_replaces_the_draft(command: Command, data: Path, policy: Path) -> None:
    before = policy.read_text(encoding="utf-8")
    assert command("init", data, "-o", policy).code == 2
    assert policy.read_text(encoding="utf-8") == before
    assert command("init", data, "-o", policy, "--force").code == 0
    assert policy.read_text(encoding="utf-8") != before


def test_missing_amounts_are_drafted_as_zero(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "amounts.csv", tmp_path / "draft.toml"
    data.write_text("\n".join(["salary,bonus,interest", *AMOUNTS, "5000,,1"]) + "\n")
    assert command("init", data, "-o", policy).code == 0
    assert Policy.load(policy).missing == {"bonus": "zero"}
    assert command("run", data, policy, "-o", tmp_path / "release").code == 0
