"""Presets: their numbers agree with each other, and drafts by them are policies."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.policy.draft.draft_policy import draft_policy
from shoal.policy.draft.preset_text import preset_text
from shoal.policy.draft.presets import EMA_0070, PRESETS, PUBLIC, WP29, Preset, find_preset, smallest_class
from shoal.policy.model.guarantee import KAnonymity, LDiversity
from shoal.policy.model.policy import Policy
from shoal.table.profile.profile import ColumnProfile, Profile

AGE = ColumnProfile("age", "integer", 0, 90, 80, "quasi", "many values")
PAY = ColumnProfile("net pay", "integer", 0, 90, 80, "quasi", "many values", additive=True)
BONUS = replace(PAY, name="bonus")
ILLNESS = ColumnProfile('ill "x"', "text", 0, 9, 0, "sensitive", "its name looks sensitive")


def drafted(preset: Preset, *columns: ColumnProfile, rows: int = 100) -> tuple[str, Policy]:
    found = Profile(rows, columns)
    text = draft_policy(found, "t.csv", demanded=preset_text(preset, found))
    return text, Policy(**tomllib.loads(text))


def plain(text: str) -> str:
    """Without the marks of comments and the ends of lines."""
    return " ".join(text.replace("#", " ").split())


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_classes_are_as_large_as_the_threshold_needs(preset: Preset) -> None:
    (k,) = [demand.entries["k"] for demand in preset.demands if demand.kind == "k-anonymity"]
    assert k == smallest_class(preset.thresholds.largest_risk)
    assert 1 / int(k) <= preset.thresholds.largest_risk < 1 / (int(k) - 1)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_number_is_explained_and_no_law_is_claimed(preset: Preset) -> None:
    text, policy = drafted(preset, AGE, ILLNESS)
    for words in (preset.about, preset.thresholds.why, *(demand.why[1:] for demand in preset.demands)):
        assert words in plain(text)
    assert "no proof of compliance" in plain(text)
    assert "Whether a release is lawful" in plain(text)
    assert preset.why_suppression in plain(text)
    assert policy.method.suppression == preset.suppression
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_draft_has_the_guarantees_of_its_preset(preset: Preset) -> None:
    _, policy = drafted(preset, AGE, ILLNESS, replace(ILLNESS, name="creed"))
    demands = [demand for demand in preset.demands if not demand.optional]
    kinds = [one.kind for one in demands for _ in range(2 if one.on_sensitive else 1)]
    assert [one.kind for one in policy.guarantees] == kinds
    covered = {name for one in policy.guarantees if isinstance(one, LDiversity) for name in one.columns}
    assert covered == ({'ill "x"', "creed"} if preset.thresholds.sensitive else set())


def test_without_a_sensitive_column_its_guarantee_is_a_comment() -> None:
    text, policy = drafted(PUBLIC, AGE)
    assert policy.guarantees == (KAnonymity(k=20),)
    assert '# kind = "l-diversity"\n# l = 3\n# sensitive = "..."\n' in text
    assert "no column looks sensitive" in plain(text)


def test_a_column_with_too_few_values_has_its_guarantee_as_a_comment() -> None:
    text, policy = drafted(WP29, AGE, replace(ILLNESS, distinct=2))
    assert policy.guarantees == (KAnonymity(k=11),)
    assert "the column has only 2 different values" in plain(text)


def test_closeness_is_for_the_owner_to_switch_on() -> None:
    text, _ = drafted(WP29, AGE, replace(ILLNESS, name="debt", kind="integer", distinct=50))
    on = text[: text.index("# Inference: no class")] + "\n".join(
        line.removeprefix("# ") for line in text[text.index('# kind = "t-closeness"') - 17 :].splitlines()
    )
    switched = Policy(**tomllib.loads(on)).guarantees[-1]
    assert (switched.kind, switched.distance) == ("t-closeness", "ordered")  # type: ignore[union-attr]


def test_a_preset_is_about_all_quasi_values_also_where_they_add_up() -> None:
    _, policy = drafted(EMA_0070, PAY, BONUS)
    assert policy.guarantees == (KAnonymity(k=12),)


def test_k_stays_that_of_the_preset_in_a_small_table() -> None:
    assert drafted(EMA_0070, AGE, rows=5)[1].guarantees == (KAnonymity(k=12),)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_and_its_numbers_are_described(preset: Preset) -> None:
    page = Path(__file__).parents[3].joinpath("docs/risk.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{preset.name}` |")]
    for demand in preset.demands:
        kind, (name, number) = demand.kind, list(demand.entries.items())[1]
        assert f"`{kind}` {name} = {number}" in row


def test_names_that_are_none_are_refused_with_the_list() -> None:
    with pytest.raises(
        ShoalError, match=r"no preset 'gdpr'(.|\n)*'public', 'ema-0070', 'hipaa-like', 'wp29'"
    ):
        find_preset("gdpr")
