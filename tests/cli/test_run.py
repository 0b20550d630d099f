"""``shoal run``: a release, what it says about it, and when it says no."""

import csv
import json
from pathlib import Path

import pytest

from shoal.anonymizer.choose import choose
from shoal.policy.model.policy import Policy

from .conftest import POLICY, TABLE, Command, holds_a_cell

RESULT = {
    "release", "method", "rows", "published", "suppressed", "classes", "loss", "verdicts", "seconds"
}  # fmt: skip


def test_the_installed_command_writes_a_release(
    process: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    result = process("run", data, policy, "-o", tmp_path / "release")
    assert (result.code, result.err) == (0, "")
    assert "holds  kf-anonymity: " in result.out
    assert "holds  truth: " in result.out
    assert "Not protected against:" in result.out
    assert {path.name for path in (tmp_path / "release").iterdir()} == {"data.csv", "manifest.json"}


def test_the_result_as_json(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert (result.code, result.err) == (0, "")
    assert set(result.json) >= RESULT
    assert (result.json["rows"], result.json["published"], result.json["suppressed"]) == (40, 40, 0)
    assert 1 <= result.json["classes"] <= 10
    assert set(result.json["loss"]) == {"ncp", "ncp_range"}
    assert set(result.json["seconds"]) == {"read", "anonymize", "verify", "write", "total"}
    for verdict in result.json["verdicts"]:
        assert set(verdict) >= {"kind", "holds", "asked", "achieved", "sentence"}
        assert verdict["holds"]
    assert result.json["verdicts"][0]["asked"] == {"k": 4, "knows": ["salary + bonus"]}


def test_no_answer_and_no_manifest_holds_a_cell(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    said = command("run", data, policy, "-o", tmp_path / "first").out
    said += command("run", data, policy, "-o", tmp_path / "second", "--json").out
    said += (tmp_path / "first" / "manifest.json").read_text(encoding="utf-8")
    assert not holds_a_cell(said)


def test_every_class_is_wide_enough_for_the_total(release: Path) -> None:
    with (release / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["salary", "bonus", "region"]

    def ends(cell: str) -> list[int]:
        parts = [int(end) for end in cell.strip("[]").split(", ")]
        return [parts[0], parts[-1]]

    totals = [tuple(map(sum, zip(ends(row["salary"]), ends(row["bonus"]), strict=True))) for row in rows]
    assert min(totals.count(total) for total in totals) >= 4


def test_parquet_is_written_on_request(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    assert command("run", data, policy, "-o", folder, "--format", "parquet").code == 0
    assert {path.name for path in folder.iterdir()} == {"data.parquet", "manifest.json"}
    assert command("verify", folder, "--against", data).code == 0


def test_a_seed_is_marked_as_unsafe(command: Command, data: Path, policy: Path, tmp_path: Path) -> None:
    result = command("run", data, policy, "-o", tmp_path / "release", "--seed", "4711", "--json")
    assert result.json["unsafe_seed"] is True
    text = (tmp_path / "release" / "manifest.json").read_text(encoding="utf-8")
    assert "do not publish" in json.loads(text)["unsafe"]
    assert "4711" not in text


@pytest.mark.usefixtures("release")
def test_a_seed_beside_a_secret_is_refused(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    secret = ("--secret-from", tmp_path / "audit.csv")
    result = command("run", data, policy, "-o", tmp_path / "again", *secret, "--seed", "1")
    assert result.code == 2
    assert "  Hint: leave the seed out" in result.err
    assert not (tmp_path / "again").exists()


def test_the_same_secret_makes_the_same_release(
    command: Command, release: Path, data: Path, policy: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    assert command("run", data, policy, "-o", again, "--secret-from", tmp_path / "audit.csv").code == 0
    assert (again / "data.csv").read_bytes() == (release / "data.csv").read_bytes()


def test_the_chosen_method_and_the_reason_are_said(
    command: Command, data: Path, policy: Path, tmp_path: Path
) -> None:
    choice = choose(Policy.load(policy))
    said = command("run", data, policy, "-o", tmp_path / "a").out
    assert said.startswith(f"Method {choice.method.name}: {choice.why}.\n")
    policy.write_text(POLICY + '\n[method]\nname = "mondrian"\n')
    made = command("run", data, policy, "-o", tmp_path / "b", "--json").json
    assert (made["method"], made["why"]) == ("mondrian", "the policy names it")
    assert set(made["loss"]) == {"ncp", "ncp_range", "ncp_split", "ncp_range_split"}


MISSING = POLICY + '\n[missing]\nbonus = "suppress"\n\n[method]\nsuppression = {share}\n'


@pytest.mark.parametrize(("share", "code"), [("0.05", 0), ("0.0", 1)])
def test_suppressing_more_than_allowed_is_infeasible(
    command: Command, data: Path, policy: Path, tmp_path: Path, share: str, code: int
) -> None:
    header, first, *rest = TABLE.splitlines(keepends=True)
    data.write_text(header + first.replace("910000", "") + "".join(rest))
    policy.write_text(MISSING.format(share=share))
    result = command("run", data, policy, "-o", tmp_path / "release")
    assert result.code == code
    assert (tmp_path / "release").exists() == (code == 0)
    if code == 0:
        assert "39 of 40 records" in result.out
        assert "1 suppressed" in result.out
    else:
        assert "  Hint: set suppression = 0.025 in [method]" in result.err


@pytest.mark.parametrize("within", ["0.05", '0.01\nband = "any"'])
def test_an_attacker_who_knows_the_total_roughly(
    command: Command, data: Path, policy: Path, tmp_path: Path, within: str
) -> None:
    policy.write_text(POLICY + f"within = {within}\n")
    folder = tmp_path / "release"
    assert command("run", data, policy, "-o", folder).code == 0
    assert command("verify", folder, "--against", data).code == 0


def test_replacing_a_release_is_asked_for_in_words(
    command: Command, release: Path, data: Path, policy: Path
) -> None:
    before = (release / "data.csv").read_bytes()
    assert command("run", data, policy, "-o", release).code == 2
    assert (release / "data.csv").read_bytes() == before
    assert command("run", data, policy, "-o", release, "--force").code == 0
    assert (release / "data.csv").read_bytes() != before


@pytest.mark.parametrize("kind", [".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet"])
def test_every_kind_of_file_gives_the_same_release(
    command: Command, data: Path, policy: Path, tmp_path: Path, kind: str
) -> None:
    import pandas

    frame, path = pandas.read_csv(data), tmp_path / f"other{kind}"
    match kind:
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True)
        case ".parquet":
            frame.to_parquet(path)
        case _:
            frame.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    for source, out in ((data, "one"), (path, "two")):
        assert command("run", source, policy, "-o", tmp_path / out, "--seed", 7).code == 0
    assert (tmp_path / "one" / "data.csv").read_text() == (tmp_path / "two" / "data.csv").read_text()


def test_nodes_lists_every_minimal_generalization(command: Command, tmp_path) -> None:
    (tmp_path / "table.csv").write_text("town,age\nUlm,20\nUlm,20\nKiel,21\nKiel,22\n", encoding="utf-8")
    policy = '[columns]\ntown = "quasi"\nage = "quasi"\n[hierarchies]\nage.intervals = [5]\n'
    asked = '[[guarantees]]\nkind = "k-anonymity"\nk = 2\n[method]\nname = "incognito"\n'
    (tmp_path / "policy.toml").write_text(policy + asked, encoding="utf-8")
    result = command(
        "run", tmp_path / "table.csv", tmp_path / "policy.toml", "-o", tmp_path / "out", "--nodes"
    )
    assert result.code == 0
    assert "Levels of the 1 found, the one taken first:" in result.out
    levels = result.out.splitlines()[-1].split()
    assert levels[:3] == ["0", "1", "0"]


MEANS = """\
[columns]
name   = "identifier"
salary = "quasi"
bonus  = "quasi"
region = "sensitive"

[[guarantees]]
kind = "kpqr-anonymity"
k = 4
p = 2
q = 0.5
r = 0.5
sensitive = "region"
"""


def test_class_means_come_with_what_they_keep(command: Command, data: Path, tmp_path: Path) -> None:
    policy = tmp_path / "means.toml"
    policy.write_text(MEANS, encoding="utf-8")
    told = command("run", data, policy, "-o", tmp_path / "told")
    assert told.code == 0
    assert "100 SSE / SST is" in told.out
    assert "Means are kept, variances keep at least" in told.out
    assert "are nearest to their own class" in told.out
    found = command("run", data, policy, "-o", tmp_path / "release", "--json").json
    assert set(found["loss"]) == {"sse_sst", "sse_sst_other", "ncp", "ncp_range", "average_class"}
    moments, linkage = found["utility"]["moments"], found["utility"]["linkage"]
    assert moments["columns"] == ["salary", "bonus"]
    assert moments["mean"]["after"] == pytest.approx(moments["mean"]["before"])
    assert 0 <= linkage["record"] <= linkage["class"] / 4
    manifest = (tmp_path / "release" / "manifest.json").read_text(encoding="utf-8")
    assert "moments" not in manifest
    assert "sse_sst" not in manifest


def test_class_means_are_verified_with_and_without_the_link(
    command: Command, data: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "means.toml"
    policy.write_text(MEANS, encoding="utf-8")
    folder, audit = tmp_path / "release", tmp_path / "audit.csv"
    command("run", data, policy, "-o", folder, "--audit", audit)
    assert command("verify", folder).code == 0
    assert "takes the owner's link" in command("verify", folder, "--against", data).out
    linked = command("verify", folder, "--against", data, "--audit", audit)
    assert linked.code == 0
    assert "Every class shows the means" in linked.out
    asked = command("query", folder, "select avg(salary) from data")
    assert asked.code == 2
    assert "modes of classes" in asked.err
