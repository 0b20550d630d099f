"""``shoal check``: tables from any tool, judged by a policy."""

from pathlib import Path

import pytest

from .conftest import Command

RANGES = "salary,bonus,region\n" + '"[10, 20]",5,north\n' * 4
OTHER_WAYS = "salary,bonus,region\n" + "10-20,5,north\n10..20,5,north\n" * 2


@pytest.mark.parametrize("table", [RANGES, OTHER_WAYS, RANGES.replace("[10, 20]", "15")])
def test_a_table_that_keeps_the_promise(process: Command, data: Path, policy: Path, table: str) -> None:
    data.write_text(table)
    result = process("check", data, policy)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("holds  kf-anonymity: ")


def test_a_table_that_breaks_it(process: Command, data: Path, policy: Path) -> None:
    data.write_text(RANGES + "99,5,south\n")
    result = process("check", data, policy)
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("FAILS  kf-anonymity: ")
    assert "smallest classes: 1, 4 records" in result.out


def test_identifiers_must_not_be_published(command: Command, data: Path, policy: Path) -> None:
    result = command("check", data, policy, "--json")
    assert result.code == 1
    assert [verdict["kind"] for verdict in result.json["verdicts"]] == ["kf-anonymity", "no-identifiers"]


@pytest.mark.parametrize(("more", "code"), [("", 0), ("99,5,south\n", 1)])
def test_the_answer_as_json(process: Command, data: Path, policy: Path, more: str, code: int) -> None:
    data.write_text(RANGES + more)
    result = process("check", data, policy, "--json")
    assert (result.code, result.err) == (code, "")
    assert set(result.json) == {"holds", "verdicts"}
    assert result.json["holds"] is (code == 0)


def test_what_run_has_written_passes(command: Command, release: Path, policy: Path) -> None:
    assert command("check", release / "data.csv", policy).code == 0
