"""Whatever can be asked for is described: in the README or on a page of docs/."""

import re
from pathlib import Path

import pytest
import typer.main

from shoal.adversary.attacks import ATTACKS
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.cli.main import app
from shoal.policy.draft.presets import PRESETS
from shoal.policy.model.guarantee import GUARANTEES
from shoal.policy.model.hierarchy_spec import HierarchySpec
from shoal.policy.model.missing_spec import MissingSpec
from shoal.policy.model.policy import Policy
from shoal.policy.model.prepare_spec import ColumnPreparation, PrepareSpec
from shoal.policy.model.type_spec import TypeSpec

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(app).commands
OPTIONS = {
    f"{name} {parameter.opts[-1]}": parameter.opts
    for name, command in COMMANDS.items()
    for parameter in command.params
    if parameter.param_type_name == "option" and parameter.name != "help"
}


@pytest.fixture(scope="module")
def documentation() -> str:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages if page.is_file())


def mentioned(word: str, documentation: str) -> bool:
    """As a word of its own: `run` is not found in `prune`, nor `--out` in `--outer`."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", documentation) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name: str, documentation: str) -> None:
    assert mentioned(f"shoal {name}", documentation)


@pytest.mark.parametrize("spellings", OPTIONS.values(), ids=OPTIONS.keys())
def test_every_option_is_described(spellings: list[str], documentation: str) -> None:
    assert any(mentioned(spelling, documentation) for spelling in spellings)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_and_its_options_are_described(method: MethodRow, documentation: str) -> None:
    for word in (method.name, *method.options):
        assert mentioned(word, documentation), word


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda guarantee: guarantee.__name__)
def test_every_guarantee_and_its_words_are_described(guarantee: type, documentation: str) -> None:
    fields = guarantee.model_fields
    for word in (fields["kind"].default, *fields):
        assert mentioned(word, documentation), word


@pytest.mark.parametrize("section", Policy.model_fields)
def test_every_section_of_a_policy_is_described(section: str, documentation: str) -> None:
    assert f"[{section}]" in documentation or f"{section} = " in documentation


OF_RELEASES = {"paths", "shown"}  # which shoal writes into a manifest
SPECS = {
    "hierarchies": HierarchySpec,
    "types": TypeSpec,
    "missing": MissingSpec,
    "prepare": PrepareSpec,
    "prepare.columns": ColumnPreparation,
}


@pytest.mark.parametrize(("section", "spec"), SPECS.items(), ids=SPECS)
def test_every_key_of_a_section_is_described_there(section: str, spec: type) -> None:
    page = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    text = page.partition(f"\n## [{section.partition('.')[0]}]\n")[2].partition("\n## ")[0]
    for word in spec.model_fields.keys() - OF_RELEASES:
        assert re.search(rf"\b{word}(`| =)", text), word


@pytest.mark.parametrize("name", [one.name for one in ATTACKS])
def test_every_attack_has_a_section_and_a_test_file(name: str) -> None:
    page = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    assert re.search(rf"^###? {name}$", page, re.MULTILINE)
    assert (ROOT / "tests" / "adversary" / "attackers" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_is_described(preset, documentation: str) -> None:
    assert mentioned(preset.name, documentation)
