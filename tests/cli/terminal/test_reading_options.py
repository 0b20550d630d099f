"""Stray quotes and files without names at every door of the command."""

from pathlib import Path

import pytest

from tests.cli.conftest import CELLS, POLICY, TABLE, Command, holds_a_cell

HEADER, *ROWS = TABLE.splitlines()
FIRST, LAST = 5, 25
NAMES = HEADER
READING = '[reading]\nnames = ["name", "salary", "bonus", "region"]\n\n'
IN_BOTH = pytest.mark.parametrize("engine", ["memory", "disk"])


def stray(closed: bool) -> str:
    """A quote before the second cell of one row; another one closes it 20 rows below."""
    rows = list(ROWS)
    rows[FIRST] = rows[FIRST].replace(",", ',"', 1)
    if closed:
        cells = rows[LAST].split(",")
        rows[LAST] = ",".join([cells[0], cells[1] + '"', *cells[2:]])
    return "\n".join([HEADER, *rows, ""])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "t.csv", "policy.toml", "-o", "release"),
        ("run", "t.csv", "policy.toml", "-o", "release", "--engine", "disk"),
        ("check", "t.csv", "policy.toml"),
        ("profile", "t.csv"),
        ("init", "t.csv", "-o", "draft.toml"),
        ("attack", "t.csv", "--policy", "policy.toml"),
        ("attack", "t.csv", "--policy", "policy.toml", "--engine", "disk"),
        ("compare", "t.csv", "policy.toml"),
    ],
    ids=" ".join,
)
def test_a_stray_quote_is_refused_at_every_door(
    arguments: tuple[str, ...], closed: bool, command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    Path("t.csv").write_text(stray(closed))
    result = command(*arguments)
    assert result.code == 2
    assert f"the quote that opens in line {FIRST + 2} of t.csv" in result.err
    assert not holds_a_cell(result.out + result.err)
    assert not Path("release").exists()


@IN_BOTH
def test_a_policy_may_allow_text_that_looks_like_rows(command: Command, folder: Path, engine: str) -> None:
    table = TABLE.replace("Region-2", '"Region-2: a, b\nc, d, e, f"')
    (folder / "t.csv").write_text(table)
    asked = (folder / "t.csv", folder / "policy.toml", "-o", folder / "release", "--engine", engine)
    assert "multiline" in command("run", *asked).err
    (folder / "policy.toml").write_text('[reading]\nmultiline = ["region"]\n' + POLICY)
    result = command("run", *asked)
    assert (result.code, result.err) == (0, "")
    assert command("verify", folder / "release", "--against", folder / "t.csv").code == 0


@IN_BOTH
def test_a_policy_names_the_columns_of_a_file_without_names(
    command: Command, folder: Path, engine: str
) -> None:
    (folder / "t.csv").write_text("\n".join([*ROWS, ""]))
    asked = (folder / "t.csv", folder / "policy.toml", "-o", folder / "release", "--engine", engine)
    refused = command("run", *asked)
    assert refused.code == 2
    assert "looks like a row" in refused.err
    assert not holds_a_cell(refused.err)
    (folder / "policy.toml").write_text(READING + POLICY)
    result = command("run", *asked, "--json")
    assert (result.code, result.json["published"]) == (0, len(ROWS))
    attacked = command("attack", folder / "t.csv", folder / "release", "--engine", engine)
    assert (attacked.code, attacked.err) == (0, "")


def test_words_that_no_policy_knows_are_not_told(command: Command, folder: Path) -> None:
    rows = [",".join(f"{cell} of {row}" for cell in ("Zaphod", "Ulm", "flu", "m")) for row in "abcdefgh"]
    (folder / "t.csv").write_text("\n".join([*rows, ""]))
    result = command("check", folder / "t.csv", folder / "policy.toml")
    assert result.code == 2
    assert "no column of the policy is in the table" in result.err
    assert "Zaphod" not in result.err


def test_names_that_are_given_to_init_are_written_into_its_draft(command: Command, folder: Path) -> None:
    (folder / "t.csv").write_text("\n".join([*ROWS, ""]))
    refused = command("profile", folder / "t.csv", "--json")
    assert refused.code == 2
    assert not any(cell in refused.out + refused.err for cell in CELLS if len(cell) > 6)
    assert command("profile", folder / "t.csv", "--names", NAMES, "--json").json["rows"] == len(ROWS)
    draft = folder / "draft.toml"
    assert command("init", folder / "t.csv", "-o", draft, "--names", NAMES).code == 0
    result = command("run", folder / "t.csv", draft, "-o", folder / "release")
    assert result.code == 0, result.err


def test_the_first_row_is_names_where_the_owner_says_so(command: Command, folder: Path) -> None:
    (folder / "t.csv").write_text("land,2019,2020\n" + "".join(f"L{row},{row},{row}\n" for row in range(9)))
    assert "looks like a row" in command("profile", folder / "t.csv").err
    found = command("profile", folder / "t.csv", "--header", "--json").json
    assert [column["name"] for column in found["columns"]] == ["land", "2019", "2020"]


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ("header = false", "without a header, names"),
        ('names = ["name", "name"]', "not all different words"),
        ('names = ["name", "pay"]', "[reading] names names column 'pay'"),
        ('multiline = ["nmae"]', "[reading] multiline names column 'nmae'"),
        ("headr = true", "[reading] headr is not part of a policy"),
        ('header = true\nnames = ["name"]', "said to be names"),
    ],
)
def test_a_faulty_reading_is_refused(reading: str, said: str, command: Command, folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE)
    (folder / "policy.toml").write_text(f"[reading]\n{reading}\n{POLICY}")
    result = command("check", folder / "t.csv", folder / "policy.toml")
    assert result.code == 2
    assert said in result.err
