"""Result: what holds, what it cost, rows before and after, and what attackers find."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from shoal.web.dependencies import Number, OurRunner, ThisProject
from shoal.web.job_view import JobView, job_view
from shoal.web.jobs.job import Job
from shoal.web.navigation import OF_A_RUN, Navigation, navigation
from shoal.web.problem import Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
MOST_COLUMNS = 24  # of rows before and after
MOST_LOSSES = 60
LONGEST_CELL = 80
ROLES = ("quasi", "sensitive", "other", "identifier", "drop")  # in the order of interest


class VerdictView(BaseModel):
    """Whether a guarantee or a check holds, in words."""

    kind: str
    mark: str  # holds, fails or open
    sentence: str
    notes: list[str] = []
    asked: bool = True  # else a check that every release goes through


class CellPair(BaseModel):
    """A cell before and after."""

    before: str | None
    after: str | None  # none: the column is not published
    changed: bool


class ClassView(BaseModel):
    """Some rows of one class, before and after."""

    number: int
    rows: list[list[CellPair]]


class RowPairs(BaseModel):
    """Whole classes, some of the columns; ``choices`` other ones can be asked for."""

    columns: list[str]
    hidden_columns: int
    classes: list[ClassView]
    whole: bool
    choice: int
    choices: int


class ColumnLossView(BaseModel):
    """What a column lost, and the shares of its cells that are exact and starred."""

    column: str
    loss: float | None
    exact: float | None
    stars: float


class DecisionView(BaseModel):
    """What the run could tell by itself, in the words of the command."""

    level: str
    headline: str
    reasons: list[dict[str, Any]] = []
    not_measured: list[str] = []


class ResultPage(BaseModel):
    """Of a run that is not done only the run is there; the report comes when it was measured, and takes the
    place of what the run could decide."""

    way: Navigation
    run: JobView
    decision: DecisionView | None = None
    verdicts: list[VerdictView] = []
    told: list[str] = []
    limits: list[str] = []
    seconds: dict[str, float] = {}
    rows: RowPairs | None = None
    measure: JobView | None = None
    losses: list[ColumnLossView] = []
    hidden_losses: int = 0
    report: dict[str, Any] | None = None
    light: str = Field(default="", exclude=True)  # pieces of the page, made with the reports
    sections: str = Field(default="", exclude=True)


@router.get("/tables/{table}/runs/{number}", response_model=ResultPage, responses=PAGE)
def result(
    request: Request,
    project: ThisProject,
    number: Number,
    runner: OurRunner,
    classes: Annotated[int, Query(ge=0, le=100, description="Which classes to show rows of.")] = 0,
) -> Response:
    """What a run has made, and what it is worth."""
    run = runner.now(project.run(number))
    content = ResultPage(
        way=navigation(project, "result", run if run.state == "done" else None), run=job_view(run)
    )
    if run.state == "done":
        content = content.model_copy(
            update=_outcome_of_run(project, run, classes) | _measured(project, run, runner)
        )
    return page_or_json(request, "result.html", content)


class MeasureAgainForm(BaseModel):
    """Where to go on to while a run is measured once more."""

    model_config = ConfigDict(extra="forbid")

    then: Literal["result", "publish"] = Field(default="result", description="The page to go on to.")


@router.post("/tables/{table}/runs/{number}/measure", response_model=JobView)
async def measure(
    request: Request,
    project: ThisProject,
    number: Number,
    runner: OurRunner,
    again: Annotated[MeasureAgainForm, Form()],
) -> Response:
    """Measure a run once more: the measurement was stopped, or has failed."""
    run = project.run(number)
    before = measurement_of(project, number)
    if run.state != "done" or (before is not None and before.under_way):
        raise Refused(409, "this run cannot be measured now", "wait until it is done.")
    job = project.new_job("measure", {"run": number, "source": run.arguments["source"]})
    runner.start(job)
    return redirect_or_json(
        request, f"/tables/{project.key}/runs/{number}{OF_A_RUN[again.then]}", job_view(job)
    )


def measurement_of(project: Project, number: int) -> Job | None:
    """The latest job that has measured a run."""
    return next((job for job in project.jobs("measure") if job.arguments["run"] == number), None)


def _outcome_of_run(project: Project, run: Job, choice: int) -> dict[str, Any]:
    place = f"jobs/{run.name}"
    found = project.read_json(f"{place}/result.json") or {}
    choices = project.read_json(f"{place}/rows.json")
    policy = project.read_json(f"{place}/release/manifest.json")["policy"]  # type: ignore[index]
    asked = [guarantee["kind"] for guarantee in policy["guarantees"]]
    return {
        "verdicts": [
            VerdictView(
                kind=one["kind"],
                mark=one["mark"],
                sentence=one["sentence"],
                notes=one["notes"],
                asked=one["kind"] in asked,
            )
            for one in found.get("verdicts", [])
        ],
        "decision": DecisionView(**found["decision"]) if "decision" in found else None,
        "told": found.get("told", []),
        "limits": found.get("limits", []),
        "seconds": found.get("seconds", {}),
        "rows": _rows(choices, choice % len(choices), policy["columns"]) if choices else None,
    }


def _rows(choices: list[dict[str, Any]], choice: int, roles: dict[str, str]) -> RowPairs:
    """The most interesting columns of the rows, class by class."""
    found = choices[choice]
    names = found["columns"]
    ranked = sorted(range(len(names)), key=lambda at: ROLES.index(roles.get(names[at], "quasi")))
    shown = sorted(ranked[:MOST_COLUMNS])
    classes: dict[int, ClassView] = {}
    lines = zip(found["classes"], found["before"], found["after"], found["changed"], strict=True)
    for number, before, after, changed in lines:
        row = [
            CellPair(before=_short(before[at]), after=_short(after[at]), changed=changed[at]) for at in shown
        ]
        classes.setdefault(number, ClassView(number=number, rows=[])).rows.append(row)
    return RowPairs(
        columns=[names[at] for at in shown],
        hidden_columns=len(names) - len(shown),
        classes=list(classes.values()),
        whole=found["whole"],
        choice=choice,
        choices=len(choices),
    )


def _short(cell: str | None) -> str | None:
    return cell if cell is None or len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}…"


def _measured(project: Project, run: Job, runner: OurRunner) -> dict[str, Any]:
    """What the job that follows a run has found; its pieces of the page are escaped when they are made."""
    job, place = measurement_of(project, run.number), f"jobs/{run.name}"
    measured: dict[str, Any] = {"measure": None if job is None else job_view(runner.now(job))}
    report = project.read_json(f"{place}/report.json")
    if report is None:
        return measured
    losses = [
        ColumnLossView(**{name: one[name] for name in ColumnLossView.model_fields})
        for one in project.read_json(f"{place}/losses.json") or []
    ]
    losses.sort(key=lambda one: -(one.loss or 0.0))
    pieces = {
        name: Markup((project.folder / place / f"{name}.html").read_text(encoding="utf-8"))  # noqa: S704 ours
        for name in ("light", "sections")
    }
    return measured | pieces | {
        "report": report,
        "losses": losses[:MOST_LOSSES],
        "hidden_losses": max(len(losses) - MOST_LOSSES, 0),
    }  # fmt: skip
