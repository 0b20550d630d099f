"""Shells complete commands and options."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOAL = Path(sys.executable).parent / "shoal"


def said(**variables: str) -> str:
    done = subprocess.run(
        [SHOAL], env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_its_script(shell: str) -> None:
    script = said(_SHOAL_COMPLETE=f"source_{shell}")
    assert f"complete_{shell}" in script
    assert "shoal" in script


def test_commands_and_options_are_completed() -> None:
    asked = {"_SHOAL_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    assert said(**asked, COMP_WORDS="shoal ver").split() == ["verify"]
    assert "--against" in said(**asked | {"COMP_CWORD": "2"}, COMP_WORDS="shoal verify --ag").split()
