"""``shoal check``: tables from any tool, judged by a policy."""

from pathlib import Path

import pytest

import shoal
from shoal.policy.model.policy import Policy
from shoal.release.integrity.protection_limits import protection_limits

from .conftest import Command

RANGES = "salary,bonus,region\n" + '"[10, 20]",5,north\n' * 4
OTHER_WAYS = "salary,bonus,region\n" + "10-20,5,north\n10..20,5,north\n" * 2


@pytest.mark.parametrize("table", [RANGES, OTHER_WAYS, RANGES.replace("[10, 20]", "15")])
def test_a_table_that_keeps_the_promise(command: Command, data: Path, policy: Path, table: str) -> None:
    data.write_text(table)
    result = command("check", data, policy)
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
def test_the_answer_as_json(command: Command, data: Path, policy: Path, more: str, code: int) -> None:
    data.write_text(RANGES + more)
    result = command("check", data, policy, "--json")
    assert (result.code, result.err) == (code, "")
    assert set(result.json) == {"holds", "verdicts", "does_not_protect_against", "not_measured"}
    assert result.json["holds"] is (code == 0)


def test_what_stays_open_is_said_whether_it_holds_or_not(command: Command, data: Path, policy: Path) -> None:
    for more in ("", "99,5,south\n"):
        data.write_text(RANGES + more)
        told, found = command("check", data, policy), command("check", data, policy, "--json").json
        checked = shoal.check(data, policy)
        assert (
            found["does_not_protect_against"]
            == protection_limits(Policy.load(policy))
            == list(checked.limits)
        )
        assert found["not_measured"] == list(checked.not_measured)
        assert found["not_measured"][0].startswith("leaks: not measured (needs the original)")
        assert "\nNot protected against:\n" in told.out
        for line in (*checked.limits, *checked.not_measured):
            assert line in told.out


def test_what_run_has_written_passes(command: Command, release: Path, policy: Path) -> None:
    assert command("check", release / "data.csv", policy).code == 0


CELLS = (("[20, 30)", "130**"), ("(30, 40]", "130**"), (">=50", "148**"), ("<20", "*"), ("*", "*"))
HALF_OPEN = "age,zip,illness\n" + "".join(
    f'"{age}",{code},{illness}\n' for age, code in CELLS for illness in ("flu", "asthma", "none")
)
BY_VALUES = """\
[columns]
age = "quasi"
zip = "quasi"
illness = "sensitive"

[[guarantees]]
kind = "k-anonymity"
k = 3

[[guarantees]]
kind = "l-diversity"
l = 3
sensitive = "illness"
"""


def test_half_open_ranges_and_stars_of_another_tool_are_classes(
    command: Command, data: Path, policy: Path
) -> None:
    data.write_text(HALF_OPEN)
    policy.write_text(BY_VALUES)
    result = command("check", data, policy, "--json")
    assert (result.code, result.err) == (0, "")
    assert [verdict["achieved"].get("k") for verdict in result.json["verdicts"]] == [3, None]
    assert result.json["verdicts"][0]["achieved"]["classes"] == 5


def test_two_starred_records_are_too_few(command: Command, data: Path, policy: Path) -> None:
    data.write_text(HALF_OPEN.removesuffix('"*",*,none\n'))
    policy.write_text(BY_VALUES)
    result = command("check", data, policy)
    assert result.code == 1
    assert "2 records share their published quasi values with fewer than 3" in result.out


@pytest.mark.parametrize("cell", ["[20, 30)", ">50", "<=20"])
def test_an_aggregate_needs_both_ends(command: Command, data: Path, policy: Path, cell: str) -> None:
    data.write_text(RANGES.replace("[10, 20]", cell))
    result = command("check", data, policy)
    assert result.code == 2
    assert "column 'salary' has 4 of 4 cells that are neither numbers nor ranges" in result.err
    assert "are labels and give no number: write both ends" in result.err
    assert cell not in result.err.partition("Hint")[0]
