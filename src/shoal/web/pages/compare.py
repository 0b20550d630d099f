"""Compare: everything that was tried and made, what it risks and what it loses, and which to take."""

import hashlib
import shutil
from dataclasses import replace
from math import isfinite
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from shoal.errors import Fault, ShoalError
from shoal.web.dependencies import OurRunner, ThisProject
from shoal.web.forms.policy_draft import keep_policy, policy_state, text_state
from shoal.web.job_view import JobView, job_view
from shoal.web.jobs.job import Job
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.run import begin_run, refuse_second
from shoal.web.problem import FaultView, Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
COMPARED = "compared.json"
USUAL_KS = "2, 5, 10, 20"
MOST_VALUES = 20
NOTHING_TO_TRY: dict[str, Any] = {"methods": [], "ks": [], "suppressions": []}
ONLY_RUNS = "Nothing was tried besides the runs: try several below."
NOTHING_YET = "Nothing was tried or run for the policy as it is now: try several below."


class ComparisonRow(BaseModel):
    """One release that was made (then ``run`` is its number), or one that was only tried."""

    run: int | None
    job: int
    place: int | None
    label: str
    method: str
    k: int
    suppression: float | None
    loss: float | None
    loss_name: str | None
    risk: float | None
    largest_risk: float | None
    classes: int | None
    suppressed: int | None
    seconds: float | None
    holds: bool | None
    frontier: bool
    as_written: bool
    earlier: bool = False  # for a policy that was another, and not only in k
    recommended: bool
    infeasible: bool
    faults: list[FaultView]


class ChartView(BaseModel):
    """A drawn comparison with what it shows in words."""

    title: str
    sentence: str
    svg: str | None


class ComparePage(BaseModel):
    """Releases side by side, which of them to take, and what else can be tried."""

    way: Navigation
    faults: list[FaultView]  # of the policy: while there are any, nothing can be tried
    job: JobView | None  # under way, or ended badly
    methods: list[str]  # that can serve the policy
    tried: list[str]  # of them, in the comparison so far
    rows: list[ComparisonRow]
    chart: ChartView | None
    recommended: int | None  # the place of a row
    reason: str | None
    only_runs: str | None  # that nothing else was tried, if it is so
    clearable: bool  # was anything tried?
    chosen: int | None  # the run to publish


class ComparisonForm(BaseModel):
    """Values of k and of the share that may be left out, separated by commas; and methods."""

    model_config = ConfigDict(extra="forbid")

    k: str = Field(default="", max_length=200, description="Values of k; none: as the policy has it.")
    suppression: str = Field(default="", max_length=200, description="Shares from 0 to 1; none: as it is.")
    methods: list[str] = Field(default=[], max_length=40)


class RunChoiceForm(BaseModel):
    """The number of the run to publish, as it is sent."""

    model_config = ConfigDict(extra="forbid")

    run: int = Field(ge=1, le=10**6)


class RowChoiceForm(BaseModel):
    """A row that was only tried: the number of its comparison, and its place there."""

    model_config = ConfigDict(extra="forbid")

    job: int = Field(ge=1, le=10**6)
    place: int = Field(ge=0, le=10**4)


class ClearedCount(BaseModel):
    """How many comparisons were thrown away."""

    cleared: int  # comparisons


class RunChoice(BaseModel):
    """The run to publish, and where it is."""

    run: int
    address: str


@router.get("/tables/{table}/compare", response_model=ComparePage, responses=PAGE)
async def compare(request: Request, project: ThisProject, runner: OurRunner) -> Response:
    """All that was tried and made. What was made since the last comparison is added by a short job."""
    if arguments := await anyio.to_thread.run_sync(_not_yet_compared, project):
        runner.start(await anyio.to_thread.run_sync(_comparison, project, arguments))
    return page_or_json(request, "compare.html", await anyio.to_thread.run_sync(_page, project, runner))


@router.post("/tables/{table}/compare", response_model=JobView)
async def try_several(
    request: Request, project: ThisProject, runner: OurRunner, asked: Annotated[ComparisonForm, Form()]
) -> Response:
    """Try every method with every value, in memory; nothing is published."""
    ks = [int(value) for value in _values(asked.k, "k", whole=True)]
    suppressions = _values(asked.suppression, "suppression", whole=False)
    if not asked.methods:
        raise Refused(400, "no method was chosen", "choose at least one.")
    state = await anyio.to_thread.run_sync(_state, project)
    arguments = state | {"methods": asked.methods, "ks": ks, "suppressions": suppressions}
    job = await anyio.to_thread.run_sync(_comparison, project, arguments)
    runner.start(job)
    return redirect_or_json(request, f"/tables/{project.key}/compare", job_view(job))


@router.post("/tables/{table}/compare/cleared", response_model=ClearedCount)
async def clear(request: Request, project: ThisProject, runner: OurRunner) -> Response:
    """Forget all that was tried; runs stay."""
    tried = project.jobs("compare")
    for job in tried:
        await runner.cancel(job.key)
    if arguments := await anyio.to_thread.run_sync(_runs_alone, project):
        # made before the others go: no number is used twice, so an old page cannot take what it never showed
        following = await anyio.to_thread.run_sync(_comparison, project, arguments)
        await anyio.to_thread.run_sync(_remove, tried)
        runner.start(following)
    else:
        await anyio.to_thread.run_sync(_remove, tried)
    return redirect_or_json(request, f"/tables/{project.key}/compare", ClearedCount(cleared=len(tried)))


