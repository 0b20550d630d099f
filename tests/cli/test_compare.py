"""``shoal compare``: rows side by side, a chart, and when it says no."""

from pathlib import Path

import pytest

from shoal.anonymizer.choose import choose
from shoal.anonymizer.registry import METHODS
from shoal.policy.model.policy import Policy

from .conftest import POLICY, TABLE, Command, holds_a_cell
from .test_main import imported_by

SERVING = [row.name for row in METHODS if "kf-anonymity" in row.serves]
ROW = {
    "policy", "method", "k", "ncp", "ncp_range", "exact_cells", "classes", "suppressed", "candidates",
    "holds", "seconds", "infeasible", "faults",
    "largest_share", "sum_of_error", "max_of_error", "arbitrary_error", "range_error",
    "sse_sst", "linked", "risk", "largest_risk", "parameters", "as_written", "frontier", "loss",
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
        "smallest candidate set", "risk", "largest risk", "seconds", "frontier", "holds"
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
    assert all(1 / row["candidates"] == pytest.approx(row["largest_risk"]) for row in rows)
    assert {row["loss"] for row in rows} == {"ncp"}
    assert rows[0]["parameters"] == {"k": 2}
    assert [row["as_written"] for row in rows] == [False, True, False, True]
    (chosen,) = result.json["recommended"]
    assert chosen["row"] in (1, 3)
    assert result.json["chart"] is result.json["frontier_chart"] is None


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
    assert result.out.splitlines()[1].split()[-5::4] == ["3", "NO"]
    assert "Recommended: nothing\n  Nothing that was tried holds" in result.out


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
        (("--vary", "k"), "--vary 'k' names no parameter and its values", "suppression=0,0.02"),
        (("--vary", "k=,"), "--vary k names nothing", "leave --vary k out"),
        (("--vary", "k=1"), "k = 1 protects nobody", "at least 2"),
        (("--vary", "supression=0"), "has a parameter 'supression'", "'suppression'"),
        (("--vary", "subsets=2"), "has a parameter 'subsets'", "write options.subsets"),
        (("--k", "2", "--vary", "k=3"), "values of k are given twice", "in one place"),
        (("--vary", "k=2", "--vary", "k=3"), "--vary names 'k' twice", "all its values at once"),
        (("--frontier", "risk.pdf"), "cannot be written as 'risk.pdf'", "end its name in .svg or .png"),
        (("-o", "a.svg", "--frontier", "a.svg"), "both charts would be one file", "another name"),
        (
            ("--vary", "k=" + ",".join(map(str, range(2, 104))), "--methods", "residual,aggranon"),
            "these methods and parameters make 204 runs, and at most 200",
            "vary fewer",
        ),
    ],
)
def test_bad_questions_are_refused_before_the_table_is_read(
    command: Command, policy: Path, options: tuple[str, ...], says: str, hint: str
) -> None:
    result = command("compare", "nowhere.csv", policy, *options)
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert hint in result.err.partition("  Hint: ")[2]


def test_parameters_are_columns_and_the_choice_never_promises_less(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    chart = tmp_path / "risk.svg"
    arguments = ("--methods", "aggranon", "--vary", "within=0.05,0.1", "--vary", "k=2,4", "--frontier", chart)
    result = command("compare", data, policy, *arguments)
    assert result.code == 0
    head, *rows = (line.split() for line in result.out.splitlines()[:5])
    assert head[:3] == ["method", "k", "within"]
    assert [row[1:3] for row in rows] == [["2", "0.05"], ["4", "0.05"], ["2", "0.1"], ["4", "0.1"]]
    # the attacker of the policy knows the sum exactly, these know less
    assert "Recommended: nothing\n  What holds promises less than the policy as it is written" in result.out
    assert result.out.endswith(f"\nWrote {chart}\n")
    assert chart.read_text(encoding="utf-8").count('aria-roledescription="point"') == 4


def test_the_recommended_row_keeps_the_k_of_the_policy(command: Command, data: Path, policy: Path) -> None:
    arguments = ("compare", data, policy, "--methods", "aggranon", "--vary", "k=2,3,4,8")
    told = command(*arguments).out
    assert "Recommended: aggranon, k = 4\n  It loses least of the 2 that hold" in told
    assert "halves the chance on average is aggranon, k = 8" in told
    (chosen,) = command(*arguments, "--json").json["recommended"]
    assert (chosen["policies"], chosen["row"], chosen["step"]) == (["policy"], 2, 3)


PERMUTED = """\
[columns]
name   = "identifier"
salary = "quasi"
bonus  = "sensitive"
region = "quasi"

[[guarantees]]
kind = "ke-anonymity"
k = 2
e = 1
sensitive = "bonus"
"""


def test_permuted_and_blurred_releases_share_a_table(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    other, chart = tmp_path / "groups.toml", tmp_path / "risk.svg"
    other.write_text(PERMUTED)
    policy.write_text(POLICY + '\n[method]\nname = "aggranon"\n')
    arguments = ("compare", data, policy, other, "--vary", "e=1,2,900000000")
    told = command(*arguments, "--frontier", chart).out
    head, *rows = told.splitlines()
    assert all(name in head for name in ("NCP", "error of any rows", "classes", "largest share", "e  "))
    assert [row.split()[-1] for row in rows[:4]] == ["yes", "yes", "yes", "infeasible"]
    assert "Recommended for policy: aggranon, k = 4" in told
    assert "Recommended for groups: min-sum, k = 2, e = 1" in told
    assert "which promise is needed is for people to say" in told
    drawn = chart.read_text(encoding="utf-8")
    assert "the right record" in drawn
    assert "the right value" in drawn
    found = command(*arguments, "--json").json
    assert [row["loss"] for row in found["compared"]] == ["ncp", *["arbitrary_error"] * 2, None]
    assert [row["parameters"] for row in found["compared"]] == [{}, {"e": 1}, {"e": 2}, {"e": 900000000}]
    assert [one["policies"] for one in found["recommended"]] == [["policy"], ["groups"]]


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
    risks = tmp_path / "risk.svg"
    said = command("compare", data, policy, "--k", "2,4,41", "-o", chart, "--frontier", risks).out
    said += command("compare", data, policy, "--k", "2,4,41", "--json").out
    said += chart.read_text(encoding="utf-8") + risks.read_text(encoding="utf-8")
    assert "aggranon" in said
    assert not holds_a_cell(said)


def test_nothing_is_loaded_that_is_not_needed(data: Path, policy: Path) -> None:
    imported = imported_by("compare", data, policy, "--methods", "aggranon")
    assert not imported & {"altair", "vl_convert", "pandas", "scipy", "duckdb"}
