"""``shoal profile``: counts and guesses, never a cell."""

from pathlib import Path

from .conftest import TABLE, Command


def test_every_column_has_a_line(process: Command, data: Path) -> None:
    result = process("profile", data)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("40 rows, 4 columns\n")
    for line in (
        "name    text           0         40      40  identifier: ",
        "salary  integer        0         40      40  sensitive: ",
        "region  text           0          3       0  quasi: ",
    ):
        assert line in result.out


def test_the_profile_as_json(command: Command, data: Path) -> None:
    result = command("profile", data, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["rows"] == 40
    bonus = result.json["columns"][2]
    assert (bonus["name"], bonus["kind"], bonus["distinct"], bonus["missing"]) == ("bonus", "integer", 4, 0)
    assert set(bonus) >= {"unique", "guess", "why"}


def test_no_cell_is_shown(command: Command, data: Path) -> None:
    said = command("profile", data).out + command("profile", data, "--json").out
    assert not any(cell in said for line in TABLE.splitlines()[1:] for cell in line.split(","))
