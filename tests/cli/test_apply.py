"""``shoal apply``: the recoding of one run on the rows of the next, verified like any release."""

import csv
import json
import stat
from collections import Counter
from pathlib import Path

import pytest

import shoal
from shoal.release.storage.recoding_file import HEADER

from .conftest import Command

ROLES = """\
[columns]
name   = "identifier"
age    = "quasi"
zip    = "quasi"
job    = "quasi"
region = "other"
"""
HIERARCHIES = """
[hierarchies]
age = { intervals = [5, 10, 20] }
zip = { mask = "right" }
job = "job.csv"
"""
GUARANTEE = '\n[[guarantees]]\nkind = "k-anonymity"\nk = 3\n'
LOCAL = [(method, cells) for method in ("mondrian", "cluster") for cells in ("labels", "sets")]
POLICIES = ["levels.toml", "classes.toml", *(f"{method}-{cells}.toml" for method, cells in LOCAL)]
JOBS = ("Zylophonist", "Quarrymaster", "Wainwright", "Yardwarden")


def table(rows: range) -> str:
    """Every cell but a number is long enough to be recognised wherever it should not be."""
    return "name,age,zip,job,region\n" + "".join(
        f"Zaphod-{row:03d},{20 + 3 * row % 60},0{8150 + row % 3},{JOBS[row % 4]},Region-{row % 3}\n"
        for row in rows
    )


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{job};{'loud' if at % 2 else 'quiet'};*\n" for at, job in enumerate(JOBS)]
    (tmp_path / "job.csv").write_text("".join(lines))
    (tmp_path / "first.csv").write_text(table(range(120)))
    (tmp_path / "later.csv").write_text(table(range(200, 290)))
    (tmp_path / "levels.toml").write_text(ROLES + HIERARCHIES + GUARANTEE)
    (tmp_path / "classes.toml").write_text(ROLES + GUARANTEE + '\n[method]\nname = "mondrian"\n')
    for method, cells in LOCAL:
        chosen = f'\n[method]\nname = "{method}"\noptions = {{ cells = "{cells}" }}\n'
        (tmp_path / f"{method}-{cells}.toml").write_text(ROLES + HIERARCHIES + GUARANTEE + chosen)
    return tmp_path


def assert_saved(command: Command, policy: str = "levels.toml", *more: object) -> None:
    run = command("run", "first.csv", policy, "-o", "release", "--save-recoding", "recoding.json", *more)
    assert (run.code, run.err) == (0, "")


def apply(command: Command, data: str = "later.csv", *more: object):
    return command("apply", "recoding.json", data, "-o", "again", *more)


def published(folder: str) -> Counter[tuple[str, ...]]:
    with Path(folder, "data.csv").open(newline="") as file:
        return Counter(map(tuple, csv.reader(file)))


