"""The package keeps the shape that a reader is promised: small rooms, single names, short functions.

So do the tests: they stand where the modules stand that they are about, and say what they check.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from tests.draws import CASE, PROPERTY

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
GENERATED = {"__pycache__", "machine_code"}
FOLDERS = sorted(
    {path.parent for path in PACKAGE.rglob("*") if path.is_file() and GENERATED.isdisjoint(path.parts)}
)
PACKAGES = sorted({module.parent for module in MODULES})
MOST_FILES = 30  # in one folder
MOST_LINES = 59  # of one function
COMPILED = {"compiled", "inlined"}  # kernels are one plain loop each, and calls cost them
# Public names without a docstring, by room: never more, and one day none.
STILL_BARE = {"anonymizer": 4, "cli": 3}

TESTS = Path(__file__).parent
TEST_FILES = sorted(TESTS.rglob("test_*.py"))
# Folders of tests that are about no single room.
WHOLE = {"conformance", "docs", "experiments", "packaging", "papers"}
# Tests of something that several modules of a room do together, by room.
TOPICS = {
    "": {"rooms", "tree"},
    "adversary": {"levels", "readings"},
    "anonymizer": {"leaks", "recode_brute_force"},
    "cli": {
        "bad_input",
        "escapes",
        "every_format",
        "source_faults",
        "misused",
        "odd_input",
        "run_engines",
        "small_doors",
    },
    "decision": {"stated_leaks"},
    "engines/spark": {"driver_bytes", "faults", "gaps", "masters", "release", "unchanged"},
    "explain": {"examples"},
    "leaks": {"certain_values", "families", "large_tables", "planted", "real_tables"},
    "methods": {"adult_lattice", "posterior"},
    "policy/draft": {"expected_roles"},
    "query": {"dates", "generalized_cells", "generalized_refused", "possible_worlds", "safety"},
    "release": {
        "many_files",
        "people",
        "permuted_release",
        "public_files",
        "publish_permuted",
        "shown_labels",
        "tampering",
    },
    "report": {"red_light", "report_in_browser"},
    "table": {"odd_kinds"},
    "table/rules": {"locales"},
    "verify": {"held"},
    "web": {"api", "drop", "killed", "tampered", "typing", "walk"},
}
# They start something, and are finished with it or not: what they assert is not what the test is about.
STARTING = {"killed_in_the_middle"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def public_definitions(module: Path) -> Iterator[Definition]:
    """Classes and functions that other modules may import."""
    for node in tree_of(module).body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node


def is_overload(node: Definition) -> bool:
    """One of several types of a function, which is described where it is defined."""
    return any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in node.decorator_list)


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
        if not ast.get_docstring(node) and not is_overload(node)
    )
    assert {room: count for room, count in bare.items() if count > STILL_BARE.get(room, 0)} == {}


def test_tests_stand_where_the_modules_stand_that_they_are_about() -> None:
    elsewhere, met = [], set()
    for file in TEST_FILES:
        room = file.relative_to(TESTS).parent.as_posix().removeprefix(".")
        name = file.stem.removeprefix("test_")
        place = PACKAGE / room / name
        if name in TOPICS.get(room, ()):
            met.add((room, name))
            assert not place.with_suffix(".py").exists(), f"{room}/{name} is a module, no topic"
        elif room.split("/")[0] not in WHOLE and not place.is_dir() and not place.with_suffix(".py").exists():
            elsewhere.append(file.relative_to(TESTS).as_posix())
    assert elsewhere == []
    assert met == {(room, name) for room, names in TOPICS.items() for name in names}


def test_verifiers_are_tested_without_methods_and_without_private_names() -> None:
    """A bug in a method must not hide in the tests of what would find it."""
    for file in sorted((TESTS / "verify").rglob("*.py")):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{one.name}" for one in node.names]
            elif isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            else:
                continue
            for name in names:
                assert not name.startswith("shoal.methods"), file
                assert not any(part.startswith("_") for part in name.split(".")), (file, name)


def test_helpers_that_only_assert_say_so_in_their_names() -> None:
    silent = [
        f"{file.relative_to(TESTS).as_posix()}: {node.name}"
        for file in sorted(TESTS.rglob("*.py"))
        for node in tree_of(file).body
        if isinstance(node, Function)
        and not node.name.startswith(("test_", "assert_"))
        and node.name not in STARTING
        and any(isinstance(inside, ast.Assert) for inside in ast.walk(node))
        and not any(isinstance(inside, ast.Return | ast.Yield) for inside in ast.walk(node))
    ]
    assert silent == []


def test_how_many_tables_are_drawn_is_said_in_one_place() -> None:
    """At least 25 for a property and 10 for one of many cases of it; requests to the page are no tables."""
    assert PROPERTY >= 25
    assert CASE >= 10
    said = "max_" + "examples"
    files = {
        file.relative_to(TESTS).as_posix() for file in TESTS.rglob("*.py") if said in file.read_text("utf-8")
    }
    assert files == {"conftest.py", "draws.py", "web/test_api.py"}
