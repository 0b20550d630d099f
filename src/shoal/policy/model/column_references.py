"""Columns that parts of a policy name: each has to be in [columns], with the role that is needed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shoal.errors import Fault, nearest
from shoal.policy.model.guarantee import (
    Guarantee,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    TCloseness,
)

READ_GUARANTEE: TypeAdapter[Guarantee] = TypeAdapter(Guarantee)
ABOUT_COLUMNS = ("domains", "types", "missing", "hierarchies")
EVERY = "*"  # in [missing], all columns
ROLES = ("identifier", "drop", "quasi", "sensitive", "other")


def unlisted_columns(columns: Mapping[str, Any], named: Mapping[str, Mapping[str, Any]]) -> list[Fault]:
    """Columns that sections name and [columns] does not."""
    return [
        Fault(
            f"{place} names column {name!r}, which [columns] does not list",
            nearest(name, columns, "[columns]"),
        )
        for place, entries in named.items()
        for name in entries
        if name not in columns and (name, place) != (EVERY, "[missing]")
    ]


def reference_faults(columns: Mapping[str, Any], guarantees: Sequence[Guarantee | None]) -> Iterator[Fault]:
    """Columns of guarantees that are not there, or have another role; what is no role is passed over."""
    for place, guarantee in enumerate(guarantees, 1):
        for verb, name, role in _columns_named(guarantee):
            if name not in columns:
                what = f"guarantee {place} {verb} {name!r}, which [columns] does not list"
                yield Fault(what, nearest(name, columns, "[columns]"))
            elif columns[name] != role and columns[name] in ROLES:
                what = f"guarantee {place} {verb} {name!r}, whose role is not {role}"
                yield Fault(what, f'give it the role "{role}" in [columns].')


def all_reference_faults(policy: Mapping[str, Any]) -> list[Fault]:
    """The same of a mapping that is at fault elsewhere, as far as it can be read."""
    columns, method, asked = (policy.get(name) for name in ("columns", "method", "guarantees"))
    if not isinstance(columns, Mapping):
        return []
    weights = method.get("weights") if isinstance(method, Mapping) else None
    named = {f"[{name}]": policy.get(name) for name in ABOUT_COLUMNS} | {"[method] weights": weights}
    sections = {place: entries for place, entries in named.items() if isinstance(entries, Mapping)}
    guarantees = [read_guarantee(one) for one in asked] if isinstance(asked, list | tuple) else []
    return [*unlisted_columns(columns, sections), *reference_faults(columns, guarantees)]


def read_guarantee(given: Any) -> Guarantee | None:
    """None as long as its entries are at fault."""
    try:
        return READ_GUARANTEE.validate_python(given)
    except ValidationError:
        return None


def _columns_named(guarantee: Guarantee | None) -> list[tuple[str, str, str]]:
    match guarantee:
        case KfAnonymity():
            return [("knows", name, "quasi") for name in (*guarantee.columns, *guarantee.also)]
        case LDiversity() | TCloseness() | KeAnonymity() | KpqrAnonymity():
            return [("is about", name, "sensitive") for name in guarantee.columns]
    return []
