"""A preset as it is written into a draft: its guarantees in TOML, and every number explained in comments."""

from collections.abc import Mapping
from dataclasses import replace

from shoal.policy.draft.draft_policy import NO_QUASI, NUMERIC, PresetSections
from shoal.policy.draft.presets import Preset, PresetGuarantee
from shoal.policy.toml import toml_comment, toml_value
from shoal.table.profile.profile import ColumnProfile, Profile

NO_RELEASE = "a trial found no release for somebody who knows the other sensitive columns"
NO_COLUMN = "no column looks sensitive: give one the role, name it here, and switch this on"


def preset_text(preset: Preset, found: Profile, alone: bool = False) -> PresetSections:
    """The sections of a preset. ``alone``: of several sensitive columns each is protected from somebody who
    knows none of the others.

    >>> from shoal.policy.draft.presets import EMA_0070
    >>> column = ColumnProfile("age", "integer", 0, 90, 80, "quasi", "many values")
    >>> print(preset_text(EMA_0070, Profile(100, (column,))).guarantees, end="")
    # At least 12 records alike: 1/12 = 0.083 is at most 0.09, and 1/11 = 0.0909 is not.
    [[guarantees]]
    kind = "k-anonymity"
    k = 12
    """
    return PresetSections(
        _head(preset), _guarantees(found, preset, alone), preset.suppression, preset.why_suppression
    )


def _head(preset: Preset) -> str:
    """What it is, what a report judges by, and what it leaves to the owner."""
    largest = preset.thresholds.largest_risk
    return "".join(
        [
            toml_comment(f"Preset {preset.name}: {preset.title}. A start, and no proof of compliance."),
            toml_comment(preset.about),
            toml_comment(f"Largest risk of a record: {largest:.4g}, {preset.thresholds.why}."),
            "# Not covered, for you to decide:\n",
            *(toml_comment(line, "#   ") for line in preset.uncovered),
            *(toml_comment(line) for line in preset.hints),
        ]
    )


def _guarantees(found: Profile, preset: Preset, alone: bool) -> str:
    """The preset's guarantees: those on sensitive values once for each column, and as a comment where no
    column can have them."""
    quasi = any(column.guess == "quasi" for column in found.columns)
    sensitive = [column for column in found.columns if column.guess == "sensitive"]
    parts = [_written(demand) for demand in preset.demands if not demand.on_sensitive]
    for demand in preset.demands:
        if demand.on_sensitive:
            parts += [_on_column(demand, column, alone) for column in sensitive] or [
                _written(demand, {"sensitive": "..."}, NO_COLUMN)
            ]
    return ("" if quasi else NO_QUASI) + "\n".join(parts)


def _on_column(demand: PresetGuarantee, column: ColumnProfile, alone: bool) -> str:
    more: dict[str, str | bool] = {"sensitive": column.name}
    if alone and demand.kind == "l-diversity":
        more["alone"] = True
        demand = replace(demand, why=f"{demand.why}; alone, since {NO_RELEASE}")
    if demand.kind == "t-closeness" and column.kind in NUMERIC:
        more["distance"] = "ordered"
    if column.distinct < float(demand.entries.get("l", 0)):
        return _written(demand, more, f"the column has only {column.distinct} different values")
    return _written(demand, more, "switch it on if the cost is fine" if demand.optional else "")


def _written(demand: PresetGuarantee, more: Mapping[str, str | bool] | None = None, off: str = "") -> str:
    """``off`` says why it is a comment."""
    entries = {**demand.entries, **(more or {})}
    values = {name: toml_value(one) for name, one in entries.items()}
    lines = ["[[guarantees]]", *(f"{name} = {value}" for name, value in values.items())]
    why = demand.why[0].upper() + demand.why[1:]
    told = f"{why}. Off: {off}." if off else f"{why}."
    return toml_comment(told) + "".join(f"{'# ' if off else ''}{line}\n" for line in lines)
