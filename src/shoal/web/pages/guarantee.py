"""Attacker and guarantee: what somebody may know, what is promised, and how it is kept."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.errors import ShoalError
from shoal.web.dependencies import ThisProject
from shoal.web.forms.method_form import MethodForm, method_form
from shoal.web.forms.policy_draft import WrongLine, entries, fingerprint, policy_state, text_before
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.data import profile_of
from shoal.web.pages.explain import ExplanationView, explanation_view
from shoal.web.problem import FaultView
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json

if TYPE_CHECKING:
    from shoal.web.forms.guarantee_words import GuaranteeTemplate

router = APIRouter()
Found = Mapping[str, Mapping[str, Any]]  # what the look at the table has found of each column
NUMBERS = ("integer", "decimal")


class FieldView(BaseModel):
    """A parameter of a guarantee; of what is known, ``columns`` form the total."""

    name: str
    label: str
    help: str
    widget: str
    values: list[str]
    required: bool
    choices: list[tuple[str, str]]
    columns: list[str]
    least: float | None
    most: float | None


class GuaranteeView(BaseModel):
    """``sentence`` is what it promises; none while it is at fault."""

    place: int
    kind: str
    sentence: str | None
    fields: list[FieldView]
    explained: str | None  # the name of its explanation


class PromiseChoice(BaseModel):
    """A guarantee that can be added, or the reason why it cannot."""

    name: str
    group: str
    says: str
    why_not: str | None


class DemandView(BaseModel):
    """A guarantee that a preset asks for, with its entries and the reason."""

    kind: str
    why: str
    optional: bool
    entries: dict[str, str | int | float]


class PresetView(BaseModel):
    """A preset of guarantees: what it is about, what it demands, and what it leaves uncovered."""

    name: str
    title: str
    about: str
    demands: list[DemandView]
    suppression: float
    why_suppression: str
    uncovered: list[str]


class StaleChange(BaseModel):
    """A change that was refused as the policy had become another one, and the text that was typed, if any."""

    what: str
    hint: str
    typed: str | None


class GuaranteePage(BaseModel):
    """``readable`` says that the text is TOML, so that forms can change it; ``sound`` that it can be run.
    Whoever sends ``made_from`` with a change is refused once the text is another."""

    way: Navigation
    text: str
    made_from: str
    line: WrongLine | None
    can_undo: bool
    can_go_back: bool
    readable: bool
    sound: bool
    faults: list[FaultView]
    guarantees: list[GuaranteeView]
    promises: list[PromiseChoice]
    presets: list[PresetView]
    method: MethodForm | None
    explanations: dict[str, ExplanationView]
    meanwhile: StaleChange | None = None


@router.get("/tables/{table}/guarantee", response_model=GuaranteePage, responses=PAGE)
def guarantee(request: Request, project: ThisProject) -> Response:
    """What is promised against whom, the method, and the text of the policy."""
    return page_or_json(request, "guarantee.html", guarantee_page(project))


def guarantee_page(project: Project, meanwhile: StaleChange | None = None) -> GuaranteePage:
    """The page of a table's guarantees and method, made from its policy."""
    from shoal.policy.draft.presets import PRESETS

    state = policy_state(project)
    shown = _guarantees(state.mapping)
    names = sorted({one.explained for one in shown if one.explained is not None})
    return GuaranteePage(
        way=navigation(project, "guarantee"),
        text=state.text,
        made_from=fingerprint(state.text),
        line=state.line,
        can_undo=text_before(project, "previous") is not None,
        can_go_back=not state.sound and text_before(project, "sound") is not None,
        readable=state.readable,
        sound=state.sound,
        faults=state.faults,
        guarantees=shown,
        promises=_promises(project, state.mapping) if state.readable else [],
        presets=[PresetView.model_validate(asdict(one) | {"demands": _demands(one)}) for one in PRESETS],
        method=method_form(state.mapping, state.policy) if state.readable else None,
        explanations={name: explanation_view(name) for name in names},
        meanwhile=meanwhile,
    )


def guarantees_in(mapping: Mapping[str, Any]) -> list[Any]:
    """The guarantees of a text, which may be at fault."""
    asked = mapping.get("guarantees")
    return asked if isinstance(asked, list) else []


def _guarantees(mapping: Mapping[str, Any]) -> list[GuaranteeView]:
    from shoal.policy.text.policy_text import policy_sentences
    from shoal.web.forms.guarantee_fields import guarantee_fields

    roles = entries(mapping, "columns")
    shown = []
    pairs = zip(guarantees_in(mapping), policy_sentences(mapping), strict=True)
    for place, (one, sentence) in enumerate(pairs, 1):
        given = one if isinstance(one, Mapping) else {}
        fields = guarantee_fields(given, roles)
        shown.append(
            GuaranteeView(
                place=place,
                kind=str(given.get("kind", "")),
                sentence=sentence,
                fields=[FieldView.model_validate(asdict(field)) for field in fields],
                explained=_explanation(given) if fields else None,
            )
        )
    return shown


def _explanation(given: Mapping[str, Any]) -> str:
    from shoal.web.forms.guarantee_words import GUARANTEE_TEMPLATES

    kind, variant = given["kind"], given.get("variant")
    named = f"{variant}-{kind}"
    return named if any(promise.name == named for promise in GUARANTEE_TEMPLATES) else str(kind)


def _promises(project: Project, mapping: Mapping[str, Any]) -> list[PromiseChoice]:
    from shoal.web.forms.guarantee_words import GUARANTEE_TEMPLATES

    found = profile_column_names(project)
    return [
        PromiseChoice(name=one.name, group=one.group, says=one.says, why_not=_why_not(found, mapping, one))
        for one in GUARANTEE_TEMPLATES
    ]


def _why_not(found: Found, mapping: Mapping[str, Any], promise: "GuaranteeTemplate") -> str | None:
    try:
        first_guarantee_of(found, mapping, promise)
    except ShoalError as error:
        return f"{error.faults[0].what}: {error.faults[0].hint}"
    return None


def first_guarantee_of(
    found: Found, mapping: Mapping[str, Any], promise: "GuaranteeTemplate"
) -> dict[str, Any]:
    """This promise, about the columns of this table."""
    from shoal.web.forms.first_guarantee import first_guarantee

    numbers = {name for name, one in found.items() if one["kind"] in NUMBERS}
    amounts = {name for name, one in found.items() if one["additive"]}
    return first_guarantee(promise, entries(mapping, "columns"), numbers, amounts)


def profile_column_names(project: Project) -> Found:
    """The columns found in the table, by name; none before somebody has looked."""
    return {one["name"]: one for one in (profile_of(project) or {"columns": []})["columns"]}


def _demands(preset: Any) -> list[dict[str, Any]]:
    return [
        {"kind": one.kind, "why": one.why, "optional": one.optional, "entries": dict(one.entries)}
        for one in preset.demands
    ]
