"""How one column may be generalized: built, looked at as a tree, and kept in the policy."""

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from shoal.errors import ShoalError
from shoal.web.dependencies import OurSettings, ThisProject
from shoal.web.forms.policy_draft import change_policy, entries, policy_state
from shoal.web.navigation import Navigation
from shoal.web.pages.columns import ColumnView, columns_page
from shoal.web.pages.files import chosen_file
from shoal.web.problem import FaultView, Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json
from shoal.web.settings import Settings

router = APIRouter()
Kind = Literal["none", "intervals", "groups", "mask", "dates", "frequency", "file", "as written"]
KINDS: dict[Kind, str] = {
    "none": "not at all, or by the method itself",
    "intervals": "numbers become ranges",
    "groups": "so many neighbours together",
    "mask": "characters become stars",
    "dates": "days become months, years, decades",
    "frequency": "rare values become one group",
    "file": "as a hierarchy file says",
    "as written": "as it stands in the policy file",
}
HINTS: dict[Kind, str] = {
    "none": "nothing is needed here",
    "intervals": "the widths of the ranges, each a multiple of the one before, as 5, 10, 20",
    "groups": "how many neighbours, each a multiple of the one before, as 2, 4, 8",
    "mask": "right or left: where the stars begin",
    "dates": "some of week, month, quarter, year, decade, century, as month, year; cells are like 2011-05-17",
    "frequency": "values rarer than these shares of the records become one group, as 0.01, 0.05",
    "file": "its path in the folders given at start; each line is value;group;...;*",
    "as written": "nothing is needed here; change it in the policy file",
}
MOST_DIGITS = 18  # before or after the point
Index = Annotated[int, Path(ge=0, le=10**6, description="The column's place in the table, from 0.")]


class Branch(BaseModel):
    """A label of a hierarchy with its count, and the labels below as far as they are shown."""

    label: str | None  # none: missing cells
    count: int
    children: list["Branch"]
    hidden: int


class HierarchyForm(BaseModel):
    """The kind of a hierarchy and its parameters, as they are sent."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    value: str = ""


class HierarchyPage(BaseModel):
    """How a column is generalized: the tree over its words, and the ways to build another."""

    way: Navigation
    column: ColumnView
    kinds: dict[Kind, str]
    kind: Kind
    value: str
    hint: str  # what the value is, for this kind
    tree: Branch | None
    levels: int
    counted: int  # words that the tree is made from
    faults: list[FaultView]


@router.get("/tables/{table}/columns/{index}", response_model=HierarchyPage, responses=PAGE)
def hierarchy(
    request: Request,
    project: ThisProject,
    settings: OurSettings,
    index: Index,
    kind: Kind | None = None,
    value: str = "",
) -> Response:
    """The hierarchy of a column, or what it would be if it were given like this."""
    return page_or_json(request, "hierarchy.html", _page(project, settings, index, kind, value))


@router.post("/tables/{table}/columns/{index}", response_model=HierarchyPage)
def keep_hierarchy(
    request: Request,
    project: ThisProject,
    settings: OurSettings,
    index: Index,
    given: Annotated[HierarchyForm, Form()],
) -> Response:
    """Put a hierarchy into the policy, or take it out."""
    from shoal.web.forms.policy_edit import with_hierarchy

    column = _column(project, index)
    if given.kind != "as written":
        spec = _spec(given.kind, given.value, settings)
        if spec is not None:
            _preview(project, column, spec)
        change_policy(project, lambda policy: with_hierarchy(policy, column.name, spec))
    return redirect_or_json(
        request, f"/tables/{project.key}/columns", _page(project, settings, index, None, "")
    )


def _page(project: Project, settings: Settings, index: int, kind: Kind | None, value: str) -> HierarchyPage:
    column = _column(project, index)
    state = policy_state(project)
    written = entries(state.mapping, "hierarchies").get(column.name)
    if kind is None:
        kind, value = _as_form(written, settings)
    found, faults = None, []
    try:
        spec = _spec(kind, value, settings) if kind != "as written" else written if state.sound else None
        found = None if spec is None else _preview(project, column, spec)
    except ShoalError as error:
        faults = [FaultView(**fault.as_dict()) for fault in error.faults]
    if found is not None and found.unknown:
        what = f"{found.unknown:,} values of the column have no place in it"
        faults.append(FaultView(what=what, hint="add them, or choose another way."))
    return HierarchyPage(
        way=columns_page(project).way,
        column=column,
        kinds=KINDS,
        kind=kind,
        value=value,
        hint=HINTS[kind],
        tree=None if found is None else _branch(found.tree),
        levels=0 if found is None else found.levels,
        counted=len(_words(project, index)),
        faults=faults,
    )


def _column(project: Project, index: int) -> ColumnView:
    columns = columns_page(project).columns
    if index >= len(columns):
        raise Refused(404, "there is no such column", "choose one from the list.")
    return columns[index]


def _words(project: Project, index: int) -> dict[str | None, int]:
    job = next(job for job in project.jobs("profile") if job.state == "done")
    return dict(project.read_json(f"jobs/{job.name}/words/{index}.json") or [])


def _preview(project: Project, column: ColumnView, spec: Any) -> Any:
    from shoal.web.forms.hierarchy_preview import hierarchy_preview

    words = _words(project, column.index)
    if not words:
        raise ShoalError("this column has no words that could be generalized", "leave it as it is.")
    return hierarchy_preview(spec, words, column.name, project.table.parent)


def _branch(node: Any) -> Branch:
    children = [_branch(child) for child in node.children]
    return Branch(label=node.label, count=node.count, children=children, hidden=node.hidden)


def _spec(kind: Kind, value: str, settings: Settings) -> str | dict[str, Any] | None:
    """What goes into the policy."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
    match kind:
        case "none":
            return None
        case "file":
            return str(chosen_file(settings, *_place(value, settings)))
        case "mask":
            return {"mask": value.strip() or "right"}
        case "dates":
            return {"dates": parts}
        case "intervals" | "groups" | "frequency":
            return {kind: [_number(part) for part in parts]}
    raise Refused(400, "this hierarchy can only be changed in the policy file", "do it on the next page.")


def _number(text: str) -> int | Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ShoalError("widths, sizes and shares are numbers", "write them like 5, 10, 20.") from None
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        raise ShoalError("widths, sizes and shares are numbers of a size", "write them like 5, 10, 20.")
    return int(number) if text.isascii() and text.isdigit() else number


def _place(value: str, settings: Settings) -> tuple[int, str]:
    """The number of the folder in which the file lies, the first that has it, and the way from there."""
    for number, folder in enumerate(settings.folders):
        if value.startswith(f"{folder}/"):
            return number, value.removeprefix(f"{folder}/")
    return 0, value


def _as_form(written: Any, settings: Settings) -> tuple[Kind, str]:
    """What the policy has, in the fields of the form, where they can hold it."""
    if written is None:
        return "none", ""
    if isinstance(written, str):
        return (
            ("file", written)
            if any(written.startswith(f"{one}/") for one in settings.folders)
            else ("as written", "")
        )
    if isinstance(written, dict) and len(written) == 1:
        [(kind, value)] = written.items()
        if kind == "mask":
            return "mask", str(value)
        if kind in ("intervals", "groups", "dates", "frequency") and isinstance(value, list):
            return kind, ", ".join(map(str, value))
    return "as written", ""
