"""A policy as a TOML file that people like to read.

Two forms of a policy can be written. A ``Policy`` is complete: the lines of its hierarchy files are part of
it, and are written out. The plain mapping that a text holds (``toml_mapping``) still has the names of these
files, and whatever is at fault in it; it is what a form changes (``web/forms/policy_edit.py``),
and it is written as it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from shoal.policy.model.background_columns import sentence_among
from shoal.policy.model.column_references import read_guarantee
from shoal.policy.model.guarantee import GUARANTEES, KeAnonymity
from shoal.policy.model.policy import Leaks, Method, Policy, Publish
from shoal.policy.model.prepare_spec import PrepareSpec
from shoal.policy.model.reading_spec import ReadingSpec
from shoal.policy.model.validation_faults import SECTIONS
from shoal.policy.toml import WIDTH, toml_comment, toml_key, toml_value

LONGEST_ALIGNED = 30  # a longer key does not push the others' values to the right
KINDS: dict[str, type[BaseModel]] = {one.model_fields["kind"].default: one for one in GUARANTEES}
DEFAULTS: dict[str, type[BaseModel]] = {
    "method": Method, "reading": ReadingSpec, "prepare": PrepareSpec, "leaks": Leaks, "publish": Publish,
}  # fmt: skip
SPLIT = ("prepare",)  # sections whose parts are sections, however short


def policy_text(policy: Policy | Mapping[str, Any], head: str = "") -> str:
    """The text of a policy, below a comment; what is a default is left out.

    >>> asked = [{"kind": "k-anonymity", "k": 5}]
    >>> print(policy_text({"columns": {"age": "quasi"}, "guarantees": asked}), end="")
    [columns]
    age = "quasi"
    <BLANKLINE>
    # every combination of published quasi values is shared by at least 5 records
    [[guarantees]]
    kind = "k-anonymity"
    k = 5
    """
    mapping = plain_mapping(policy)
    places = {name: at for at, name in enumerate(SECTIONS)}
    ordered = sorted(mapping.items(), key=lambda item: places.get(item[0], len(places)))
    bare = "".join(_entry(key, value) for key, value in ordered if not _is_section(value))
    parts = ["".join(map(toml_comment, head.splitlines())), bare]
    for key, value in ordered:
        if _is_section(value):
            parts.extend(_blocks(key, value, mapping))
    return "\n".join(part for part in parts if part)


def plain_mapping(policy: Policy | Mapping[str, Any]) -> dict[str, Any]:
    """What the text of a policy holds, without defaults and empty sections.

    >>> plain_mapping({"columns": {"age": "quasi"}, "method": {"name": "auto"}, "domains": {}})
    {'columns': {'age': 'quasi'}}
    """
    mapping = policy.model_dump(exclude_none=True) if isinstance(policy, Policy) else dict(policy)
    for section, model in DEFAULTS.items():
        if isinstance(mapping.get(section), Mapping):
            mapping[section] = _without_defaults(mapping[section], model)
    if isinstance(mapping.get("guarantees"), list | tuple):
        mapping["guarantees"] = [_guarantee_entries(one) for one in mapping["guarantees"]]
    empty: tuple[Any, ...] = ({}, [], None)
    return {key: value for key, value in mapping.items() if value not in empty}


def _guarantee_entries(guarantee: Any) -> Any:
    kind = guarantee.get("kind") if isinstance(guarantee, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        return guarantee
    return {"kind": kind} | _without_defaults(guarantee, KINDS[kind])


def _without_defaults(entries: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    defaults = {name: field.get_default() for name, field in model.model_fields.items()}
    return {
        key: value
        for key, value in entries.items()
        if value is not None
        and (key not in defaults or (tuple(value) if isinstance(value, list) else value) != defaults[key])
    }


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


def _blocks(key: str, value: Any, policy: Mapping[str, Any]) -> Iterator[str]:
    """A section and those inside it, or one for each item of a list."""
    if isinstance(value, Mapping):
        yield from _section(f"[{toml_key(key)}]", toml_key(key), value)
        return
    sentences = policy_sentences(policy) if key == "guarantees" else [None] * len(value)
    for one, sentence in zip(value, sentences, strict=True):
        header = f"[[{toml_key(key)}]]"
        first, *rest = _section(header, toml_key(key), one, aligned=False)
        yield ("" if sentence is None else toml_comment(sentence)) + first
        yield from rest


def _section(header: str, path: str, entries: Mapping[str, Any], aligned: bool = True) -> Iterator[str]:
    """Tables that are too long for a line are sections of their own."""
    inner = {
        key: value
        for key, value in entries.items()
        if isinstance(value, Mapping) and (path in SPLIT or _is_long(key, value))
    }
    keys = {key: toml_key(key) for key in entries if key not in inner}
    short = [len(written) for written in keys.values() if len(written) <= LONGEST_ALIGNED]
    width = max(short, default=0) if aligned else 0
    lines = [_entry(key, entries[key], width) for key in keys]
    if lines or not inner or header.startswith("[["):
        yield f"{header}\n" + "".join(lines)
    for key, value in inner.items():
        below = f"{path}.{toml_key(key)}"
        yield from _section(f"[{below}]", below, value, aligned)


def _is_long(key: str, value: Any) -> bool:
    return len(f"{toml_key(key)} = {toml_value(value)}") > WIDTH


def _entry(key: str, value: Any, width: int = 0) -> str:
    written = toml_key(key).ljust(width)
    if isinstance(value, list | tuple) and _is_long(key, value):
        items = "".join(f"    {toml_value(one)},\n" for one in value)
        return f"{written} = [\n{items}]\n"
    return f"{written} = {toml_value(value)}\n"


def guarantee_sentence(guarantee: Mapping[str, Any]) -> str | None:
    """What the entries of a guarantee promise; None as long as they are at fault.

    >>> guarantee_sentence({"kind": "p-sensitivity", "p": 2})
    'every class has at least 2 different values of every sensitive column'
    """
    return policy_sentences({"guarantees": [guarantee]})[0]


def policy_sentences(policy: Mapping[str, Any]) -> list[str | None]:
    """What each guarantee of a mapping promises beside the others."""
    given, method = policy.get("guarantees"), policy.get("method")
    read = [read_guarantee(one) for one in given] if isinstance(given, list | tuple) else []
    options = method.get("options") if isinstance(method, Mapping) else None
    together = isinstance(options, Mapping) and options.get("permute") == "together"
    apart = any(isinstance(one, KeAnonymity) for one in read) and not together
    return [None if one is None else sentence_among(one, read, apart) for one in read]
