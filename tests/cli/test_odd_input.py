"""Odd but sound input simply works: the release is written, and every promise holds."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from .conftest import Command

ROWS = 120
METHODS = pytest.mark.parametrize("method", ["datafly", "mondrian"])


def policy(quasi: list[str], method: str, k: int = 4, more: str = "") -> str:
    roles = "".join(f'{name} = "quasi"\n' for name in quasi)
    return f'''[columns]
{roles}illness = "sensitive"
{more}
[[guarantees]]
kind = "k-anonymity"
k = {k}

[[guarantees]]
kind = "l-diversity"
l = 2
sensitive = "illness"

[method]
name = "{method}"
'''


@pytest.fixture
def released(command: Command, tmp_path: Path):
    """Write table and policy, run, verify, and give what the release says line by line."""

    def release(table: str, written_policy: str) -> list[str]:
        (tmp_path / "visits.csv").write_text(table, encoding="utf-8")
        (tmp_path / "policy.toml").write_text(written_policy, encoding="utf-8")
        folder = tmp_path / "release"
        result = command("run", tmp_path / "visits.csv", tmp_path / "policy.toml", "-o", folder, "--json")
        assert (result.code, result.err) == (0, "")
        assert all(verdict["holds"] for verdict in result.json["verdicts"])
        assert command("verify", folder, "--against", tmp_path / "visits.csv").code == 0
        return (folder / "data.csv").read_text(encoding="utf-8").splitlines()[1:]

    return release


def cells(lines: list[str], column: int) -> Counter[str]:
    return Counter(row[column] for row in csv.reader(lines))


@METHODS
def test_a_quasi_column_with_one_value_is_published_as_it_is(released, method):
    table = "town,age,illness\n" + "".join(f"Ulm,{row % 9},i{row // 9 % 3}\n" for row in range(ROWS))
    lines = released(table, policy(["town", "age"], method))
    assert cells(lines, 0) == {"Ulm": ROWS}


@METHODS
def test_only_columns_with_one_value_lose_nothing(released, method):
    table = "town,age,illness\n" + "".join(f"Ulm,7,i{row % 3}\n" for row in range(ROWS))
    lines = released(table, policy(["town", "age"], method))
    assert (cells(lines, 0), cells(lines, 1)) == ({"Ulm": ROWS}, {"7": ROWS})


@METHODS
def test_sixty_quasi_columns(released, method):
    quasi = [f"question{at:02}" for at in range(60)]
    rows = [",".join(f"answer{(row * (at + 3) + row // 7) % 4}" for at in range(60)) for row in range(ROWS)]
    table = (
        ",".join([*quasi, "illness"]) + "\n" + "".join(f"{row},i{at % 3}\n" for at, row in enumerate(rows))
    )
    lines = released(table, policy(quasi, method))
    assert len(lines) == ROWS
    assert min(Counter(line.rpartition(",")[0] for line in lines).values()) >= 4


TOWNS = ['""', "", "Ulm", "Ulm", '""', ""]  # an empty text, nothing, a word


def towns(order: list[str]) -> str:
    written = [order[row % len(order)] for row in range(ROWS)]
    ills = [row // len(order) % 5 for row in range(ROWS)]  # which say nothing of towns
    return "town,illness\n" + "".join(f"{town},i{ill}\n" for town, ill in zip(written, ills, strict=True))


@METHODS
@pytest.mark.parametrize("order", [TOWNS, ['""', "", ""]], ids=["beside words", "alone"])
def test_an_empty_text_and_a_missing_cell_are_one_value_in_one_spelling(released, method, order):
    """A pair of quotes would tell records apart that are counted as alike."""
    lines = released(towns(order), policy(["town"], method))
    expected = Counter(order[row % len(order)].strip('"') for row in range(ROWS))
    assert Counter(line.rpartition(",")[0] for line in lines) == expected


def test_a_set_holds_an_empty_text_and_a_missing_cell_as_one(released):
    lines = released(towns(TOWNS), policy(["town"], "mondrian", k=90))
    assert cells(lines, 0) == {"{Ulm, }": ROWS}


@pytest.mark.parametrize(
    ("lines", "k", "shown"),
    [
        ('Ulm;south;*\n"";south;*\n', 40, {"Ulm": 48, "": 72}),
        ('Ulm;south;*\n"";south;*\n', 50, {"south": ROWS}),
        ("Ulm;south;*\n", 50, {"*": ROWS}),
    ],
)
def test_a_hierarchy_s_line_for_the_empty_text_is_that_of_missing_cells(released, tmp_path, lines, k, shown):
    """24 empty texts and 48 empty places are missing; without a line they join 48 times Ulm at the top."""
    (tmp_path / "town.csv").write_text(lines, encoding="utf-8")
    given = policy(["town"], "incognito", k, more='[hierarchies]\ntown = "town.csv"\n')
    assert cells(released(towns(['""', "Ulm", "", "", "Ulm"]), given), 0) == shown
