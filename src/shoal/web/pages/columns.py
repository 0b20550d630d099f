"""Columns: the role of each, with the guesses marked, and how it may be generalized."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from shoal.web.dependencies import ThisProject
from shoal.web.forms.policy_draft import PolicyState, Role, change_policy, entries, policy_state
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.data import profile_of
from shoal.web.problem import Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
ROLES: dict[Role, str] = {
    "identifier": "names a person; left out",
    "drop": "not needed; left out",
    "quasi": "others may know it; blurred as far as needed",
    "sensitive": "nobody should learn it",
    "other": "harmless, as far as you know; published as it is",
}


class ColumnView(BaseModel):
    """A column of the table: what it is like, its role, and how it may be generalized."""

    index: int
    name: str
    kind: str
    distinct: int
    missing: int
    role: Role | None  # none: the policy does not list it
    guessed: bool  # nobody has said yet that it is right
    why: str  # of the guess
    advice: str  # how to write its cells so that they can be generalized
    hierarchy: str | None  # as the policy has it


class ColumnsPage(BaseModel):
    """All columns with their roles, and the policy that gives them."""

    way: Navigation
    policy: PolicyState
    roles: dict[Role, str]
    columns: list[ColumnView]


class RolesForm(BaseModel):
    """One role per column, in their order; ``confirm`` says that all of them are right."""

    model_config = ConfigDict(extra="forbid")

    role: list[Role]
    confirm: bool = False


@router.get("/tables/{table}/columns", response_model=ColumnsPage, responses=PAGE)
def columns(request: Request, project: ThisProject) -> Response:
    """Every column with its role, and whether that is still a guess."""
    return page_or_json(request, "columns.html", columns_page(project))


@router.post("/tables/{table}/columns", response_model=ColumnsPage)
def set_roles(request: Request, project: ThisProject, given: Annotated[RolesForm, Form()]) -> Response:
    """Give every column its role."""
    from shoal.web.forms.policy_edit import with_role

    names = [column["name"] for column in profile_columns(project)]
    if len(names) != len(given.role):
        raise Refused(
            400, f"{len(given.role)} roles were given for {len(names)} columns", "load the page again."
        )
    changed = []

    def change(policy: dict[str, Any]) -> dict[str, Any]:
        before = entries(policy, "columns")
        for name, role in zip(names, given.role, strict=True):
            if before.get(name) != role:
                changed.append(name)
                policy = with_role(policy, name, role)
        return policy

    change_policy(project, change, anew=given.confirm)  # what is confirmed is no longer called a guess
    project.decide(names if given.confirm else changed)
    to = "guarantee#content" if given.confirm else "columns"
    return redirect_or_json(request, f"/tables/{project.key}/{to}", columns_page(project))


def columns_page(project: Project) -> ColumnsPage:
    """The page of a table's columns, made from its profile and its policy."""
    state = policy_state(project)
    roles, hierarchies = entries(state.mapping, "columns"), entries(state.mapping, "hierarchies")
    decided = project.decided()
    return ColumnsPage(
        way=navigation(project, "columns"),
        policy=state,
        roles=ROLES,
        columns=[
            ColumnView(
                index=index,
                name=found["name"],
                kind=found["kind"],
                distinct=found["distinct"],
                missing=found["missing"],
                role=_role(roles, found["name"]),
                guessed=_is_guess(found, roles, decided),
                why=found["why"],
                advice=found.get("advice", ""),
                hierarchy=hierarchy_text(hierarchies.get(found["name"])),
            )
            for index, found in enumerate(profile_columns(project))
        ],
    )


def guesses(project: Project, mapping: Mapping[str, Any]) -> int:
    """How many roles nobody has given or confirmed."""
    roles, decided = entries(mapping, "columns"), project.decided()
    found = (profile_of(project) or {"columns": []})["columns"]
    return sum(_is_guess(one, roles, decided) for one in found)


def _is_guess(found: Mapping[str, Any], roles: Mapping[str, Any], decided: set[str]) -> bool:
    return found["name"] not in decided and roles.get(found["name"]) == found["guess"]


def profile_columns(project: Project) -> list[dict[str, Any]]:
    """The columns as they were found in the table; refused until somebody has looked."""
    profile = profile_of(project)
    if profile is None:
        raise Refused(
            409, "the table has not been looked at yet", "wait until its data page shows the columns."
        )
    found: list[dict[str, Any]] = profile["columns"]
    return found


def _role(roles: Mapping[str, Any], name: str) -> Role | None:
    given = roles.get(name)
    return given if given in get_args(Role) else None


def hierarchy_text(given: Any) -> str | None:
    """A hierarchy in a few words.

    >>> hierarchy_text({"intervals": [5, 10]}), hierarchy_text("zip.csv"), hierarchy_text({"tree": {"a": []}})
    ('intervals 5, 10', 'file zip.csv', 'tree')
    """
    if given is None:
        return None
    if isinstance(given, str):
        return f"file {given}"
    if not isinstance(given, Mapping):
        return "something that is no hierarchy"
    told = []
    for kind, value in given.items():
        values = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        told.append(f"{kind} {values}" if isinstance(values, str) else str(kind))
    return "; ".join(told)
