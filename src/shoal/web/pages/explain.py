"""What guarantees, methods and words mean, each with a tiny table before and after."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.errors import ShoalError
from shoal.web.problem import Refused
from shoal.web.response import PAGE, answer

router = APIRouter()
HEADINGS = {"guarantee": "Guarantees", "method": "Methods", "word": "Words"}


class Line(BaseModel):
    name: str
    title: str
    address: str


class Group(BaseModel):
    kind: str
    title: str
    explanations: list[Line]


class Explanations(BaseModel):
    groups: list[Group]


class GridShown(BaseModel):
    head: list[str]
    rows: list[list[str]]


class ExplanationShown(BaseModel):
    name: str
    kind: str
    title: str
    says: list[str]
    protects_not: str
    before: GridShown
    after: GridShown
    shows: str
    source: str
    address: str


@router.get("/explain", response_model=Explanations, responses=PAGE)
def explain_all(request: Request) -> Response:
    """Everything that is explained, by group."""
    from shoal.explain.registry import EXPLANATIONS

    groups = [
        Group(
            kind=kind,
            title=title,
            explanations=[
                Line(name=one.name, title=one.title, address=f"/explain/{one.name}")
                for one in EXPLANATIONS
                if one.kind == kind
            ],
        )
        for kind, title in HEADINGS.items()
    ]
    return answer(request, "explain_all.html", Explanations(groups=groups))


@router.get("/explain/{name}", response_model=ExplanationShown, responses=PAGE)
def explain(request: Request, name: Annotated[str, Path(max_length=100)]) -> Response:
    """One guarantee, method or word, what it does not protect against, and where it comes from."""
    try:
        return answer(request, "explain.html", explained(name))
    except ShoalError as error:
        raise Refused(404, error.faults[0].what, error.faults[0].hint) from None


def explained(name: str) -> ExplanationShown:
    from shoal.explain.registry import explanation

    found = explanation(name)
    return ExplanationShown(
        name=found.name,
        kind=found.kind,
        title=found.title,
        says=list(found.says),
        protects_not=found.protects_not,
        before=GridShown(**found.example.before.as_dict()),
        after=GridShown(**found.example.after.as_dict()),
        shows=found.example.shows,
        source=found.source,
        address=f"/explain/{found.name}",
    )