@router.post("/tables/{table}/chosen", response_model=RunChoice)
def choose(request: Request, project: ThisProject, chosen: Annotated[RunChoiceForm, Form()]) -> Response:
    """Make a run the one to publish."""
    run = project.run(chosen.run)
    if run.state != "done":
        raise Refused(409, f"run {run.number} has made no release", "choose one that is done.")
    replace(project, chosen=run.number).save()
    address = f"/tables/{project.key}/runs/{run.number}/publish"
    return redirect_or_json(request, address, RunChoice(run=run.number, address=address))


@router.post("/tables/{table}/compare/taken", response_model=JobView)
async def take(
    request: Request, project: ThisProject, runner: OurRunner, taken: Annotated[RowChoiceForm, Form()]
) -> Response:
    """Write what was tried into the table's policy, and run it."""
    refuse_second(project)
    await anyio.to_thread.run_sync(_take_over, project, taken)
    job = await begin_run(project, runner)
    return redirect_or_json(request, f"/tables/{project.key}/run", job_view(job))


def _comparison(project: Project, arguments: dict[str, Any]) -> Job:
    """Ask for a comparison with a copy of the policy as it stands now."""
    state = policy_state(project)
    _refuse(state.faults)
    return project.new_job("compare", arguments, state.text)


def _refuse(faults: list[FaultView]) -> None:
    if faults:
        raise ShoalError([Fault(fault.what, fault.hint) for fault in faults])


def _take_over(project: Project, taken: RowChoiceForm) -> None:
    """What was tried becomes the policy."""
    from shoal.policy.text.policy_text import policy_text
    from shoal.policy.toml import toml_mapping
    from shoal.web.forms.policy_edit import with_method, with_parameters

    job = project.job(f"compare-{taken.job}")
    tried = project.read_json(f"jobs/{job.name}/tried.json") or []
    if taken.place >= len(tried):
        raise Refused(404, "there is no such row in this comparison", "choose one from the table.")
    row = tried[taken.place]["row"]
    text = (job.folder / "policy.toml").read_text(encoding="utf-8")
    written = toml_mapping(text)
    before = (written.get("method") or {}).get("name", "auto")
    options: dict[str, Any] | None = (
        None if before in ("auto", row["method"]) else {}
    )  # they stay with the method they belong to
    varied = with_parameters(with_method(written, row["method"], options=options), row["parameters"])
    taken_text = policy_text(varied, f"Taken from a comparison: {_label(row)}.")
    _refuse(text_state(taken_text, project).faults)
    keep_policy(project, taken_text)


def _label(row: dict[str, Any]) -> str:
    return ", ".join([row["method"], *(f"{name} = {value}" for name, value in row["parameters"].items())])


def _state(project: Project) -> dict[str, Any]:
    """What a comparison is about: the policy, and the runs there are."""
    runs = [job.number for job in project.jobs("run") if job.state == "done"]
    policy = hashlib.sha256(policy_state(project).text.encode()).hexdigest()
    return {"source": project.source, "runs": runs, "policy": policy}


def _not_yet_compared(project: Project) -> dict[str, Any] | None:
    if not policy_state(project).sound:
        return None
    latest, state = project.latest("compare"), _state(project)
    if latest is not None and (
        latest.under_way or all(latest.arguments.get(name) == value for name, value in state.items())
    ):
        return None
    return state | NOTHING_TO_TRY


def _runs_alone(project: Project) -> dict[str, Any] | None:
    return _state(project) | NOTHING_TO_TRY if policy_state(project).sound else None


def _remove(jobs: list[Job]) -> None:
    for job in jobs:
        shutil.rmtree(job.folder, ignore_errors=True)


def _page(project: Project, runner: OurRunner) -> ComparePage:
    latest = project.latest("compare")
    done = project.latest_done("compare")
    found = None if done is None else project.read_json(f"jobs/{done.name}/{COMPARED}")
    found = found or {"rows": [], "recommended": {"row": None, "reason": None}, "chart": None}
    methods = [] if done is None else (done.result or {}).get("methods", [])
    best = found["recommended"]["row"]
    rows = [_row(row, at == best) for at, row in enumerate(found["rows"])]
    today = [row for row in rows if not row.earlier]
    return ComparePage(
        way=navigation(project, "compare"),
        faults=policy_state(project).faults,
        job=None if latest is None or latest.state == "done" else job_view(runner.now(latest)),
        methods=methods,
        tried=[name for name in methods if any(row.method == name for row in rows)],
        rows=rows,
        chart=None if found["chart"] is None else ChartView(**found["chart"]),
        recommended=best,
        reason=None if not rows else found["recommended"]["reason"] if today else NOTHING_YET,
        only_runs=ONLY_RUNS if today and all(row.run for row in today) else None,
        clearable=any(
            job.state != "done" or (job.result or {}).get("tried") for job in project.jobs("compare")
        ),
        chosen=project.chosen,
    )


def _row(row: dict[str, Any], recommended: bool) -> ComparisonRow:
    """One without a place in a comparison is a run."""
    own = {name: row[name] for name in ComparisonRow.model_fields if name in row}
    run = row["job"] if row["place"] is None else None
    return ComparisonRow(
        **own, run=run, suppression=row["parameters"].get("suppression"), recommended=recommended
    )


def _values(text: str, name: str, whole: bool) -> list[float]:
    parts = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if len(parts) > MOST_VALUES:
        raise Refused(400, f"{name}: more than {MOST_VALUES} values", "try fewer at once.")
    values = [_number(part, whole) for part in parts]
    sound = [
        value for value in values if value is not None and (2 <= value <= 10**9 if whole else 0 <= value <= 1)
    ]
    if len(sound) < len(values):
        kind = "whole numbers from 2" if whole else "shares from 0 to 1"
        example = USUAL_KS if whole else "0, 0.02"
        raise ShoalError([Fault(f"{name}: these are not all {kind}", f"write for example {example}.")])
    return sound


def _number(text: str, whole: bool) -> float | None:
    if whole:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
