"""``shoal warm``: what was compiled, in words and as JSON."""

import pytest

from shoal.cli import warm
from shoal.warm_up.compile_ahead import CompiledAhead

from .conftest import Command


@pytest.fixture
def compiled(monkeypatch) -> set[str]:
    files: set[str] = set()
    monkeypatch.setattr(warm, "compile_ahead", lambda *_: CompiledAhead({"a", "b"}, files))
    monkeypatch.setattr(warm, "newest_family", lambda: "x86-64-v3")
    return files


def test_it_says_how_much_was_compiled(command: Command, compiled: set[str]) -> None:
    compiled |= {"c"}
    assert command("warm").out == "1 kernels were compiled for x86-64-v3: from now on runs start at once\n"
    assert command("warm", "--json").json == {"processor": "x86-64-v3", "compiled": 1, "ready": 2}


@pytest.mark.usefixtures("compiled")
def test_it_says_that_nothing_was_left_to_do(command: Command) -> None:
    assert command("warm").out == "nothing to compile: machine code for x86-64-v3 is there\n"
