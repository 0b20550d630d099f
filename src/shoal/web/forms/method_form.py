"""The method of a policy as the page asks for it: those that can serve, and why the others cannot."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from shoal.web.forms.policy_draft import entries

if TYPE_CHECKING:
    from shoal.policy.model.policy import Policy

OBJECTIVES = {
    "ncp": "the width of cells",
    "ncp_range": "the width of cells, as a share of the range",
    "discernibility": "how many records look alike",
    "average_class": "the average size of classes",
    "height": "the levels that were climbed",
    "entropy": "the information that is lost",
}


class MethodChoice(BaseModel):
    """A method that can be chosen, or the reasons why it cannot serve the policy."""

    name: str
    suits: bool
    why_not: list[str]


class Weight(BaseModel):
    """How much a column counts in the loss."""

    column: str
    weight: str


class OptionView(BaseModel):
    """An option of a method as a field: its label, its value, and the choices if there are any."""

    name: str
    label: str
    value: str
    choices: list[tuple[str, str]]
    whole: bool


class MethodForm(BaseModel):
    """``pick_method`` is the method that will run, and ``why``; none while the policy is at fault."""

    name: str
    picked: str | None
    why: str | None
    suppression: str  # in percent
    objective: str
    objectives: list[tuple[str, str]]
    weights: list[Weight]
    unweighted: list[str]
    options: list[OptionView]
    methods: list[MethodChoice]


def method_form(mapping: Mapping[str, Any], policy: "Policy | None") -> MethodForm:
    """The entries about the method in a policy, filled into the fields of the page."""
    from shoal.anonymizer.method_facts import FACTS
    from shoal.anonymizer.suitability import pick_method
    from shoal.policy.model.policy import Objective
    from shoal.web.forms.guarantee_fields import percent_text
    from shoal.web.forms.option_fields import option_fields

    given = entries(mapping, "method")
    name, why = pick_method(policy) if policy else (str(given.get("name", "auto")), None)
    row = next((row for row in FACTS if row.name == name), None)
    permutes = policy is not None and policy.permutes
    options = option_fields(row, entries(given, "options"), permutes) if row else []
    weights = entries(given, "weights")
    quasi = [column for column, role in entries(mapping, "columns").items() if role == "quasi"]
    return MethodForm(
        name=str(given.get("name", "auto")),
        picked=name if policy else None,
        why=why,
        suppression=percent_text(given.get("suppression", 0)),
        objective=str(given.get("objective", "ncp")),
        objectives=[(word, OBJECTIVES.get(word, word)) for word in get_args(Objective)],
        weights=[Weight(column=column, weight=str(weight)) for column, weight in weights.items()],
        unweighted=[column for column in quasi if column not in weights],
        options=[OptionView.model_validate(option, from_attributes=True) for option in options],
        methods=_offered(policy),
    )


def _offered(policy: "Policy | None") -> list[MethodChoice]:
    """All of them while it cannot be told which suit."""
    from shoal.anonymizer.method_facts import FACTS
    from shoal.anonymizer.suitability import unsuited_faults

    offered = []
    for row in FACTS:
        why_not = [fault.what for fault in unsuited_faults(policy, row)] if policy else []
        offered.append(MethodChoice(name=row.name, suits=not why_not, why_not=why_not))
    return offered
