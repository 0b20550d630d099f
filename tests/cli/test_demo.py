"""``shoal demo``: the first story, told and kept."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal.demo.tax_table import tax_table
from shoal.release.opened_release import open_release

from .conftest import Command

FEW = 2_000  # rows that are reported, with every attack, in less time than those of the story


def test_the_story_is_told_in_order(process: Command) -> None:
    result = process("demo")
    assert (result.code, result.err) == (0, "")
    assert "20,000" in result.out
    beats = [
        "A tax office wants to publish", "the total alone singles out", "What shoal publishes instead",
        "What it costs", "mondrian", "holds  In this table", "Analysts ask another release",
        "the truth", "Keep it: shoal demo -o",
    ]  # fmt: skip
    places = [result.out.find(beat) for beat in beats]
    assert -1 not in places
    assert places == sorted(places)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    table = tax_table(FEW)
    monkeypatch.setattr("shoal.demo.story.tax_table", lambda: table)
    return table


@pytest.mark.usefixtures("table")
def test_the_story_as_json(command: Command) -> None:
    result = command("demo", "--json")
    assert (result.code, result.err) == (0, "")
    story = result.json
    assert story["rows"] == FEW
    assert 0 < story["unique_totals"] < story["below_k"] < story["rows"]
    assert "mondrian" in [made["method"] for made in story["methods"]]
    assert all({"ncp", "ncp_range"} <= set(made["loss"]) for made in story["methods"])
    assert story["holds"] is True
    averages = [row["avg(salary)"] for row in story["answer"]["rows"]]
    assert all(one["lower"] < one["expected"] < one["upper"] for one in averages)
    assert story["kept_in"] is None


def test_what_is_kept_can_be_verified_and_made_again(
    command: Command, tmp_path: Path, table: pa.Table
) -> None:
    folder = tmp_path / "demo"
    result = command("demo", "-o", folder)
    assert result.code == 0
    assert f"shoal verify {folder}/release" in result.out
    assert {path.name for path in folder.iterdir()} == {
        "tax.csv", "policy.toml", "release", "analysts.toml", "analysts", "report.html"
    }  # fmt: skip
    answer = open_release(folder / "analysts").query("select avg(salary) from data").rows[0]["avg(salary)"]
    assert answer.lower == answer.upper == np.mean(np.array(table["salary"]))
    assert f"shoal query {folder}/analysts" in result.out
    assert all(verdict.holds for verdict in open_release(folder / "release").verify(folder / "tax.csv"))
    again = command("run", folder / "tax.csv", folder / "policy.toml", "-o", tmp_path / "again")
    assert again.code == 0
