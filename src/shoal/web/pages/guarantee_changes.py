"""What people change on the page of guarantees: promises, a preset, the method, or the text itself."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from shoal.errors import Fault, ShoalError, nearest
from shoal.web.dependencies import ThisProject
from shoal.web.forms.policy_draft import Back, Stale, change_policy, entries, go_back, keep_policy, text_state
from shoal.web.pages.guarantee import (
    GuaranteePage,
    StaleChange,
    first_guarantee_of,
    guarantee_page,
    guarantees_in,
    profile_column_names,
)
from shoal.web.problem import Refused
from shoal.web.project import Project
from shoal.web.response import page_or_json, redirect_or_json, wants_html

router = APIRouter()
FIELDS = {
    "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}},
}
METHOD_FIELDS = ("name", "suppression", "objective", "weight_of", "weight")
OPTION = "option."


async def _sent(request: Request) -> dict[str, list[str]]:
    """The fields of a form that depends on what it is about; one that is left empty is there."""
    body = (await request.body()).decode("utf-8", "replace")
    return parse_qs(body, keep_blank_values=True)


Sent = Annotated[dict[str, list[str]], Depends(_sent)]
Place = Annotated[int, Path(ge=1, le=10**4, description="The number of a guarantee, from 1.")]


class PolicyText(BaseModel):
    """A whole policy as it was typed."""

    model_config = ConfigDict(extra="forbid")
    text: str = ""
    made_from: str | None = None


class NewPromise(BaseModel):
    """A guarantee to be added."""

    model_config = ConfigDict(extra="forbid")
    promise: str
    made_from: str | None = None


class PresetForm(BaseModel):
    """A preset to be applied."""

    model_config = ConfigDict(extra="forbid")
    preset: str
    made_from: str | None = None


class StepBack(BaseModel):
    """An earlier text of the policy to go back to."""

    model_config = ConfigDict(extra="forbid")
    to: Back
    made_from: str | None = None


class Removal(BaseModel):
    """A guarantee to be taken out; the address says which."""

    model_config = ConfigDict(extra="forbid")
    made_from: str | None = None


def _changed(
    request: Request, project: Project, change: Callable[[], None], at: str = "", typed: str | None = None
) -> Response:
    """Back to the page. Where a form was made from another text, people see what stands there now, and what
    they typed."""
    try:
        change()
    except Stale as stale:
        if not wants_html(request.headers, request.url.query):
            raise
        fault = stale.faults[0]
        meanwhile = StaleChange(what=fault.what, hint=fault.hint, typed=typed)
        shown = page_or_json(request, "guarantee.html", guarantee_page(project, meanwhile))
        shown.status_code = stale.status
        return shown
    return redirect_or_json(request, f"/tables/{project.key}/guarantee{at}", guarantee_page(project))


def _made_from(form: dict[str, list[str]]) -> str | None:
    """Taken out of a form, whose other fields are those of the policy."""
    return form.pop("made_from", [None])[-1]


@router.put("/tables/{table}/policy", response_model=GuaranteePage)
@router.post("/tables/{table}/policy", response_model=GuaranteePage, include_in_schema=False)
def put_policy(request: Request, project: ThisProject, given: Annotated[PolicyText, Form()]) -> Response:
    """Keep the text of the policy, also one that is at fault; the answer says what is wrong with it."""
    text = given.text.replace("\r\n", "\n")  # as forms send the end of a line
    return _changed(request, project, lambda: keep_policy(project, text, given.made_from), typed=text)


@router.post("/tables/{table}/policy/back", response_model=GuaranteePage)
def step_back(request: Request, project: ThisProject, given: Annotated[StepBack, Form()]) -> Response:
    """Take back the last change of the policy, or go back to its last text that was sound."""
    return _changed(request, project, lambda: go_back(project, given.to, given.made_from))


@router.post("/tables/{table}/guarantees", response_model=GuaranteePage)
def add_guarantee(request: Request, project: ThisProject, given: Annotated[NewPromise, Form()]) -> Response:
    """Promise one thing more, with numbers to begin with."""
    from shoal.web.forms.first_guarantee import find_template
    from shoal.web.forms.policy_edit import with_guarantee

    promise, found = find_template(given.promise), profile_column_names(project)

    def change(policy: dict[str, Any]) -> dict[str, Any]:
        return with_guarantee(policy, None, first_guarantee_of(found, policy, promise))

    return _changed(request, project, lambda: change_policy(project, change), "#promises")


@router.post("/tables/{table}/guarantees/{place}", response_model=GuaranteePage, openapi_extra=FIELDS)
def change_guarantee(request: Request, project: ThisProject, place: Place, form: Sent) -> Response:
    """Change parameters of a promise, each a field of its name; what is not sent stays."""
    from shoal.web.forms.guarantee_form import guarantee_from_form
    from shoal.web.forms.policy_edit import with_guarantee

    def change(policy: dict[str, Any]) -> dict[str, Any]:
        there = _at(policy, place)
        if form.get("kind", [there.get("kind")])[-1] != there.get("kind"):
            raise Refused(409, f"guarantee {place} is another one by now", "load the page again.")
        return with_guarantee(policy, place, guarantee_from_form(there, form))

    made_from = _made_from(form)
    return _changed(request, project, lambda: change_policy(project, change, made_from))


@router.post("/tables/{table}/guarantees/{place}/remove", response_model=GuaranteePage)
def remove_guarantee(
    request: Request, project: ThisProject, place: Place, given: Annotated[Removal, Form()]
) -> Response:
    """Promise this no longer."""
    from shoal.web.forms.policy_edit import without_guarantee

    def change(policy: dict[str, Any]) -> dict[str, Any]:
        return without_guarantee(policy, place)

    return _changed(request, project, lambda: change_policy(project, change, given.made_from), "#promises")


@router.post("/tables/{table}/preset", response_model=GuaranteePage)
def choose_preset(request: Request, project: ThisProject, given: Annotated[PresetForm, Form()]) -> Response:
    """Take the guarantees and the share that may be left out from a preset. It proves no compliance."""
    from shoal.policy.draft.presets import find_preset
    from shoal.web.forms.preset_policy import with_preset

    preset, found = find_preset(given.preset), profile_column_names(project)
    kinds = {name: str(one["kind"]) for name, one in found.items()}
    distinct = {name: int(one["distinct"]) for name, one in found.items()}

    def change(policy: dict[str, Any]) -> dict[str, Any]:
        return with_preset(policy, preset, kinds, distinct)

    return _changed(request, project, lambda: change_policy(project, change, given.made_from), "#promises")


@router.post("/tables/{table}/method", response_model=GuaranteePage, openapi_extra=FIELDS)
def change_method(request: Request, project: ThisProject, form: Sent) -> Response:
    """Change the method: name, suppression in percent, objective, weight_of and weight once for each column,
    and option.NAME; what is not sent stays."""
    _made_from(form)  # whatever else has changed, this is about the method that stands
    known = [*METHOD_FIELDS, *(name for name in form if name.startswith(OPTION))]
    faults = [
        Fault(f"the method has no {name!r}", nearest(name, known, "the form"))
        for name in form
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
    return _changed(
        request, project, lambda: change_policy(project, lambda policy: _with_method(policy, form, project))
    )


def _with_method(policy: dict[str, Any], form: Mapping[str, list[str]], project: Project) -> dict[str, Any]:
    from shoal.web.forms.guarantee_form import form_number
    from shoal.web.forms.policy_edit import with_method

    said = {name: texts[-1] for name, texts in form.items()}
    changed = with_method(
        policy,
        name=said.get("name"),
        suppression=form_number(said["suppression"] or "0", percent=True) if "suppression" in said else None,
        objective=cast(Any, said.get("objective")),
        weights=_weights(form) if "weight_of" in form else None,
    )
    before = entries(policy, "method").get("name", "auto")
    sent = {key.removeprefix(OPTION): texts for key, texts in form.items() if key.startswith(OPTION)}
    if not sent and said.get("name", before) == before:
        return changed
    return _with_options(changed, sent, project)


def _with_options(policy: dict[str, Any], sent: Mapping[str, list[str]], project: Project) -> dict[str, Any]:
    """The options of the method that will run; what another had goes, unless this one has it too."""
    from shoal.anonymizer.method_facts import FACTS
    from shoal.anonymizer.suitability import pick_method
    from shoal.policy.text.policy_text import policy_text
    from shoal.web.forms.option_fields import changed_options
    from shoal.web.forms.policy_edit import with_method

    found = text_state(policy_text(policy), project).policy
    name = entries(policy, "method").get("name", "auto") if found is None else pick_method(found)[0]
    row = next((row for row in FACTS if row.name == name), None)
    if row is None:
        return policy
    before = entries(entries(policy, "method"), "options")
    permutes = found is not None and found.permutes
    return with_method(policy, options=changed_options(row, before, sent, permutes))


def _weights(form: Mapping[str, list[str]]) -> dict[str, Any]:
    """A weight that is left empty is taken away."""
    from shoal.web.forms.guarantee_form import form_number, with_line_feeds

    pairs = zip(form["weight_of"], form.get("weight", []), strict=False)
    return {
        with_line_feeds(column): form_number(weight) for column, weight in pairs if column and weight.strip()
    }


def _at(policy: Mapping[str, Any], place: int) -> Mapping[str, Any]:
    asked = guarantees_in(policy)
    found = asked[place - 1] if place <= len(asked) else None
    if not isinstance(found, Mapping):
        raise Refused(404, f"there is no guarantee {place}", "load the page again.")
    return found
