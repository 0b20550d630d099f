"""Bad input: exit code 2, what is wrong, a hint, no cell of the table, and nothing written.

What is sound but cannot be satisfied is refused in the same way, with exit code 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from .conftest import POLICY, TABLE, Command, Result

HEADER, FIRST, *REST = TABLE.splitlines(keepends=True)
K_ANONYMITY = POLICY.replace('"kf-anonymity"', '"k-anonymity"').replace('knows = ["salary + bonus"]\n', "")


@dataclass(frozen=True)
class Bad:
    """One thing wrong with a table, a policy or the way of calling, and what must be said about it."""

    says: str
    hint: str
    table: str | None = TABLE
    policy: str | None = POLICY
    options: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)  # besides table and policy
    code: int = 2


def with_bonus(cell: str) -> str:
    """The table with this cell in line 3."""
    name, salary, _, region = REST[0].split(",")
    return HEADER + FIRST + f"{name},{salary},{cell},{region}" + "".join(REST[1:])


def method(name: str) -> str:
    return f'{POLICY}\n[method]\nname = "{name}"\n'


VISITS = "town,age,illness\n" + "".join(
    f"Townlet-{row % 4},{31_000 + row % 8},Illness-{row % 3}\n" for row in range(40)
)
TOWN_FILE = "".join(f"Townlet-{town};Region-{town // 2};*\n" for town in range(4))
AGE_FILE = "".join(f"{31_000 + age};Decade-{age // 4};*\n" for age in range(8))
VISITS_POLICY = """\
[columns]
town = "quasi"
age = "quasi"
illness = "sensitive"

[hierarchies]
town = "town.csv"
age = "age.csv"

[[guarantees]]
kind = "k-anonymity"
k = 4

[[guarantees]]
kind = "l-diversity"
l = 2
sensitive = "illness"

