"""What stands beside the code says the same as the code."""

import re
import tomllib
from pathlib import Path

import pytest
import typer.main
import yaml

import shoal
from shoal.cli.main import app

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCES = "\n".join(file.read_text(encoding="utf-8") for file in Path(shoal.__file__).parent.rglob("*.py"))
COMMANDS = typer.main.get_command(app).commands


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", ["CITATION.cff", "recipe/meta.yaml", "docs/install.md", "CHANGELOG.md"])
def test_the_version_is_the_same_everywhere(file: str) -> None:
    assert shoal.__version__ in text_of(file)


def test_the_citation_is_complete() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors", "license", "version"} <= set(citation)
    assert citation["license"] == PROJECT["license"]


def test_the_man_page_has_every_command_in_order() -> None:
    section = text_of("docs/shoal.1").partition(".SH COMMANDS")[2].partition(".SH OPTIONS")[0]
    assert re.findall(r"^\.B (\w+)$", section, re.MULTILINE) == list(COMMANDS)


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    recipe = text_of("recipe/meta.yaml")
    for needed in PROJECT["dependencies"]:
        name, bounds = re.match(r"([\w-]+)(.*)", needed).groups()
        assert recipe.count(f"    - {name} {bounds}\n") == 2, needed  # to build and to run


def test_the_container_runs_the_steps_that_are_tested() -> None:
    assert "RUN sh /tmp/shoal/try_wheel.sh /tmp/shoal/*.whl /opt/shoal" in text_of("Containerfile")


@pytest.mark.parametrize("extra", ["charts", "postgres", "predict", "spark"])
def test_an_error_names_the_extra_that_is_missing(extra: str) -> None:
    """Frames of pandas and Polars come from whoever has these packages."""
    assert extra in PROJECT["optional-dependencies"]
    assert f"pip install 'shoal[{extra}]'" in SOURCES


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_every_extra_is_described(extra: str) -> None:
    assert extra == "dev" or f"shoal[{extra}]'" in text_of("docs/install.md")
