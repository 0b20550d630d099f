"""``shoal compare``: rows side by side, a chart, and when it says no."""

from pathlib import Path

import pytest

from shoal.anonymizer.choose import choose
from shoal.anonymizer.registry import METHODS
from shoal.policy.policy import Policy

from .conftest import POLICY, TABLE, Command, holds_a_cell
from .test_main import imported_by

SERVING = [row.name for row in METHODS if "kf-anonymity" in row.serves]
ROW = {
    "policy", "method", "k", "ncp", "ncp_range", "exact_cells", "classes", "suppressed", "candidates",
    "holds", "seconds", "infeasible", "faults",
    "largest_share", "sum_of_error", "max_of_error", "arbitrary_error", "range_error",
    "sse_sst", "linked"
}  # fmt: skip


def test_the_installed_command_compares_and_draws(
    process: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    chart = tmp_path / "chart.svg"
    result = process("compare", data, policy, "--k", "2,4,8", "-o", chart)
    assert (result.code, result.err) == (0, "")
    head, *rows = result.out.splitlines()
    assert [name.strip() for name in head.split("  ") if name] == [
        "method", "k", "NCP", "NCP by range", "exact cells", "classes", "suppressed",
        "smallest candidate set", "seconds", "holds"
    ]  # fmt: skip
    asked = [[method, k] for method in SERVING for k in ("2", "4", "8")]
    assert [row.split()[:2] for row in rows[: len(asked)]] == asked
    assert all(row.endswith("yes") for row in rows[: len(asked)])
    assert chart.read_text(encoding="utf-8").count('aria-roledescription="point"') == len(asked)
    assert result.out.endswith(f"Wrote {chart}\n")


def test_the_result_as_json(command: Command, data: Path, policy: Path) -> None:
    result = command("compare", data, policy, "--k", "2,8", "--methods", "aggranon,mondrian", "--json")
    assert (result.code, result.err) == (0, "")
    rows = result.json["compared"]
    assert [(row["method"], row["k"]) for row in rows] == [
        ("aggranon", 2), ("aggranon", 8), ("mondrian", 2), ("mondrian", 8)
    ]  # fmt: skip
    for row in rows:
        assert set(row) == ROW
        assert row["holds"] is True
        assert row["candidates"] >= row["k"]
        assert row["policy"] == "policy"
    assert rows[0]["ncp"] < rows[1]["ncp"]
    assert result.json["chart"] is None


def test_several_policies_are_told_apart_by_their_files(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    other = tmp_path / "boxes.toml"
    other.write_text(POLICY + '\n[method]\nname = "mondrian"\n')
    head, first, second, *_ = command("compare", data, policy, other).out.splitlines()
    assert head.split()[0] == "policy"
    assert first.split()[:3] == ["policy", choose(Policy.load(policy)).method.name, "4"]
    assert second.split()[:3] == ["boxes", "mondrian", "4"]
    (tmp_path / "sub").mkdir()
    same = tmp_path / "sub" / "policy.toml"
    same.write_text(POLICY)
    rows = command("compare", data, policy, same, "--json").json["compared"]
    assert [row["policy"] for row in rows] == [str(policy), str(same)]


def test_what_cannot_be_made_is_a_row_and_a_reason(command: Command, data: Path, policy: Path) -> None:
    arguments = ("compare", data, policy, "--k", "4,41", "--methods", "aggranon,residual")
    result = command(*arguments)
    assert (result.code, result.err) == (0, "")
    assert [line.split()[-1] for line in result.out.splitlines()[1:5]] == ["yes", "refused"] * 2
    reason = "guarantee 1 asks for k = 41, but the table has only 40 rows"
    assert f"\naggranon, k = 41; residual, k = 41:\n  {reason}\n  Hint: " in result.out
    rows = command(*arguments, "--json").json["compared"]
    assert [row["holds"] for row in rows] == [True, None, True, None]
    assert rows[1]["faults"][0]["what"] == reason


def test_all_refused_is_bad_input(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    result = command("compare", data, policy, "--k", "41,42", "-o", tmp_path / "chart.svg", "--json")
    assert result.code == 2
    assert [fault["what"] for fault in result.json["faults"]] == [
        f"guarantee 1 asks for k = {k}, but the table has only 40 rows" for k in (41, 42)
    ]
    assert result.err.count("error: ") == 2
    assert not (tmp_path / "chart.svg").exists()


def test_all_infeasible_is_a_no(command: Command, data: Path, policy: Path) -> None:
    header, first, *rest = TABLE.splitlines(keepends=True)
    data.write_text(header + first.replace("910000", "") + "".join(rest))
    policy.write_text(POLICY + '\n[missing]\nbonus = "suppress"\n')
    result = command("compare", data, policy, "--k", "2,4")
    assert result.code == 1
    assert result.err.count("  Hint: set suppression = 0.025 in [method]") == 1


def test_a_release_that_fails_verification_is_a_no(
    command: Command, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.release import release
    from shoal.verify.verdict import Verdict

    failed = [Verdict("kf-anonymity", False, {"k": 4}, {"k": 3}, "it does not hold")]
    monkeypatch.setattr(release, "verify_with_link", lambda *_: failed)
    result = command("compare", data, policy, "--methods", "aggranon")
    assert result.code == 1
    assert result.out.splitlines()[1].split()[-3::2] == ["3", "NO"]


@pytest.mark.parametrize(
    ("options", "says", "hint"),
    [
        (("-o", "chart.pdf"), "cannot be written as 'chart.pdf'", "end its name in .svg or .png"),
        (("-o", "nowhere/chart.svg"), "there is no folder 'nowhere'", "make it"),
        (("--k", "2,five"), "--k: 'five' is not a whole number", "--k 2,5,10"),
        (("--k", "-3"), "--k: '-3' is not a whole number", "--k 2,5,10"),
        (("--k", "1"), "k = 1 protects nobody", "at least 2"),
        (("--k", " , "), "--k names nothing", "leave --k out"),
        (("--methods", "residul"), "there is no method 'residul'", "shoal has 'residual'"),
    ],
)
def test_bad_questions_are_refused_before_the_table_is_read(
    command: Command, policy: Path, options: tuple[str, str], says: str, hint: str
) -> None:
    result = command("compare", "nowhere.csv", policy, *options)
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert hint in result.err.partition("  Hint: ")[2]


def test_an_existing_chart_is_replaced_only_on_request(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    chart = tmp_path / "chart.png"
    chart.write_text("mine")
    arguments = ("compare", data, policy, "--methods", "aggranon", "--chart", chart)
    refused = command(*arguments)
    assert refused.code == 2
    assert "exists\n  Hint: choose another name, or add --force" in refused.err
    assert chart.read_text() == "mine"
    assert command(*arguments, "--force").code == 0
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_no_answer_and_no_chart_holds_a_cell(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    chart = tmp_path / "chart.svg"
    said = command("compare", data, policy, "--k", "2,4,41", "-o", chart).out
    said += command("compare", data, policy, "--k", "2,4,41", "--json").out
    said += chart.read_text(encoding="utf-8")
    assert "aggranon" in said
    assert not holds_a_cell(said)


def test_nothing_is_loaded_that_is_not_needed(data: Path, policy: Path) -> None:
    imported = imported_by("compare", data, policy, "--methods", "aggranon")
    assert not imported & {"altair", "vl_convert", "pandas", "scipy", "duckdb"}
