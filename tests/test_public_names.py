"""What `import shoal` offers: every name resolves, is typed, described, and never hidden by a room."""

import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import shoal
from shoal.public_names import LINE, STUB, public_homes

ROOT = Path(__file__).parents[1]
NAMES = sorted(public_homes())


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_the_object_of_its_home(name: str) -> None:
    assert getattr(shoal, name) is getattr(import_module(public_homes()[name]), name)


def test_every_line_of_the_stub_offers_a_name() -> None:
    code = [line for line in STUB.read_text(encoding="utf-8").splitlines() if line and '"""' not in line]
    assert [line for line in code if not LINE.fullmatch(line)] == []
    assert len(code) == len(NAMES)


def test_completion_and_star_imports_know_every_name() -> None:
    assert dir(shoal) == shoal.__all__ == NAMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = shoal.no_such_name


def test_importing_shoal_brings_in_nothing_heavy() -> None:
    heavy = {"numpy", "pyarrow", "pydantic", "numba", "duckdb", "pathlib", "importlib.abc"}
    code = (
        f"import sys; before = set(sys.modules); import shoal; print((set(sys.modules) - before) & {heavy})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_no_name_is_hidden_by_a_module_of_the_same_name() -> None:
    rooms = {module.name for module in pkgutil.iter_modules(shoal.__path__)}
    assert rooms.isdisjoint(NAMES)


def test_names_stay_what_they_are_when_every_module_is_imported() -> None:
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in NAMES:
        assert not isinstance(getattr(shoal, name), ModuleType), name
        assert getattr(shoal, name) is getattr(import_module(public_homes()[name]), name)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_in_the_reference(name: str) -> None:
    reference = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert re.search(rf"`(shoal\.)?{name}\b", reference)


def test_the_stub_lies_beside_the_package_it_types() -> None:
    assert STUB.parent == Path(shoal.__file__).parent
    assert (STUB.parent / "py.typed").is_file()
