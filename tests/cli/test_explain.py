"""``shoal explain``: the same words as in the library, on a terminal and as JSON."""

import pytest

from shoal.explain.registry import EXPLANATIONS, explanation

from .conftest import Command


def test_without_a_name_all_are_listed_in_groups(command: Command) -> None:
    result = command("explain")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert [line for line in lines if line in ("Guarantees", "Methods", "Words")] == [
        "Guarantees",
        "Methods",
        "Words",
    ]
    for one in EXPLANATIONS:
        assert any(line.split(maxsplit=1) == [one.name, one.title] for line in lines if line.startswith("  "))


def test_with_a_name_it_is_told_with_its_tables(command: Command) -> None:
    result = command("explain", "kf-anonymity")
    assert result.code == 0
    found = explanation("kf-anonymity")
    said = " ".join(result.out.split())
    assert all(sentence in said for sentence in (*found.says, found.protects_not, found.example.shows))
    assert "  [12, 17]     18  100" in result.out.splitlines()
    assert max(map(len, result.out.splitlines())) <= 110


@pytest.mark.parametrize("one", EXPLANATIONS, ids=lambda one: one.name)
def test_json_has_all_of_it(command: Command, one) -> None:
    assert command("explain", one.name, "--json").json == one.as_dict()


def test_json_lists_all_names(command: Command) -> None:
    listed = command("explain", "--json").json["explanations"]
    assert [(row["name"], row["title"]) for row in listed] == [(one.name, one.title) for one in EXPLANATIONS]


def test_an_unknown_name_is_bad_input_with_a_hint(command: Command) -> None:
    result = command("explain", "mondrain")
    assert (result.code, result.out) == (2, "")
    assert "Hint: shoal explain has 'mondrian'." in result.err
