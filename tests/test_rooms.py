"""Every room says what it is for."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "shoal"
ROOMS = sorted(file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_has_a_docstring(room: str) -> None:
    code = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    assert len(ast.get_docstring(ast.parse(code)) or "") > 40


def test_every_folder_with_code_is_a_room() -> None:
    folders = {file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py")}
    assert folders == set(ROOMS)
