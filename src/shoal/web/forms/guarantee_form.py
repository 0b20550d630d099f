"""A guarantee as a form sends it: texts become what a policy file holds."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.text.policy_text import KINDS
from shoal.policy.toml import decimal_of
from shoal.web.forms.guarantee_fields import Widget, has_field, total_and_rest, widget_of

TOTAL = "total"  # the columns of what is known that are ticked
NEEDED = {"c": 4, "c2": 5}  # to begin with, when a variant asks for it


def guarantee_from_form(entries: Mapping[str, Any], form: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The guarantee with what the form says; a field that the form does not have stays as it was.

    >>> guarantee_from_form({"kind": "kf-anonymity", "k": 5}, {"total": ["a", "b"], "within": ["5"]})
    {'kind': 'kf-anonymity', 'k': 5, 'within': Decimal('0.05'), 'knows': ['a + b']}
    """
    kind = str(entries.get("kind"))
    if kind not in KINDS:
        raise ShoalError(f"there is no guarantee of kind {kind!r}", nearest(kind, KINDS, "shoal"))
    model = KINDS[kind].model_fields
    _refuse_unknown(kind, [name for name in model if name != "kind"], form)
    changed = dict(entries)
    for name, info in model.items():
        if name in form and name not in ("kind", "knows"):
            changed[name] = field_value(widget_of(name, info), form[name])
    if "knows" in form or TOTAL in form:
        changed["knows"] = _knows(changed.get("knows"), form)
    return _fitting({name: value for name, value in changed.items() if value is not None})


def _refuse_unknown(kind: str, names: Sequence[str], form: Mapping[str, Sequence[str]]) -> None:
    known = ["kind", *names, *([TOTAL] if "knows" in names else [])]
    faults = [
        Fault(f"{kind} has no {name!r}", nearest(name, known, "the guarantee"))
        for name in form
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)


def field_value(widget: Widget, given: Sequence[str]) -> Any:
    """What the texts of a field say; None says nothing, so that the entry is left out.

    >>> field_value("whole", ["5"]), field_value("percent", ["2.5"]), field_value("columns", ["", "a", "b"])
    (5, Decimal('0.025'), ['a', 'b'])
    """
    texts = [with_line_feeds(text) for text in given]
    if widget == "lines":
        return [line.strip() for text in texts for line in text.split("\n") if line.strip()] or None
    filled = [text for text in texts if text]
    if not filled:
        return None
    if widget == "columns":
        return filled if len(filled) > 1 else filled[0]
    last = filled[-1]
    if widget == "yes":
        return last == "true" or None
    return form_number(last, widget == "percent") if widget in ("whole", "number", "percent") else last


def with_line_feeds(text: str) -> str:
    """A form sends every end of a line as two characters."""
    return text.replace("\r\n", "\n")


def form_number(text: str, percent: bool = False) -> int | Decimal | str:
    """A number as it is written; what is none stays, and is a fault of the policy.

    >>> form_number("5"), form_number("0.50"), form_number("5", percent=True), form_number("many")
    (5, Decimal('0.50'), Decimal('0.05'), 'many')
    """
    try:
        found = decimal_of(text.strip())
    except ArithmeticError:
        return text
    if percent:
        found = (found / 100).normalize()
    return int(found) if text.strip().lstrip("+-").isdecimal() and not percent else found


def _knows(before: Any, form: Mapping[str, Sequence[str]]) -> list[str]:
    """The total of what is ticked, then other expressions."""
    total, rest = total_and_rest([str(one) for one in before] if isinstance(before, list | tuple) else [])
    ticked = [with_line_feeds(name) for name in form.get(TOTAL, total) if name]
    others = [with_line_feeds(text).strip() for text in form.get("knows", rest)]
    sums = [" + ".join(map(expression_name, ticked))] if ticked else []
    return [*sums, *(text for text in others if text)]


def _fitting(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries without what their variant does not have, and with what that needs."""
    if "also" in entries and isinstance(entries["also"], str):
        entries["also"] = [entries["also"]]
    fitting = {
        name: value
        for name, value in entries.items()
        if name not in KINDS[entries["kind"]].model_fields or has_field(entries, name)
    }
    if entries["kind"] != "l-diversity":
        return fitting
    return fitting | {
        name: value for name, value in NEEDED.items() if has_field(entries, name) and name not in fitting
    }
