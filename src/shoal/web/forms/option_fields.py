"""The options of a method as fields of a form, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.anonymizer.method_facts import PERMUTE, MethodFacts
from shoal.web.forms.guarantee_form import form_number

YES_OR_NO = (("", "as usual"), ("true", "yes"), ("false", "no"))
ALL_OR_NONE = (("", "as usual"), ("true", "all quasi columns"), ("false", "none"))
LABELS = {
    "cells": "What cells of columns with a hierarchy show",
    "draw": "From which cells one is drawn to be blurred",
    "gamma": "How readily a group takes one record more",
    "keep_decimals": "Write means with as many decimals as the column has",
    "order": "The order of words, from low to high",
    "p": "How far values may move, in percent of the ranks",
    "permute": "Exchange sensitive columns",
    "relaxed": "Records at the median may go to either side",
    "rule": "How many groups are formed at a time",
    "standardize": "How columns are made comparable",
    "subsets": "Largest set of columns that is tried",
    "textbook": "Divide records as the textbook does, and no further",
    "time_limit": "Longest search, in seconds",
    "totals": "Keep the totals of columns",
}
AS_WRITTEN = "written"  # a value that only the text can hold


@dataclass(frozen=True)
class OptionField:
    """``choices`` are what is sent and what it says; without them it is a number."""

    name: str
    value: str
    choices: tuple[tuple[str, str], ...] = ()
    whole: bool = False

    @property
    def label(self) -> str:
        return LABELS[self.name]


def option_fields(row: MethodFacts, options: Mapping[str, Any], permutes: bool = False) -> list[OptionField]:
    """
    >>> from shoal.anonymizer.method_facts import FACTS
    >>> [(one.name, one.value) for one in option_fields(FACTS[3], {"relaxed": True})]
    [('relaxed', 'true'), ('textbook', ''), ('cells', '')]
    """
    return [_field(name, asked, options.get(name)) for name, asked in options_of(row, permutes).items()]


def options_of(row: MethodFacts, permutes: bool) -> dict[str, type | tuple[str, ...]]:
    """The options of a method and what each may be, those of permuting included."""
    return {**row.options, **(PERMUTE if permutes else {})}


def _field(name: str, asked: type | tuple[str, ...], value: Any) -> OptionField:
    text = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    if asked in (int, float):
        return OptionField(name, text, whole=asked is int)
    if isinstance(asked, tuple):
        return OptionField(name, text, (("", "as usual"), *((word, word) for word in asked)))
    choices = {bool: YES_OR_NO, list: ALL_OR_NONE}.get(asked, (("", "as usual"),))
    if isinstance(value, list | tuple | Mapping):
        return OptionField(name, AS_WRITTEN, (*choices, (AS_WRITTEN, "as the text says")))
    return OptionField(name, text, choices)


def changed_options(
    row: MethodFacts, before: Mapping[str, Any], form: Mapping[str, Sequence[str]], permutes: bool = False
) -> dict[str, Any]:
    """What a form says of the options of this method; an option that it does not speak of stays.

    >>> from shoal.anonymizer.method_facts import FACTS
    >>> changed_options(FACTS[3], {"cells": "sets"}, {"relaxed": ["true"]})
    {'cells': 'sets', 'relaxed': True}
    """
    options = {name: value for name, value in before.items() if name in options_of(row, permutes)}
    for name, asked in options_of(row, permutes).items():
        text = form.get(name, [AS_WRITTEN])[-1]
        if text == AS_WRITTEN:
            continue
        options.pop(name, None)
        if text:
            options[name] = _value(asked, text)
    return options


def _value(asked: type | tuple[str, ...], text: str) -> Any:
    if asked in (bool, list) and text in ("true", "false"):
        return text == "true"
    return form_number(text) if asked in (int, float) else text
