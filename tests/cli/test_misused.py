"""Whoever asks for JSON gets JSON, also where the command itself is given wrongly."""

import json

import pytest

from .conftest import Command


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "t.csv", "policy.toml"),
        ("apply", "saved.json", "t.csv"),
        ("verify",),
        ("attack",),
        ("compare", "t.csv"),
        ("nonsense",),
        ("run", "t.csv", "policy.toml", "-o", "release", "--seed", "x"),
    ],
    ids=" ".join,
)
def test_a_command_that_is_given_wrongly_says_so_in_json(
    arguments: tuple[str, ...], command: Command
) -> None:
    result = command(*arguments, "--json")
    assert result.code == 2
    (fault,) = json.loads(result.out)["faults"]
    assert fault["what"]
    assert fault["what"].splitlines()[0] in result.err
