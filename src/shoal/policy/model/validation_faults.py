"""Say every fault of a policy in our own words: where it is and what to do."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.model.guarantee import GUARANTEES

SECTIONS = (
    "rows", "columns", "reading", "types", "prepare", "hierarchies", "domains", "missing", "leaks", "publish",
    "guarantees", "method",
)  # fmt: skip
METHOD_KEYS = ("name", "suppression", "objective", "weights", "options")
GUARANTEE_KEYS = tuple(dict.fromkeys(key for kind in GUARANTEES for key in kind.model_fields))
OWN_KEYS = {
    "hierarchies": (
        "intervals",
        "groups",
        "order",
        "mask",
        "dates",
        "tree",
        "frequency",
        "file",
        "lowest",
        "highest",
    ),
    "leaks": ("accept",),
    "types": ("kind", "decimal", "thousands", "format", "years_from", "order"),
    "missing": ("codes", "count"),
    "prepare": (
        *("leave_out", "columns", "derive", "value", "labels"),
        *("bottom", "top", "round", "date", "age_at", "text", "cut"),
    ),
    "reading": ("header", "names", "multiline", "sheet", "table", "query"),
    "publish": ("allow",),
}
TAGGED = ("types", "missing", "prepare")  # an entry is a text or a table
ROLES = "identifier, quasi, sensitive or other"


def validation_faults(error: ValidationError) -> list[Fault]:
    """Every fault that pydantic found, in our words; a faulty item hides that its list is too short."""
    details = error.errors()
    places = [detail["loc"] for detail in details]
    return [
        fault
        for detail in details
        if not (detail["type"] == "too_short" and _has_faulty_item(detail["loc"], places))
        for fault in _explain(detail)
    ]


def _has_faulty_item(place: tuple[Any, ...], places: list[tuple[Any, ...]]) -> bool:
    """A list is not short of items only because one of them is wrong."""
    return any(other[: len(place)] == place and len(other) > len(place) for other in places)


def _explain(detail: Any) -> Iterator[Fault]:
    place, kind = _place(detail["loc"]), detail["type"]
    context = detail.get("ctx", {})
    inner = context["error"].args[0] if isinstance(context.get("error"), ValueError) else None
    if isinstance(inner, ShoalError):
        for fault in inner.faults:
            yield Fault(f"{place}: {fault.what}", fault.hint)
    elif kind == "union_tag_invalid":
        kinds = context["expected_tags"].replace("'", "").split(", ")
        yield Fault(
            f"{place}: there is no guarantee of kind {context['tag']!r}",
            nearest(context["tag"], kinds, "shoal"),
        )
    elif kind == "union_tag_not_found":
        yield Fault(f"{place} has no kind", 'write for example kind = "kf-anonymity".')
    elif kind == "missing":
        yield Fault(f"{place} is missing", _needed(str(detail["loc"][-1])))
    elif kind == "extra_forbidden":
        known = {1: SECTIONS, 2: METHOD_KEYS}.get(len(detail["loc"]), GUARANTEE_KEYS)
        if detail["loc"][0] in OWN_KEYS and len(detail["loc"]) > 1:
            known = OWN_KEYS[detail["loc"][0]]
        hint = nearest(str(detail["loc"][-1]), known, "a policy" if known is SECTIONS else "this part")
        yield Fault(f"{place} is not part of a policy", hint)
    elif isinstance(inner, str):
        yield Fault(f"{place}: {inner}")
    elif detail["loc"][:1] == ("columns",) and kind == "literal_error":
        yield Fault(f"{place} has no such role", f"a role is {ROLES}.")
    else:
        yield Fault(f"{place}: {_lower(detail['msg'])}", _needed(str(detail["loc"][-1])))


def _place(location: Sequence[int | str]) -> str:
    """The place in the file: ``[[guarantees]] 1, k`` or ``[columns] age``."""
    section, *rest = location or ("policy",)
    if section == "guarantees" and rest and isinstance(rest[0], int):
        inner = [str(part) for part in rest[2:] if not isinstance(part, int)]
        return ", ".join([f"[[guarantees]] {rest[0] + 1}", *inner])
    if section in TAGGED:
        rest = [part for part in rest if not str(part).startswith("as-")]
    return " ".join([f"[{section}]", *map(str, rest)])


def _needed(key: str) -> str:
    return {
        "k": "k is a whole number of at least 2: one record alone protects nobody.",
        "knows": 'knows is a list of expressions, for example ["salary + bonus"].',
        "also": 'also is a list of columns, for example ["age"].',
        "e": "e is how far the values of a group lie apart at least, for example 5000; days for dates.",
        "gap": "gap is how much the k values of a group differ at least, a number above 0.",
        "l": "l is the number of different sensitive values, at least 1.",
        "p": "p is the number of different sensitive values, at least 1.",
        "q": "q is a share above 0 and at most 1: values are rare that fewer records have, for example 0.2.",
        "r": "r is a share of the whole table's variance, for example 0.5.",
        "sensitive": 'sensitive names a column, for example sensitive = "diagnosis".',
        "t": "t is a distance between 0 and 1, for example 0.2.",
        "within": "within is a share between 0 and 1, for example 0.05.",
        "columns": "[columns] lists every column of the table with its role.",
        "guarantees": 'add [[guarantees]] with kind = "kf-anonymity" or "k-anonymity".',
        "suppression": "suppression is a share between 0 and 1.",
        "rows": 'rows = "people" says that no two rows are about the same person; leave it out otherwise.',
        "kind": "a kind is number, category, ordered, date or text.",
        "decimal": 'decimal is "." or ",".',
        "thousands": 'thousands is ".", ",", "\'" or " ".',
        "codes": 'codes is a list, for example [-9, "NA"].',
        "count": "count is value, zero, suppress or error.",
        "accept": 'accept is a list of columns, for example ["remark"].',
        "allow": 'allow is a list of columns, for example ["remark"].',
    }.get(key, "")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
