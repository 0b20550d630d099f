"""``shoal init``: a draft that says it guesses, and that run accepts."""

import re
from pathlib import Path

import pytest

from shoal.policy.model.policy import Policy

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
    known = (
        "kf-anonymity" if header == NAMES[0] else "k-anonymity"
    )  # a sum of what nobody knows is no promise
    assert result.json["verdicts"][0]["kind"] == known
    assert result.json["verdicts"][0]["asked"]["k"] == 10


def test_every_role_is_marked_as_a_guess(process: Command, data: Path, tmp_path: Path) -> None:
    result = process("init", data, "-o", tmp_path / "draft.toml")
    assert (result.code, result.err) == (0, "")
    assert "every role in it is a guess" in result.out
    text = (tmp_path / "draft.toml").read_text(encoding="utf-8")
    roles = text.split("[columns]\n")[1].split("\n\n")[0].splitlines()
    assert len(roles) == 4
    assert all(re.search("# guess, (high|medium|low): ", line) for line in roles)
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


def test_missing_amounts_are_never_drafted_as_zero(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "amounts.csv", tmp_path / "draft.toml"
    data.write_text("\n".join(["salary,bonus,interest", *AMOUNTS, "5000,,1"]) + "\n")
    assert command("init", data, "-o", policy).code == 0
    assert Policy.load(policy).missing == {"bonus": "suppress"}
    assert command("run", data, policy, "-o", tmp_path / "release").code == 0


def people(rows: int, *columns: str) -> str:
    """Columns of a generated table, by name."""
    cells = {
        "age": lambda row: str(18 + 7 * row % 70),
        "zip": lambda row: f"0{8000 + 13 * row % 500}",
        "post_code": lambda row: str(10_000 + 37 * row % 9_000),
        "birth": lambda row: f"{1940 + 3 * row % 60}-{1 + row % 12:02}-{1 + row % 28:02}",
        "country": lambda row: "Ulm" if row % 3 else f"Land-{row % 40}",
        "sex": lambda row: "fm"[row % 2],
        "gender": lambda row: "" if row % 5 == 0 else "fm"[row % 2],
        "dob": lambda row: "" if row % 7 == 0 else f"2011-{1 + row % 12:02}-03",
        "diagnosis": lambda row: ("flu", "asthma", "none")[row % 3],
        "salary": lambda row: str(1000 + 17 * row),
        "bonus": lambda row: str(40 + 3 * row),
        "alter": lambda row: ("", '""')[row % 20 == 0] if row % 10 == 0 else str(20 + row % 40),
        "race": lambda row: "" if row % 9 == 0 else str(row % 30),
    }
    lines = [",".join(cells[name](row) for name in columns) for row in range(rows)]
    return "\n".join([",".join(columns), *lines]) + "\n"


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        (("age", "zip", "sex"), {"age": "intervals", "zip": "mask"}),
        (("birth", "sex", "diagnosis"), {"birth": "dates"}),
        (("country", "age"), {"country": "frequency", "age": "intervals"}),
        (("post_code", "age"), {"post_code": "mask", "age": "intervals"}),
        (("gender", "dob", "zip"), {"dob": "dates", "zip": "mask"}),
        (("alter", "birth"), {"alter": "intervals", "birth": "dates"}),
        (("race", "birth"), {"race": "frequency", "birth": "dates"}),
        (("age", "zip", "country", "birth", "sex"),
         {"age": "intervals", "zip": "mask", "country": "frequency", "birth": "dates"}),
    ],
    ids=lambda value: "+".join(value),
)  # fmt: skip
@pytest.mark.parametrize("rows", [12, 300])
def test_run_accepts_drafted_hierarchies(
    command: Command, tmp_path: Path, columns: tuple[str, ...], kinds: dict[str, str], rows: int
) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "draft.toml"
    data.write_text(people(rows, *columns))
    drafted = command("init", data, "-o", policy, "--json")
    assert (drafted.code, drafted.err) == (0, "")
    if rows == 300:
        assert drafted.json["hierarchies"] == kinds
        assert list(Policy.load(policy).hierarchies) == [name for name in columns if name in kinds]
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["method"] == ("optimal" if Policy.load(policy).hierarchies else "mondrian")
    assert result.json["verdicts"][0]["kind"] == "k-anonymity"


