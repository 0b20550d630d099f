"""Changes that a form makes to a policy: one entry is another, all else stays as it was written.

A policy is a plain mapping here, as ``toml_mapping`` reads it from a text and ``policy_text`` writes it. It
may be at fault, on its way to be sound. Nothing that is given is changed: each function gives a new mapping.
Guarantees are counted from 1, as in faults.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import Fault, ShoalError
from shoal.policy.model.missing_spec import Missing
from shoal.policy.model.policy import Objective, Policy, Role
from shoal.policy.text.policy_text import KINDS

Draft = Mapping[str, Any]
OPTION = "options."
UNUSED = ("c", "c2")  # without a value, the variant of l-diversity has no such field
ABOUT_COLUMNS = ("types", "hierarchies", "domains", "missing")
PREPARED = ("columns", "derive")  # in [prepare]
LISTS_OF_COLUMNS = (("leaks", "accept"), ("publish", "allow"))


def with_role(policy: Draft, column: str, role: Role | None) -> dict[str, Any]:
    """A column in another role, or (None) no longer there, and then none of its entries is.

    In every role a column may have a hierarchy, limits, a weight and a rule for missing cells: they stay, and
    are there when it is quasi again. Guarantees stay too: no promise changes unasked.

    >>> with_role({"columns": {"age": "other", "pay": "quasi"}}, "age", "quasi")
    {'columns': {'age': 'quasi', 'pay': 'quasi'}}
    """
    changed = _with_entry(policy, "columns", column, role)
    if role is not None:
        return changed
    for section in ABOUT_COLUMNS:
        changed = _with_entry(changed, section, column, None)
    if "prepare" in changed:
        for section in PREPARED:
            left = _with_entry(_entries(changed, "prepare"), section, column, None)
            changed = _without_empty({**changed, "prepare": left}, "prepare")
    changed = _no_longer_listed(
        _no_longer_listed(changed, column, "leaks", "accept"), column, "publish", "allow"
    )
    if "method" not in changed:
        return changed
    return {**changed, "method": _with_entry(_entries(changed, "method"), "weights", column, None)}


def _no_longer_listed(policy: dict[str, Any], column: str, section: str, key: str) -> dict[str, Any]:
    listed = _entries(policy, section).get(key)
    if not isinstance(listed, list | tuple) or column not in listed:
        return policy
    return _with_entry(policy, section, key, [name for name in listed if name != column] or None)


def with_hierarchy(policy: Draft, column: str, spec: str | Draft | None) -> dict[str, Any]:
    """A column with another hierarchy, a file's name or for example ``{"intervals": [5, 10]}``, or none.

    >>> with_hierarchy({"hierarchies": {"zip": "zip.csv"}}, "age", {"intervals": [5, 10]})
    {'hierarchies': {'zip': 'zip.csv', 'age': {'intervals': [5, 10]}}}
    """
    return _with_entry(policy, "hierarchies", column, dict(spec) if isinstance(spec, Mapping) else spec)


def with_missing(policy: Draft, column: str, rule: Missing | None) -> dict[str, Any]:
    """A column whose missing cells count otherwise, or (None) as they do by default; its codes stay.

    >>> with_missing({"missing": {"age": [-9]}}, "age", "suppress")
    {'missing': {'age': {'codes': [-9], 'count': 'suppress'}}}
    """
    given = _entries(policy, "missing").get(column)
    codes = given.get("codes") if isinstance(given, Mapping) else given
    if not isinstance(codes, list | tuple):
        return _with_entry(policy, "missing", column, rule)
    entry = list(codes) if rule is None else {"codes": list(codes), "count": rule}
    return _with_entry(policy, "missing", column, entry)


def with_domain(policy: Draft, column: str, limits: tuple[Any, Any] | None) -> dict[str, Any]:
    """A column with other publicly known limits, or none."""
    return _with_entry(policy, "domains", column, None if limits is None else list(limits))


def with_guarantee(policy: Draft, place: int | None, guarantee: Draft) -> dict[str, Any]:
    """Another guarantee at a place, or one more; entries that are None are left out.

    >>> with_guarantee({}, None, {"kind": "kf-anonymity", "k": 5, "knows": ["pay"], "within": None})
    {'guarantees': [{'kind': 'kf-anonymity', 'k': 5, 'knows': ['pay']}]}
    """
    there = _guarantees(policy)
    asked = {key: value for key, value in guarantee.items() if value is not None}
    if place is None:
        return {**policy, "guarantees": [*there, asked]}
    _check_place(place, there)
    return {**policy, "guarantees": [*there[: place - 1], asked, *there[place:]]}


def without_guarantee(policy: Draft, place: int) -> dict[str, Any]:
    """The policy with the guarantee at one place taken out."""
    there = _guarantees(policy)
    _check_place(place, there)
    return _without_empty({**policy, "guarantees": [*there[: place - 1], *there[place:]]}, "guarantees")


def with_method(
    policy: Draft,
    name: str | None = None,
    suppression: Any = None,
    objective: Objective | None = None,
    options: Draft | None = None,
    weights: Draft | None = None,
) -> dict[str, Any]:
    """What is given of the method; the rest stays. Options and weights are given whole, {} for none.

    >>> with_method({"method": {"name": "mondrian", "options": {"relaxed": True}}}, suppression=0.02)
    {'method': {'name': 'mondrian', 'options': {'relaxed': True}, 'suppression': 0.02}}
    """
    given = {"name": name, "suppression": suppression, "objective": objective}
    tables = {"options": options, "weights": weights}
    changed = _entries(policy, "method") | {key: value for key, value in given.items() if value is not None}
    for key, table in tables.items():
        if table is not None:
            changed = _without_empty({**changed, key: dict(table)}, key)
    return {**policy, "method": changed}


def with_parameters(policy: Draft, parameters: Draft) -> dict[str, Any]:
    """Other values of ``suppression``, ``objective``, options of the method (``options.rule``) and of what
    guarantees have of that name, in each that has it.

    >>> asked = {"guarantees": [{"kind": "k-anonymity", "k": 5}, {"kind": "t-closeness", "t": 0.2}]}
    >>> with_parameters(asked, {"k": 3})["guarantees"]
    [{'kind': 'k-anonymity', 'k': 3}, {'kind': 't-closeness', 't': 0.2}]
    """
    options = {name.removeprefix(OPTION): one for name, one in parameters.items() if name.startswith(OPTION)}
    of_method = {name: parameters[name] for name in ("suppression", "objective") if name in parameters}
    changed = {**policy, "guarantees": [_with_fields(one, parameters) for one in _guarantees(policy)]}
    if options:
        of_method["options"] = _entries(_entries(policy, "method"), "options") | options
    return with_method(changed, **of_method) if of_method else changed


def _with_fields(guarantee: Any, parameters: Draft) -> Any:
    model = KINDS.get(str(guarantee.get("kind"))) if isinstance(guarantee, Mapping) else None
    if model is None:
        return guarantee
    own = [name for name in model.model_fields if name in parameters and name != "kind"]
    return dict(guarantee) | {
        name: parameters[name] for name in own if name not in UNUSED or guarantee.get(name) is not None
    }


def policy_faults(policy: str | Draft, beside: Path = Path()) -> list[Fault]:
    """All that is wrong with a text or mapping; nothing when it is a sound policy.

    >>> [fault.what for fault in policy_faults({"columns": {"age": "quasi"}})]
    ['[guarantees] is missing']
    """
    try:
        if isinstance(policy, str):
            Policy.parse(policy, beside)
        else:
            Policy.from_mapping(policy, beside)
    except ShoalError as error:
        return list(error.faults)
    return []


def _with_entry(policy: Draft, section: str, key: str, value: Any) -> dict[str, Any]:
    """None takes an entry away, and a section with its last one."""
    entries = _entries(policy, section)
    if value is not None:
        return {**policy, section: entries | {key: value}}
    if key not in entries:
        return dict(policy)
    left = {name: one for name, one in entries.items() if name != key}
    return _without_empty({**policy, section: left}, section)


def _without_empty(policy: dict[str, Any], section: str) -> dict[str, Any]:
    return policy if policy[section] else {key: one for key, one in policy.items() if key != section}


def _entries(policy: Draft, section: str) -> dict[str, Any]:
    """What a section holds; one that is none (``columns = 5``) gives way."""
    found = policy.get(section)
    return dict(found) if isinstance(found, Mapping) else {}


def _guarantees(policy: Draft) -> list[Any]:
    found = policy.get("guarantees")
    return list(found) if isinstance(found, list | tuple) else []


def _check_place(place: int, there: list[Any]) -> None:
    if not 1 <= place <= len(there):
        raise ShoalError(
            f"there is no guarantee {place}", f"the policy has {len(there)}; somebody may have taken it away."
        )
