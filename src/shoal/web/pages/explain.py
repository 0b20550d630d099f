"""What guarantees, methods and words mean, each with a tiny table before and after."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.errors import ShoalError
from shoal.web.problem import Refused
from shoal.web.response import PAGE, page_or_json

router = APIRouter()
HEADINGS = {"guarantee": "Guarantees", "method": "Methods", "word": "Words"}


class ExplanationLine(BaseModel):
    """An explanation in the index: its title, and where it is."""

    name: str
    title: str
    address: str


class ExplanationGroup(BaseModel):
    """Explanations of one kind under a title."""

    kind: str
    title: str
    explanations: list[ExplanationLine]


class ExplanationsPage(BaseModel):
    """The index of everything that is explained."""

    groups: list[ExplanationGroup]


class GridView(BaseModel):
    """A tiny table: its head and its rows."""

    head: list[str]
    rows: list[list[str]]


class ExplanationView(BaseModel):
    """A word explained: what it says, what it does not protect from, and an example."""

    name: str
    kind: str
    title: str
    says: list[str]
    protects_not: str
    before: GridView
    after: GridView
    shows: str
    source: str
    address: str


@router.get("/explain", response_model=ExplanationsPage, responses=PAGE)
def explain_all(request: Request) -> Response:
    """Everything that is explained, by group."""
    from shoal.explain.registry import EXPLANATIONS

    groups = [
        ExplanationGroup(
            kind=kind,
            title=title,
            explanations=[
                ExplanationLine(name=one.name, title=one.title, address=f"/explain/{one.name}")
                for one in EXPLANATIONS
                if one.kind == kind
            ],
        )
        for kind, title in HEADINGS.items()
    ]
    return page_or_json(request, "explain_all.html", ExplanationsPage(groups=groups))


@router.get("/explain/{name}", response_model=ExplanationView, responses=PAGE)
def explain(request: Request, name: Annotated[str, Path(max_length=100)]) -> Response:
    """One guarantee, method or word, what it does not protect against, and where it comes from."""
    try:
        return page_or_json(request, "explain.html", explanation_view(name))
    except ShoalError as error:
        raise Refused(404, error.faults[0].what, error.faults[0].hint) from None


def explanation_view(name: str) -> ExplanationView:
    """The explanation of a name, as pages show it."""
    from shoal.explain.registry import explanation

    found = explanation(name)
    return ExplanationView(
        name=found.name,
        kind=found.kind,
        title=found.title,
        says=list(found.says),
        protects_not=found.protects_not,
        before=GridView(**found.example.before.as_dict()),
        after=GridView(**found.example.after.as_dict()),
        shows=found.example.shows,
        source=found.source,
        address=f"/explain/{found.name}",
    )