def everything(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize("policy", ["levels.toml", "classes.toml"])
def test_the_same_table_gives_the_same_release(command: Command, policy: str) -> None:
    assert_saved(command, policy)
    assert apply(command, "first.csv").code == 0
    assert published("again") == published("release")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_later_rows_are_verified_like_any_release(command: Command, policy: str, format: str) -> None:
    assert_saved(command, policy)
    result = apply(command, "later.csv", "--suppression", "0.9", "--format", format, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["why"] == "a saved recoding was applied"
    assert result.json["recoding"] == "recoding.json"
    assert result.json["rows"] == result.json["published"] + result.json["suppressed"] == 90
    assert [(one["kind"], one["holds"]) for one in result.json["verdicts"]] == [
        ("k-anonymity", True),
        ("truth", True),
    ]
    assert command("verify", "again").code == 0


def test_the_manifest_says_that_a_recoding_was_applied(command: Command, place: Path) -> None:
    assert_saved(command)
    assert apply(command, "later.csv", "--suppression", "0.5").code == 0
    first, again = (json.loads((place / name / "manifest.json").read_text()) for name in ("release", "again"))
    assert "recoding" not in first
    assert again["recoding"] == "a saved recoding, found on another table, was applied to these rows"
    assert any("both releases" in limit for limit in again["does_not_protect_against"])


def test_the_original_is_compared_with_the_help_of_the_recoding(command: Command, place: Path) -> None:
    assert_saved(command)
    (place / "later.csv").write_text(table(range(200, 290)).replace(",08150,", ",8150,"))
    assert apply(command, "later.csv", "--suppression", "0.9", "--audit", "audit.csv").code == 0
    against = ("verify", "again", "--against", "later.csv", "--audit", "audit.csv")
    refused = command(*against)
    assert refused.code == 2
    assert "give the recoding file too, with --recoding" in refused.err
    assert command(*against, "--recoding", "recoding.json").code == 0


@pytest.mark.parametrize("policy", POLICIES[2:])
def test_the_labels_of_classes_are_compared_with_the_original_too(command: Command, policy: str) -> None:
    assert_saved(command, policy)
    assert apply(command, "first.csv", "--suppression", "0.9", "--audit", "audit.csv").code == 0
    against = ("--against", "first.csv", "--audit", "audit.csv", "--recoding", "recoding.json")
    assert command("verify", "again", *against).code == 0
    cells = {row[:3] for row in published("again")}
    assert len(cells) > 2
    assert cells <= {row[:3] for row in published("release")}


def test_a_recoding_for_verify_needs_the_original(command: Command) -> None:
    assert_saved(command)
    assert "--recoding needs --against" in command("verify", "release", "--recoding", "recoding.json").err


def test_a_recoding_of_other_columns_verifies_nothing(command: Command, place: Path) -> None:
    policy = (place / "levels.toml").read_text().replace('job = "job.csv"\n', "")
    accepted = (
        policy.replace('job    = "quasi"', 'job    = "other"') + '[leaks]\naccept = ["job", "region"]\n'
    )
    (place / "fewer.toml").write_text(accepted)
    assert_saved(command, "fewer.toml")
    assert command("run", "first.csv", "levels.toml", "-o", "full").code == 0
    result = command("verify", "full", "--against", "first.csv", "--recoding", "recoding.json")
    assert (result.code, "does not belong to this release" in result.err) == (2, True)


def test_values_never_seen_before_are_labelled(command: Command, place: Path) -> None:
    assert_saved(command)
    others = [f"Zaphod-{row},97,09999,{JOBS[0]},Region-1\n" for row in range(990, 999)]
    (place / "later.csv").write_text(table(range(60)) + "".join(others))
    assert apply(command, "later.csv", "--suppression", "0.5").code == 0
    new = [row for row in published("again") if row not in published("release")]
    assert new == [("[80, 99]", "09999", "quiet", "Region-1")]


def test_unknown_values_are_all_reported_and_never_shown(command: Command, place: Path) -> None:
    assert_saved(command)
    before = everything(place)
    wrong = table(range(60)).replace("Wainwright", "Xenobiologist").replace(",08151,", ",081510000,")
    (place / "later.csv").write_text(wrong)
    result = apply(command)
    assert result.code == 1
    unlabelled = "new values, for which the recoding has no label"
    assert f"column 'zip' has 20 of 60 cells that are {unlabelled} (lines 3, 6," in result.err
    assert f"column 'job' has 15 of 60 cells that are {unlabelled} (lines 4, 8," in result.err
    assert "Xenobiologist" not in result.err
    assert "081510000" not in result.err
    assert {name: text for name, text in everything(place).items() if "later" not in name} == {
        name: text for name, text in before.items() if "later" not in name
    }


@pytest.mark.parametrize("policy", ["levels.toml", "classes.toml"])
def test_too_few_rows_are_infeasible_with_a_hint(command: Command, place: Path, policy: str) -> None:
    assert_saved(command, policy)
    (place / "later.csv").write_text(table(range(0, 120, 17)))
    result = apply(command)
    assert result.code == 1
    assert "have no class under this recoding" in result.err
    assert "  Hint: give more rows at once" in result.err
    assert not any(cell in result.err for cell in ("Zaphod", "0815", *JOBS))
    assert not (place / "again").exists()


def test_fewer_rows_than_k_are_bad_input(command: Command, place: Path) -> None:
    assert_saved(command)
    (place / "later.csv").write_text(table(range(2)))
    result = apply(command)
    assert (result.code, "but the table has only 2 rows" in result.err) == (2, True)


def test_other_columns_are_reported_at_once(command: Command, place: Path) -> None:
    assert_saved(command)
    (place / "later.csv").write_text(table(range(60)).replace("zip,job", "zap,jobs"))
    faults = apply(command, "later.csv", "--json").json["faults"]
    assert [fault["what"].split("'")[1] for fault in faults] == ["zip", "job", "zap", "jobs"]


def test_the_file_is_its_owners_alone_and_says_so(command: Command, place: Path) -> None:
    assert_saved(command)
    path = place / "recoding.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith(HEADER)
    content = json.loads(path.read_text())
    assert (content["format_version"], content["method"]) == (1, "optimal")
    assert [column["name"] for column in content["columns"]] == ["age", "zip", "job"]
    assert "Zaphod" not in path.read_text()


def test_an_existing_file_is_replaced_only_by_force_and_only_if_it_is_one(
    command: Command, place: Path
) -> None:
    again = ("run", "first.csv", "levels.toml", "-o", "other", "--save-recoding")
    assert_saved(command)
    before = (place / "recoding.json").read_bytes()
    refused = command(*again, "recoding.json")
    assert (refused.code, "the recoding file 'recoding.json' exists" in refused.err) == (2, True)
    assert (place / "recoding.json").read_bytes() == before
    assert not (place / "other").exists()
    assert command(*again, "recoding.json", "--force").code == 0
    refused = command(*again, "job.csv", "--force")
    assert (refused.code, "exists and is not a recoding file" in refused.err) == (2, True)


@pytest.mark.parametrize("target", ["release", "release/recoding.json"])
def test_it_never_lies_inside_the_release(command: Command, place: Path, target: str) -> None:
    result = command("run", "first.csv", "levels.toml", "-o", "release", "--save-recoding", target)
    assert (result.code, "recoding file would lie inside the release" in result.err) == (2, True)
    assert not (place / "release").exists()


def test_audit_and_recoding_are_two_files(command: Command, place: Path) -> None:
    both = ("--audit", "mine", "--save-recoding", "mine")
    result = command("run", "first.csv", "levels.toml", "-o", "release", *both)
    assert (result.code, "would be one file" in result.err) == (2, True)
    assert not (place / "mine").exists()


@pytest.mark.parametrize("method", ["residual", "aggranon", "aligned", "auto"])
def test_methods_that_open_single_cells_save_none(command: Command, place: Path, method: str) -> None:
    roles = ROLES.replace('zip    = "quasi"\njob    = "quasi"', 'zip    = "other"\njob    = "other"')
    known = '\n[[guarantees]]\nkind = "kf-anonymity"\nk = 3\nknows = ["age"]\n'
    (place / "kf.toml").write_text(f'{roles}{known}\n[method]\nname = "{method}"\n')
    (place / "first.csv").unlink()  # it is not even looked for
    result = command("run", "first.csv", "kf.toml", "-o", "release", "--save-recoding", "recoding.json")
    assert result.code == 2
    assert "a recoding is saved only by methods that" in result.err
    assert "Hint: name one of mondrian, cluster, optimal" in result.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace('"level": ', '"level": 1'), "does not match its own fingerprint"),
        (lambda text: text.replace('"k": 3', '"k": 2'), "does not match its own fingerprint"),
        (lambda text: text[: len(text) // 2], "is not a recoding file"),
        (lambda text: text.replace("PRIVATE", "public"), "is not a recoding file"),
        (lambda _: "", "is not a recoding file"),
        (lambda _: "[]", "is not a recoding file"),
        (lambda _: "input_row,output_row,class\n", "is not a recoding file"),
        (lambda text: text.replace('"format_version": 1', '"format_version": 99'), "by a newer shoal"),
        (lambda text: text.replace('"format_version": 1', '"format_version": "x"'), "is not a recoding file"),
    ],
)
def test_a_damaged_recoding_is_refused(command: Command, place: Path, change, says: str) -> None:
    assert_saved(command)
    path = place / "recoding.json"
    path.write_text(change(path.read_text()))
    result = apply(command)
    assert (result.code, says in result.err) == (2, True)
    assert "  Hint: " in result.err
    assert not (place / "again").exists()


def test_a_recoding_that_is_not_there(command: Command) -> None:
    assert "there is no recoding file 'recoding.json'" in apply(command).err


@pytest.mark.parametrize("share", ["-1", "1.5"])
def test_a_suppression_is_a_share(command: Command, share: str) -> None:
    assert_saved(command)
    result = apply(command, "later.csv", "--suppression", share)
    assert (result.code, "give a number between 0 and 1" in result.err) == (2, True)


def test_the_installed_command_explains_itself(process: Command) -> None:
    result = process("apply", "--help")
    assert result.code == 0
    assert "Apply a saved recoding to new rows" in result.out


def test_the_library_saves_and_applies() -> None:
    release = shoal.anonymize("first.csv", "levels.toml")
    release.save_recoding("mine.json")
    again = shoal.apply_recoding("mine.json", "later.csv", suppression=0.5)
    assert all(verdict.holds for verdict in again.verdicts)
    assert again.result.suppressed <= 45
    assert again.write("again")
    with pytest.raises(shoal.ShoalError, match="was made by a recoding"):
        _ = again.recoding
    direct = shoal.apply_recoding(release.recoding, "first.csv")
    assert direct.table.num_rows == release.table.num_rows


@pytest.mark.parametrize("policy", ["levels.toml", "classes.toml"])
def test_a_new_code_leaves_its_record_out_or_is_named(policy: str, command: Command, tmp_path: Path) -> None:
    hierarchy = "".join(f"{job};{job[0]};*\n" for job in JOBS)
    (tmp_path / "job.csv").write_text(hierarchy)
    name = "optimal" if policy == "levels.toml" else "mondrian"
    method = f'\n[method]\nname = "{name}"\nsuppression = 0.2\n'
    (tmp_path / policy).write_text(ROLES + HIERARCHIES + GUARANTEE + method)
    (tmp_path / "first.csv").write_text(table(range(240)))
    (tmp_path / "next.csv").write_text(table(range(240)) + "Zaphod-999,30,08150,Xenobiologist,Region-1\n")
    saved = tmp_path / "saved.json"
    told = command("run", tmp_path / "first.csv", tmp_path / policy, "-o", tmp_path / "first",
                   "--save-recoding", saved)  # fmt: skip
    assert told.code == 0, told.err
    done = command("apply", saved, tmp_path / "next.csv", "-o", tmp_path / "second", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["suppressed"] >= 1
    against = ("--against", tmp_path / "next.csv", "--recoding", saved)
    assert command("verify", tmp_path / "second", *against).code == 0

    refused = command("apply", saved, tmp_path / "next.csv", "-o", tmp_path / "third", "--suppression", 0)
    assert refused.code == 1
    assert "column 'job' has 1 of 241 cells that are new values" in refused.err
    assert "line 242" in refused.err
    assert "Xenobiologist" not in refused.err
