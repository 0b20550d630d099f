"""Files, folders and dotted names that the documentation mentions are there."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "shoal"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
CODE = re.compile(r"```python\n(.*?)```|`([^`\n]+)`", re.DOTALL)
DOTTED = re.compile(r"\bshoal(?:\.[A-Za-z_]\w*)+")
IMPORTED = re.compile(r"^\s*from (shoal[\w.]*) import (.+)$", re.MULTILINE)
FILE = re.compile(r"(?:[\w-]+/)*\w+\.py\b")
FOLDER = re.compile(r"(?:[a-z_]+/)+")
LEFT_BEHIND = re.compile(r"^\| `(shoal[\w.]+)` \|", re.MULTILINE)  # former modules, in the page about them
FORMER = {"shoal.attacks"}  # told to be one


def text_of(page: Path) -> str:
    return LEFT_BEHIND.sub("|", page.read_text(encoding="utf-8"))


def code_of(page: Path) -> list[str]:
    return [block or span for block, span in CODE.findall(text_of(page))]


def is_offered(dotted: str) -> bool:
    """Does a dotted name lead to a module, or to something in one?"""
    module, found = "shoal", import_module("shoal")
    for part in dotted.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = import_module(f"{module}.{part}")
            except ModuleNotFoundError:
                return False
        module = f"{module}.{part}"
    return True


def is_file(named: str) -> bool:
    """A path from the root, from the package, or the end of one inside it."""
    if "NAME" in named:
        return is_folder(named.partition("FAMILY")[0].rpartition("/")[0])
    if "/" not in named:
        return any(PACKAGE.rglob(named)) or (ROOT / named).is_file()
    return any((base / named).is_file() for base in (ROOT, PACKAGE))


def is_folder(named: str) -> bool:
    """A path from the root, from the package, or the end of one inside it."""
    return any((base / named).is_dir() for base in (ROOT, PACKAGE)) or any(PACKAGE.rglob(named))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_dotted_name_leads_somewhere(page: Path) -> None:
    named = {one for code in code_of(page) for one in DOTTED.findall(code)} - FORMER
    named |= {
        f"{module}.{name.strip()}"
        for code in code_of(page)
        for module, names in IMPORTED.findall(code)
        for name in names.split(",")
    }
    assert [one for one in sorted(named) if not is_offered(one)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_is_there(page: Path) -> None:
    named = {one for code in code_of(page) for one in FILE.findall(code)}
    assert [one for one in sorted(named) if not is_file(one)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_folder_is_there(page: Path) -> None:
    """A path of several folders; one alone may be that of a release, but not on the page about the rooms."""
    named = {code for code in code_of(page) if FOLDER.fullmatch(code)}
    several = {one for one in named if one.count("/") > 1 or page.name == "architecture.md"}
    assert [one for one in sorted(several) if not is_folder(one)] == []


def test_the_page_about_the_rooms_names_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [room.parent for room in PACKAGE.rglob("__init__.py") if room.parent != PACKAGE]
    assert [room.name for room in rooms if f"{room.name}/`" not in page] == []


def test_the_page_about_the_rooms_has_the_order_that_is_checked() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = " > ".join(contracts["contracts"][0]["layers"]).replace("shoal.", "")
    assert f"`{layers}`" in " ".join(page.split())
