"""The fields of a form for a guarantee, made from its class: whatever a class asks for can be filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from shoal.errors import ShoalError
from shoal.policy.model.expression import ColumnTerm, Combine, parse_expression
from shoal.policy.text.policy_text import KINDS
from shoal.web.forms.guarantee_words import WORDS, parameter_label

Widget = Literal["whole", "number", "percent", "choice", "yes", "column", "columns", "lines", "knows"]
OF_VARIANT = {
    "c": ("recursive", "pd-recursive", "npd-recursive"),
    "c2": ("npd-recursive",),
    "allowed": ("pd-recursive", "npd-recursive"),
    "protected": ("npd-recursive",),
}


@dataclass(frozen=True)
class GuaranteeField:
    """``values`` are texts as a form shows them: one for most widgets, several for columns and lines. Of
    what is known, ``columns`` form the total and ``values`` are all other expressions."""

    name: str
    label: str
    help: str
    widget: Widget
    values: tuple[str, ...]
    required: bool
    choices: tuple[tuple[str, str], ...] = ()  # what is written, and what it says
    columns: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


def guarantee_fields(entries: Mapping[str, Any], columns: Mapping[str, Any]) -> list[GuaranteeField]:
    """The fields that a guarantee of this kind and variant has, filled in; none for a kind that is unknown.

    >>> fields = guarantee_fields({"kind": "k-anonymity", "k": 5}, {"age": "quasi"})
    >>> [(field.name, field.widget, field.values) for field in fields]
    [('k', 'whole', ('5',)), ('stars', 'choice', ('own',))]
    """
    kind = entries.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return []
    return [
        _field(kind, name, info, entries, columns)
        for name, info in KINDS[kind].model_fields.items()
        if name != "kind" and has_field(entries, name)
    ]


def has_field(entries: Mapping[str, Any], name: str) -> bool:
    """Some are for a variant only, some beside others only.

    >>> has_field({"variant": "distinct"}, "c"), has_field({"variant": "recursive"}, "c")
    (False, True)
    """
    if name == "band":
        return entries.get("within") is not None
    if name == "order":
        return entries.get("distance") == "ordered"
    return name not in OF_VARIANT or entries.get("variant", "distinct") in OF_VARIANT[name]


def _field(
    kind: str, name: str, info: FieldInfo, entries: Mapping[str, Any], columns: Mapping[str, Any]
) -> GuaranteeField:
    widget = widget_of(name, info)
    value = entries.get(name, None if info.is_required() else info.default)
    known: tuple[str, ...] = ()
    if widget == "knows":
        known, values = total_and_rest(_texts(value))
    else:
        values = (percent_text(value),) if widget == "percent" else _texts(value)
    return GuaranteeField(
        name=name,
        label=parameter_label(kind, name),
        help=info.description or "",
        widget=widget,
        values=values,
        required=info.is_required(),
        choices=_choices(name, info, widget, columns),
        columns=known,
        least=_limit(info, "ge", "gt"),
        most=_limit(info, "le", "lt"),
    )


def widget_of(name: str, info: FieldInfo) -> Widget:
    """How a parameter is asked for, by its type; columns and what is known by their names."""
    if name in ("knows", "within"):
        return "knows" if name == "knows" else "percent"
    types = _types(info.annotation)
    several = any(get_origin(one) is tuple for one in types)
    if name in ("sensitive", "also"):
        return "columns" if several else "column"
    if several:
        return "lines"
    if any(get_origin(one) is Literal for one in types):
        return "choice"
    return "yes" if bool in types else "whole" if int in types else "number"


def _types(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [inner for one in get_args(annotation) for inner in _types(one) if one is not type(None)]
    return [annotation]


def _choices(
    name: str, info: FieldInfo, widget: Widget, columns: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    if widget in ("column", "columns", "knows"):
        role = "sensitive" if name == "sensitive" else "quasi"
        return tuple((column, column) for column, given in columns.items() if given == role)
    if widget != "choice":
        return ()
    words = [word for one in _types(info.annotation) for word in get_args(one)]
    return tuple((word, WORDS.get((name, word), word)) for word in words)


def _limit(info: FieldInfo, *names: str) -> float | None:
    found = [getattr(one, name) for one in info.metadata for name in names if hasattr(one, name)]
    return float(found[0]) if found else None


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return ("true" if value else "",) if isinstance(value, bool) else (str(value),)


def percent_text(share: Any) -> str:
    """
    >>> percent_text(Decimal("0.05")), percent_text(None), percent_text("much")
    ('5', '', 'much')
    """
    if share is None:
        return ""
    number = isinstance(share, int | float | Decimal) and not isinstance(share, bool)
    return f"{(Decimal(str(share)) * 100).normalize():f}" if number else str(share)


def total_and_rest(expressions: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the first plain total, and all other expressions.

    >>> total_and_rest(["max(a, b)", "a + b"])
    (('a', 'b'), ('max(a, b)',))
    """
    for at, expression in enumerate(expressions):
        if columns := _total(expression):
            return columns, (*expressions[:at], *expressions[at + 1 :])
    return (), tuple(expressions)


def _total(expression: str) -> tuple[str, ...]:
    try:
        tree = parse_expression(expression)
    except ShoalError:
        return ()
    parts = tree.parts if isinstance(tree, Combine) and tree.function == "sum" else (tree,)
    names = tuple(part.name for part in parts if isinstance(part, ColumnTerm))
    return names if len(names) == len(parts) else ()
