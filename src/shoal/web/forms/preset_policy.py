"""A policy under a preset: its guarantees and the share that may be left out are the preset's."""

from collections.abc import Mapping
from typing import Any

from shoal.policy.draft.draft_policy import NUMERIC
from shoal.policy.draft.presets import Preset, PresetGuarantee
from shoal.web.forms.policy_edit import with_method

NOTHING: Mapping[str, Any] = {}


def with_preset(
    policy: Mapping[str, Any],
    preset: Preset,
    kinds: Mapping[str, str] = NOTHING,
    distinct: Mapping[str, int] = NOTHING,
) -> dict[str, Any]:
    """All else stays. A demand on sensitive values is one for each sensitive column with enough different
    values (``distinct``); those that are optional are left to the owner.

    >>> from shoal.policy.draft.presets import EMA_0070
    >>> with_preset({"columns": {"age": "quasi"}}, EMA_0070)["guarantees"]
    [{'kind': 'k-anonymity', 'k': 12}]
    """
    columns = policy.get("columns")
    roles = columns if isinstance(columns, Mapping) else {}
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    guarantees: list[dict[str, Any]] = []
    for demand in preset.demands:
        if not demand.on_sensitive:
            guarantees.append(dict(demand.entries))
        elif not demand.optional:
            guarantees += [
                _on_column(demand, name, kinds.get(name, ""))
                for name in sensitive
                if name not in distinct or distinct[name] >= float(demand.entries.get("l", 0))
            ]
    return with_method({**policy, "guarantees": guarantees}, suppression=preset.suppression)


def _on_column(demand: PresetGuarantee, name: str, kind: str) -> dict[str, Any]:
    ordered = {"distance": "ordered"} if demand.kind == "t-closeness" and kind in NUMERIC else {}
    return {**demand.entries, "sensitive": name, **ordered}