[method]
name = "incognito"
"""


def visits(says: str, hint: str, town: str = TOWN_FILE, age: str = AGE_FILE, **more: Any) -> Bad:
    """Something wrong around a table with hierarchies."""
    given = {"table": VISITS, "policy": VISITS_POLICY} | more
    return Bad(says, hint, files={"town.csv": town, "age.csv": age}, **given)


def diverse(says: str, hint: str, demand: str, **more: Any) -> Bad:
    """A demand on the illnesses that no release satisfies."""
    return visits(says, hint, policy=VISITS_POLICY.replace("l = 2", demand), code=1, **more)


TABLES = {
    "missing file": Bad("there is no file", "check the path", table=None),
    "empty file": Bad("pay.csv is empty", "header line", table=""),
    "blank file": Bad("pay.csv is empty", "header line", table="\n  \n"),
    "header only": Bad("has a header but no rows", "give a table with rows", table=HEADER),
    "ragged rows": Bad(
        "has 4 columns, but line 2 has 5 cells",
        "as many cells as the header",
        table=HEADER + FIRST.replace("\n", ",more\n") + "".join(REST),
    ),
    "a name twice": Bad("the same name more than once", "a name of its own",
                        table=TABLE.replace("bonus", "salary")),
    "a column without a name": Bad("no name at position 3", "name every column",
                                   table=TABLE.replace("bonus", "")),
}  # fmt: skip

MISMATCHES = {
    "column only in the policy": Bad(
        "column 'salry' is in the policy but not in the table",
        "the table has 'salary'",
        policy=POLICY.replace("salary", "salry"),
    ),
    "column only in the table": Bad(
        "column 'grade' is in the table but not in the policy",
        'add grade = "identifier"',
        table=TABLE.replace("region", "region,grade").replace("Region-", "Grade-1,Region-"),
    ),
    "text in a numeric column": Bad(
        "column 'bonus' has 1 of 40 cells that are text, not numbers (line 3)",
        "plain numbers are needed here",
        table=with_bonus("nine-hundred"),
    ),
    "codes with leading zeros": Bad(
        "codes with leading zeros, not numbers (line 3)", "another role", table=with_bonus("00910003")
    ),
    "missing cell": Bad("1 of 40 cells that are missing (line 3)", "[missing]", table=with_bonus("")),
    "NaN": Bad("1 of 40 cells that are missing (line 3)", "[missing]", table=with_bonus("NaN")),
    "infinite": Bad("infinite numbers (line 3)", "correct these cells", table=with_bonus("-inf")),
    "beyond 64 bits": Bad("beyond", "larger units", table=with_bonus("92233720368547758089")),
    "sum beyond 64 bits": Bad(
        "'salary + bonus' of these columns does not fit 64-bit arithmetic",
        "larger units",
        table=TABLE.replace(",7300", ",4611686018427300").replace(",91000", ",46116860184273910"),
    ),
    "divisor of zero": Bad(
        "the divisor in 'salary / bonus' can be zero",
        "all positive or all negative",
        table=with_bonus("0"),
        policy=POLICY.replace("salary + bonus", "salary / bonus"),
    ),
}

POLICIES = {
    "missing policy": Bad("there is no policy file", "`shoal init DATA` writes a draft", policy=None),
    "policy that is not TOML": Bad("not valid TOML", "need quotes", policy="[columns\n"),
    "no guarantee": Bad("[guarantees] is missing", "add [[guarantees]]",
                        policy=POLICY.split("[[guarantees]]")[0]),
    "unknown section": Bad("[colums] is not part of a policy", "a policy has 'columns'",
                           policy=POLICY + "[colums]\n"),
    "unknown role": Bad("[columns] bonus has no such role", "identifier, quasi, sensitive or other",
                        policy=POLICY.replace('bonus  = "quasi"', 'bonus = "quasy"')),
    "unknown kind": Bad("there is no guarantee of kind 'kf-anonimity'", "shoal has 'kf-anonymity'",
                        policy=POLICY.replace("kf-anonymity", "kf-anonimity")),
    "k = 1": Bad("[[guarantees]] 1, k", "at least 2", policy=POLICY.replace("k = 4", "k = 1")),
    "k is text": Bad("[[guarantees]] 1, k", "at least 2", policy=POLICY.replace("k = 4", 'k = "few"')),
    "k beyond the rows": Bad("k = 41, but the table has only 40 rows", "at most 40",
                             policy=POLICY.replace("k = 4", "k = 41")),
    "within beyond 1": Bad("[[guarantees]] 1, within", "between 0 and 1", policy=POLICY + "within = 1.5\n"),
    "unknown method": Bad("there is no method 'mondrain'", "shoal has 'mondrian'", policy=method("mondrain")),
    "method that cannot give it": Bad(
        "method 'aggranon' cannot give k-anonymity", "k-anonymity is given by mondrian",
        policy=K_ANONYMITY + '[method]\nname = "aggranon"\n',
    ),
    "unknown option": Bad("has no option 'relax'", "mondrian has 'relaxed'",
                          policy=method("mondrian") + "options = { relax = true }\n"),
    "unreadable expression": Bad("[[guarantees]] 1, knows", "",
                                 policy=POLICY.replace("salary + bonus", "salary + (bonus")),
    "expression that is not monotone": Bad("[[guarantees]] 1, knows", "k-anonymity",
                                           policy=POLICY.replace("salary + bonus", "var(salary, bonus)")),
    "expression over a stranger": Bad("knows 'bonsu', which [columns] does not list", "[columns] has 'bonus'",
                                      policy=POLICY.replace("salary + bonus", "salary + bonsu")),
    "quasi column without protection": Bad("quasi column 'bonus' is protected by no guarantee", "k-anonymity",
                                           policy=POLICY.replace("salary + bonus", "salary")),
}  # fmt: skip

HIERARCHY_FILES = {
    "no hierarchy file": visits(
        "there is no hierarchy file 'towns.csv' for column 'town'", "relative to the policy file",
        policy=VISITS_POLICY.replace('"town.csv"', '"towns.csv"'),
    ),
    "empty hierarchy file": visits("the hierarchy of 'town' is empty", "one line per value", town=""),
    "one odd number of levels": visits(
        "the hierarchy of 'town' has 1 line with another number of levels than 3 (line 2)",
        "the same number of labels",
        town=TOWN_FILE.replace("Townlet-1;", "Townlet-1;Quarter-1;"),
    ),
    "odd numbers of levels": visits(
        "the hierarchy of 'age' has 2 lines with another number of levels than 3 (lines 1, 8)",
        "the same number of labels",
        age=AGE_FILE.replace("31000;", "31000;31000;").replace("31007;Decade-1;", "31007;"),
    ),
    "value twice": visits(
        "the hierarchy of 'town' maps 1 value more than once (line 5)", "keep one line per value",
        town=TOWN_FILE + "Townlet-0;Region-1;*\n",
    ),
    "value twice after blank lines": visits(
        "the hierarchy of 'town' maps 1 value more than once (line 7)", "keep one line per value",
        town=TOWN_FILE + "\n\nTownlet-0;Region-0;*\n",
    ),
    "duplicate lines": visits(
        "the hierarchy of 'town' maps 4 values more than once (lines 5, 6, 7, 8)", "keep one line per value",
        town=TOWN_FILE + TOWN_FILE,
    ),
    "label under two others": visits(
        "puts labels of level 1 under different labels of level 2 (line 2)", "different names",
        town="Townlet-0;Region-0;North-0;*\nTownlet-1;Region-0;South-0;*\n",
    ),
    "star on some lines": visits("ends in '*' on some lines only", "end every line in *",
                                 town=TOWN_FILE.replace("Region-1;*", "Region-1;Region-1")),
    "hierarchy of a stranger": visits(
        "[hierarchies] names column 'twon', which [columns] does not list", "[columns] has 'town'",
        policy=VISITS_POLICY.replace("town = \"town.csv\"", "twon = \"town.csv\""),
    ),
}  # fmt: skip

UNKNOWN_VALUES = {
    "values that no hierarchy has": visits(
        "'town' has 15 of 40 cells that are not in the column's hierarchy (lines 4, 5, 9, 12, 13, ...)",
        "add a line for each of these values",
        table=VISITS.replace("Townlet-3", "Village-3").replace("Townlet-2,31002", "Village-2,31002"),
    ),
    "one number that no hierarchy has": visits(
        "column 'age' has 1 of 40 cells that are not in the column's hierarchy (line 41)",
        "add a line for each of these values",
        table=VISITS.removesuffix("31007,Illness-0\n") + "99999,Illness-0\n",
    ),
    "words where intervals are asked for": visits(
        "column 'town' has cells that are no numbers", "use groups, a tree or a file",
        policy=VISITS_POLICY.replace('"town.csv"', "{ intervals = [5] }"),
    ),
}  # fmt: skip

UNSATISFIABLE = {
    "l beyond the values": diverse("even the whole table as one class fails",
                                   "'illness' has 3 different values: ask for 3 of them at most", "l = 4"),
    "l beyond the rows": diverse("even the whole table as one class fails",
                                 "'illness' has 3 different values: ask for 3 of them at most", "l = 41"),
    "entropy l beyond the values": diverse("even the whole table as one class fails", "ask for l = 2.99",
                                           'l = 4\nvariant = "entropy"'),
    "recursive l beyond the values": diverse("even the whole table as one class fails",
                                             "ask for l = 3 at most", 'l = 4\nc = 9\nvariant = "recursive"'),
    "pd-recursive l beyond the values": diverse(
        "even the whole table as one class fails", "ask for l = 3 at most",
        'l = 4\nc = 9\nvariant = "pd-recursive"',
    ),
    "constant sensitive column": diverse(
        "even the whole table as one class fails", "'illness' has the same value in every record", "l = 2",
        table=VISITS.replace("Illness-1", "Illness-0").replace("Illness-2", "Illness-0"),
    ),
}  # fmt: skip

TARGETS = {
    "release exists": Bad("exists", "choose another folder", options=("-o", "taken")),
    "release is no folder": Bad("exists and is not a release", "move it away",
                                options=("-o", "file.txt", "--force")),
    "not writable": Bad("there is no folder", "choose another place", options=("-o", "file.txt/release")),
    "no such place": Bad("there is no folder", "make it", options=("-o", "nowhere/release")),
    "unknown format": Bad("there is no format 'xml'", "csv or parquet", options=("--format", "xml")),
    "audit inside the release": Bad("inside the release", "only you can read",
                                    options=("--audit", "release/audit.csv")),
    "audit inside by a detour": Bad("inside the release", "only you can read",
                                    options=("--audit", "taken/../release/audit.csv")),
    "audit exists": Bad("exists", "choose another name", options=("--audit", "file.txt")),
    "audit not writable": Bad("cannot be written", "check the folder", options=("--audit", "file.txt/audit")),
    "no secret to take": Bad("there is no audit file", "--audit wrote", options=("--secret-from", "nowhere")),
    "secret from something else": Bad("is not an audit file", "--audit wrote",
                                      options=("--secret-from", "file.txt")),
}  # fmt: skip

ALL = TABLES | MISMATCHES | POLICIES | HIERARCHY_FILES | UNKNOWN_VALUES | UNSATISFIABLE | TARGETS
FOR_RUN = pytest.mark.parametrize("bad", ALL.values(), ids=ALL.keys())


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file and a folder that are in the way."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "file.txt").write_text("mine\n")
    return tmp_path


@pytest.fixture
def given(place: Path) -> Callable[[Bad], None]:
    def write(bad: Bad) -> None:
        for name, text in {"pay.csv": bad.table, "policy.toml": bad.policy, **bad.files}.items():
            if text is not None:
                (place / name).write_text(text, encoding="utf-8")

    return write


def everything_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): b"" if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def cells(bad: Bad) -> Iterator[str]:
    for line in (bad.table or "").splitlines()[1:]:
        yield from (cell for cell in line.split(",") if len(cell) > 4)
    for line in "".join(bad.files.values()).splitlines():
        yield from (cell for cell in line.split(";") if len(cell) > 4)


def assert_refused(result: Result, bad: Bad) -> None:
    assert result.code == bad.code
    assert bad.says in result.err
    assert any(line.startswith("  Hint: ") and bad.hint in line for line in result.err.splitlines())
    assert not any(cell in result.out + result.err for cell in cells(bad))


def assert_nothing_else_said(result: Result) -> None:
    refusal, *_ = result.err.partition("\n  guarantee ")  # and what would work
    assert all(line.startswith(("error: ", "  Hint: ")) for line in refusal.splitlines())


RUN = ("run", "pay.csv", "policy.toml", "-o", "release")


@FOR_RUN
def test_run_refuses(command: Command, given: Callable[[Bad], None], place: Path, bad: Bad) -> None:
    given(bad)
    before = everything_below(place)
    result = command(*RUN, *bad.options)
    assert_refused(result, bad)
    assert_nothing_else_said(result)
    assert result.out == ""
    assert everything_below(place) == before


@FOR_RUN
def test_run_refuses_in_json(command: Command, given: Callable[[Bad], None], bad: Bad) -> None:
    given(bad)
    result = command(*RUN, *bad.options, "--json")
    assert_refused(result, bad)
    assert any(bad.says in fault["what"] and bad.hint in fault["hint"] for fault in result.json["faults"])
    assert all(fault["hint"] for fault in result.json["faults"])


@pytest.mark.parametrize("name", ["missing file", "k beyond the rows"])
def test_the_installed_command_refuses_cleanly(
    process: Command, given: Callable[[Bad], None], place: Path, name: str
) -> None:
    given(ALL[name])
    before = everything_below(place)
    result = process(*RUN, *ALL[name].options)
    assert_refused(result, ALL[name])
    assert_nothing_else_said(result)
    assert everything_below(place) == before


@pytest.mark.parametrize("name", ["profile", "init"])
@pytest.mark.parametrize("bad", TABLES.values(), ids=TABLES.keys())
def test_profile_and_init_refuse_the_table(
    command: Command, given: Callable[[Bad], None], place: Path, name: str, bad: Bad
) -> None:
    given(bad)
    (place / "policy.toml").unlink()
    before = everything_below(place)
    assert_refused(command(name, "pay.csv"), bad)
    assert everything_below(place) == before


# The verifier computes in wider numbers, asks for no method, and finds fewer than k records by itself.
FINE_FOR_CHECK = (
    "sum beyond 64 bits", "k beyond the rows",
    "unknown method", "method that cannot give it", "unknown option",
)  # fmt: skip
FOR_CHECK = {
    name: bad
    for name, bad in (TABLES | MISMATCHES | POLICIES | HIERARCHY_FILES).items()
    if name not in FINE_FOR_CHECK
}


@pytest.mark.parametrize("bad", FOR_CHECK.values(), ids=FOR_CHECK.keys())
def test_check_refuses(command: Command, given: Callable[[Bad], None], place: Path, bad: Bad) -> None:
    given(bad)
    before = everything_below(place)
    result = command("check", "pay.csv", "policy.toml")
    assert result.code == 2
    assert "  Hint: " in result.err
    assert not any(cell in result.out + result.err for cell in cells(bad))
    assert everything_below(place) == before


@pytest.mark.parametrize("name", FINE_FOR_CHECK)
def test_check_judges_the_table_whatever_a_method_could_not_do(
    command: Command, given: Callable[[Bad], None], name: str
) -> None:
    given(ALL[name])
    result = command("check", "pay.csv", "policy.toml")
    assert (result.code, result.err) == (1, "")
    assert "FAILS  k" in result.out


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nowhere", "there is no folder 'nowhere'"),
        ("taken", "'taken' is not a release: it has no manifest.json"),
        ("file.txt", "'file.txt' is a file"),
    ],
)
def test_verify_refuses_what_is_no_release(command: Command, target: str, says: str) -> None:
    assert_refused(command("verify", target), Bad(says, "give"))


@pytest.mark.parametrize("manifest", ["", "{}", "[]", "null", '{"format_version": "x"}', "\xff"])
def test_verify_refuses_a_damaged_manifest(command: Command, place: Path, manifest: str) -> None:
    (place / "taken" / "manifest.json").write_text(manifest, encoding="latin-1")
    assert_refused(command("verify", "taken"), Bad("manifest.json of 'taken' cannot be read", "damaged"))


def test_verify_refuses_a_release_of_a_newer_shoal(command: Command, place: Path) -> None:
    (place / "taken" / "manifest.json").write_text('{"format_version": 99}')
    assert_refused(command("verify", "taken"), Bad("by a newer shoal", "update shoal"))


def test_all_faults_are_reported_at_once(command: Command, given: Callable[[Bad], None]) -> None:
    policy = POLICY.replace("salary", "salry").replace("region", "regoin") + '[method]\nname = "mondrain"\n'
    given(Bad("", "", policy=policy))
    faults = command(*RUN, "--json").json["faults"]
    assert [fault["what"].split("'")[1] for fault in faults] == [
        "salry", "regoin", "salary", "region", "mondrain"
    ]  # fmt: skip


def test_all_faults_of_all_hierarchy_files_are_reported_at_once(
    command: Command, given: Callable[[Bad], None]
) -> None:
    town = TOWN_FILE + "Townlet-0;Region-1;Quarter-1;*\n"
    given(visits("", "", town=town, age=AGE_FILE + AGE_FILE))
    faults = command(*RUN, "--json").json["faults"]
    assert [fault["what"] for fault in faults] == [
        "the hierarchy of 'town' maps 1 value more than once (line 5)",
        "the hierarchy of 'town' has 1 line with another number of levels than 3 (line 5)",
        "the hierarchy of 'age' maps 8 values more than once (lines 9, 10, 11, 12, 13, ...)",
    ]


@pytest.mark.parametrize("name", ["incognito", "optimal", "samarati", "datafly"])
def test_values_that_hierarchies_lack_are_reported_for_all_columns_at_once(
    command: Command, given: Callable[[Bad], None], name: str
) -> None:
    table = VISITS.replace("Townlet-3", "Village-3").replace("31001", "99999")
    given(visits("", "", table=table, policy=VISITS_POLICY.replace("incognito", name)))
    result = command(*RUN, "--json")
    assert result.code == 2
    assert [fault["what"].partition(" that are")[0] for fault in result.json["faults"]] == [
        "column 'town' has 10 of 40 cells", "column 'age' has 5 of 40 cells"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["incognito", "datafly", "mondrian"])
@pytest.mark.parametrize("bad", UNSATISFIABLE.values(), ids=UNSATISFIABLE.keys())
def test_every_method_says_alike_what_cannot_be_satisfied(
    command: Command, given: Callable[[Bad], None], place: Path, name: str, bad: Bad
) -> None:
    given(replace(bad, policy=(bad.policy or "").replace("incognito", name)))
    before = everything_below(place)
    assert_refused(command(*RUN), bad)
    assert everything_below(place) == before


def test_the_demo_writes_into_no_existing_folder(command: Command, place: Path) -> None:
    assert_refused(command("demo", "-o", "taken"), Bad("'taken' exists", "choose another folder"))
    assert_refused(command("demo", "-o", "file.txt/demo"), Bad("cannot write into", "check that the folder"))
    assert sorted(everything_below(place)) == ["file.txt", "taken"]


def test_init_replaces_no_policy_unasked(command: Command, given: Callable[[Bad], None], place: Path) -> None:
    given(Bad("", ""))
    before = everything_below(place)
    assert_refused(command("init", "pay.csv"), Bad("'policy.toml' exists", "--force"))
    assert_refused(command("init", "pay.csv", "-o", "file.txt/p.toml"), Bad("cannot be written", "check"))
    assert everything_below(place) == before
