"""The package keeps the shape that a reader is promised: small rooms, single names, short functions."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = sorted(
    {path.parent for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
)
PACKAGES = sorted({module.parent for module in MODULES})
MOST_FILES = 30  # in one folder
MOST_LINES = 59  # of one function
COMPILED = {"compiled", "inlined"}  # kernels are one plain loop each, and calls cost them
# Public names without a docstring, by room: never more, and one day none.
STILL_BARE = {"anonymizer": 4, "cli": 3}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def public_definitions(module: Path) -> Iterator[Definition]:
    """Classes and functions that other modules may import."""
    for node in tree_of(module).body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node


def is_kernel(function: Function) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id in COMPILED for mark in function.decorator_list)


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_holds_few_files(folder: Path) -> None:
    assert sum(path.is_file() for path in folder.iterdir()) <= MOST_FILES


def test_a_public_class_name_occurs_once() -> None:
    names = Counter(
        node.name
        for module in MODULES
        for node in public_definitions(module)
        if isinstance(node, ast.ClassDef)
    )
    assert len(names) > 100
    assert [name for name, times in names.items() if times > 1] == []


def test_functions_are_short_but_for_kernels() -> None:
    functions = [
        (module, node)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, Function) and not is_kernel(node)
    ]
    assert len(functions) > 1000
    long = [
        f"{name_of(module)}: {function.name} has {lines} lines"
        for module, function in functions
        if (lines := function.end_lineno - function.lineno + 1) > MOST_LINES
    ]
    assert long == []


def test_every_folder_with_modules_is_a_package() -> None:
    assert [name_of(folder) for folder in PACKAGES if not (folder / "__init__.py").is_file()] == []


def test_every_module_and_package_says_what_it_is() -> None:
    assert [name_of(module) for module in MODULES if not ast.get_docstring(tree_of(module))] == []


def test_public_classes_and_functions_have_docstrings() -> None:
    """None in a room that is not listed; a number that has become too large is made smaller."""
    bare = Counter(
        name_of(module).split("/")[0]
        for module in MODULES
        for node in public_definitions(module)
        if not ast.get_docstring(node)
    )
    assert {room: count for room, count in bare.items() if count > STILL_BARE.get(room, 0)} == {}