def test_beside_a_total_hierarchies_are_comments(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "draft.toml"
    data.write_text(people(300, "age", "zip", "salary", "bonus"))
    assert command("init", data, "-o", policy).code == 0
    assert Policy.load(policy).hierarchies == {}
    assert Policy.load(policy).guarantees[0].kind == "kf-anonymity"
    assert '\n# zip = { mask = "right" }   # guess: ' in policy.read_text()
    assert command("run", data, policy, "-o", tmp_path / "release").code == 0


def test_ages_alone_keep_their_ranges(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "draft.toml"
    data.write_text(people(300, "age"))
    assert command("init", data, "-o", policy).code == 0
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert (result.code, result.json["method"]) == (0, "mondrian")


def test_hierarchy_files_of_a_folder_are_used(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trees").mkdir()
    Path("drafts").mkdir()
    Path("trees/my_hierarchy_sex.csv").write_text("f;*\nm;*\n")
    Path("people.csv").write_text(people(300, "age", "sex", "salary"))
    drafted = command("init", "people.csv", "-o", "drafts/draft.toml", "--hierarchies", "trees", "--json")
    assert drafted.json["hierarchies"] == {"age": "intervals", "sex": "file"}
    assert 'sex = "../trees/my_hierarchy_sex.csv"' in Path("drafts/draft.toml").read_text()
    result = command("run", "people.csv", "drafts/draft.toml", "-o", "release", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["verdicts"][0]["kind"] == "k-anonymity"


def test_a_folder_that_helps_nothing_is_refused(command: Command, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = command("init", data, "-o", tmp_path / "d.toml", "--hierarchies", tmp_path / "empty")
    assert (result.code, "is named after a column" in result.err) == (2, True)
    assert not (tmp_path / "d.toml").exists()


@pytest.mark.parametrize(
    ("preset", "k"), [("public", 20), ("ema-0070", 12), ("hipaa-like", 11), ("wp29", 11)]
)
def test_run_accepts_drafts_by_presets(command: Command, tmp_path: Path, preset: str, k: int) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "draft.toml"
    data.write_text(people(300, "age", "zip", "sex", "salary", "bonus", "diagnosis"))
    drafted = command("init", data, "-o", policy, "--preset", preset, "--json")
    assert (drafted.code, drafted.json["preset"]) == (0, preset)
    result = command("run", data, policy, "-o", tmp_path / "release", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["verdicts"][0]["asked"]["k"] == k
    kinds = [verdict["kind"] for verdict in result.json["verdicts"]]
    assert ("l-diversity" in kinds) == (preset in ("public", "wp29"))


def test_a_preset_that_is_none_is_refused_with_the_list(command: Command, data: Path, tmp_path: Path) -> None:
    result = command("init", data, "-o", tmp_path / "d.toml", "--preset", "gdpr")
    assert result.code == 2
    assert "'public', 'ema-0070', 'hipaa-like', 'wp29'" in result.err
    assert not (tmp_path / "d.toml").exists()


def test_a_draft_by_a_preset_says_that_it_proves_nothing(
    command: Command, data: Path, tmp_path: Path
) -> None:
    result = command("init", data, "-o", tmp_path / "d.toml", "--preset", "wp29")
    assert "by preset wp29, which proves no compliance" in result.out


def test_it_warns_where_rows_of_the_same_people_count_as_people(command: Command, tmp_path: Path) -> None:
    data, policy = tmp_path / "visits.csv", tmp_path / "draft.toml"
    rows = [f"{1000 + row % 40},{20 + row % 40 % 7},{'fm'[row % 2]}" for row in range(120)]
    data.write_text("\n".join(["patient_id,age,sex", *rows]) + "\n")
    shown = " ".join(command("init", data, "-o", policy).out.split())
    assert 'rows = "people"' in policy.read_text()
    said = "the column 'patient_id' has 40 different values in 120 rows, and the draft counts every row"
    assert said in shown
    assert "give one row per person" in shown
    [warning] = command("init", data, "-o", policy, "--force", "--json").json["warnings"]
    assert said in warning
