"""A release judged by a preset: is the largest risk small enough, is what is sensitive protected?"""

from collections.abc import Mapping
from typing import Any, Protocol

from shoal.policy.guarantee import (
    AlphaKAnonymity,
    KeAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.policy import Policy
from shoal.report.content import Group, Level, Sentence, worst


class Thresholds(Protocol):
    @property
    def largest_risk(self) -> float: ...
    @property
    def why(self) -> str: ...
    @property
    def sensitive(self) -> bool: ...


class Preset(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def thresholds(self) -> Thresholds: ...
    @property
    def uncovered(self) -> tuple[str, ...]: ...


def preset_group(
    preset: Preset | None, policy: Policy, risk: Mapping[str, Any] | None, public: bool
) -> Group | None:
    """Each demand as a sentence with a level; in public, whether it is met and not by how much."""
    if preset is None:
        return None
    told = [_about_risk(preset.thresholds, risk, public)]
    if preset.thresholds.sensitive:
        told.append(_about_sensitive(policy))
    level = worst(sentence.level for sentence in told)
    left = tuple(Sentence(f"Left to you: {limit}") for limit in preset.uncovered)
    return Group(preset.name, (Sentence(preset.about), *told, *left), level)


def _about_risk(thresholds: Thresholds, risk: Mapping[str, Any] | None, public: bool) -> Sentence:
    asked = f"The chance of finding a record may be {thresholds.largest_risk:.3g} at most"
    if risk is None:
        return Sentence(f"{asked}: not measured.", "not measured", "largest risk")
    found = risk["prosecutor"]["largest"]
    level: Level = "safe" if found <= thresholds.largest_risk else "exposed"
    told = ("it is not larger" if level == "safe" else "it is larger") if public else f"it is {found:.3g}"
    return Sentence(f"{asked}: {told}.", level, "largest risk")


def _about_sensitive(policy: Policy) -> Sentence:
    sensitive = policy.having("sensitive")
    bare = [name for name in sensitive if name not in _protected(policy)]
    if bare:
        return Sentence(f"No guarantee is about {', '.join(bare)}.", "exposed", "sensitive columns")
    told = "Every sensitive column has a guarantee of its own." if sensitive else "No column is sensitive."
    return Sentence(told, "safe", "sensitive columns")


def _protected(policy: Policy) -> set[str]:
    if any(isinstance(asked, PSensitivity | AlphaKAnonymity) for asked in policy.guarantees):
        return set(policy.having("sensitive"))
    return {
        name
        for asked in policy.guarantees
        if isinstance(asked, LDiversity | TCloseness | KeAnonymity | KpqrAnonymity)
        for name in asked.columns
    }
