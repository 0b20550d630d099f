"""Run: what will be done, a button to do it, how far it is, and all runs there were."""

from datetime import datetime
from typing import Annotated, Literal

import anyio
from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from shoal.errors import Fault, ShoalError
from shoal.web.dependencies import Number, OurRunner, ThisProject
from shoal.web.forms.policy_draft import PolicyState, keep_policy, policy_state
from shoal.web.job_view import WORDS, JobView, job_view
from shoal.web.jobs.job import Job, State
from shoal.web.jobs.runner import Runner
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.columns import guesses
from shoal.web.pages.data import profile_of
from shoal.web.problem import FaultView, Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
Format = Literal["csv", "parquet"]
FORMATS: dict[Format, str] = {"csv": "CSV: text, for every program", "parquet": "Parquet: small and fast"}
POLICY, CHANGED = "policy.toml", "change-{}.toml"
Place = Annotated[int, Path(ge=1, le=100, description="Which of the changes, from 1.")]


class RunPromise(BaseModel):
    """A guarantee that the run will keep, as a sentence."""

    kind: str
    sentence: str


class RunRow(BaseModel):
    """A run in the list of all: its state, method, loss and time."""

    number: int
    state: State
    state_said: str
    asked_at: str
    method: str | None
    loss: str | None
    seconds: float
    address: str


class RunPage(BaseModel):
    """``faults`` is what stands in the way of a run; the plan is there when nothing does."""

    way: Navigation
    promises: list[RunPromise]
    plan: list[str]
    faults: list[FaultView]
    guesses: int  # roles that nobody has confirmed
    formats: dict[Format, str]
    latest: JobView | None
    runs: list[RunRow]


class RunForm(BaseModel):
    """The file format of the release, as it is sent."""

    model_config = ConfigDict(extra="forbid")

    format: Format = "csv"


@router.get("/tables/{table}/run", response_model=RunPage, responses=PAGE)
def run(request: Request, project: ThisProject, runner: OurRunner) -> Response:
    """What a run will do, and all runs of this table."""
    runs = [runner.now(job) for job in project.jobs("run")]
    promises, plan, faults = _plan(project)
    content = RunPage(
        way=navigation(project, "run"),
        promises=promises,
        plan=plan,
        faults=faults,
        guesses=guesses(project, policy_state(project).mapping),
        formats=FORMATS,
        latest=job_view(runs[0]) if runs else None,
        runs=[run_row(job) for job in runs],
    )
    return page_or_json(request, "run.html", content)


@router.post("/tables/{table}/runs", response_model=JobView)
async def start_run(
    request: Request, project: ThisProject, runner: OurRunner, asked: Annotated[RunForm, Form()]
) -> Response:
    """Start a run under the policy as it stands now."""
    job = await begin_run(project, runner, asked.format)
    return redirect_or_json(request, f"/tables/{project.key}/run", job_view(job))


@router.post("/tables/{table}/runs/{number}/changes/{place}", response_model=JobView)
async def run_changed(
    request: Request, project: ThisProject, number: Number, place: Place, runner: OurRunner
) -> Response:
    """Take one of the changes that a run has found to work into the policy, and run again."""
    refused = project.run(number)
    changed = refused.folder / CHANGED.format(place)
    if not changed.is_file():
        raise Refused(404, f"run {number} has found no such change", "see what its page offers.")
    if (refused.folder / POLICY).read_bytes() != project.policy_file.read_bytes():
        raise Refused(
            409, "the policy is no longer the one this change was found for", "run again to look for others."
        )
    refuse_second(project)
    await anyio.to_thread.run_sync(keep_policy, project, changed.read_text(encoding="utf-8"))
    job = await begin_run(project, runner, refused.arguments["format"])
    return redirect_or_json(request, f"/tables/{project.key}/run", job_view(job))


async def begin_run(project: Project, runner: Runner, format: Format = "csv") -> Job:
    """A run with a copy of the policy as it stands now; refused when that cannot go well."""
    refuse_second(project)
    text = await anyio.to_thread.run_sync(_policy_to_run, project)
    refuse_second(project)  # of two tabs at once, one comes first
    job = project.new_job("run", {"source": project.source, "format": format}, text)
    runner.start(job)
    return job


def run_row(job: Job) -> RunRow:
    """A run as a row of the list."""
    project, _ = job.key
    found = job.result or {}
    return RunRow(
        number=job.number,
        state=job.state,
        state_said=WORDS[job.state],
        asked_at=datetime.fromtimestamp(job.asked_at).isoformat(" ", "minutes"),
        method=found.get("method"),
        loss=found.get("short_loss"),
        seconds=round(job.seconds, 1),
        address=f"/tables/{project}/runs/{job.number}",
    )


def refuse_second(project: Project) -> None:
    """Refuse to start a run of a table while another is under way."""
    if any(job.under_way for job in project.jobs("run")):
        raise Refused(409, "a run of this table is under way", "wait for it, or cancel it.")


def _policy_to_run(project: Project) -> str:
    """The policy's text, if nothing is in the way of a run under it."""
    state = policy_state(project)
    if faults := [*state.faults, *_misfits(project, state)]:
        raise ShoalError([Fault(fault.what, fault.hint) for fault in faults])
    return state.text


def _misfits(project: Project, state: PolicyState) -> list[FaultView]:
    """A table that is gone, or columns that a sound policy does not share with it; derived ones come later."""
    from shoal.policy.model.column_faults import column_faults

    if not project.table.is_file():
        return [FaultView(what="the file of this table is gone", hint="put it back where it was.")]
    profile = profile_of(project)
    if profile is None:
        return [FaultView(what="the table has not been looked at", hint="see its data page.")]
    if not state.sound:
        return []
    names = [*(column["name"] for column in profile["columns"]), *state.policy.prepare.derive]
    return [FaultView(**fault.as_dict()) for fault in column_faults(state.policy, names)]


def _plan(project: Project) -> tuple[list[RunPromise], list[str], list[FaultView]]:
    from shoal.policy.text.run_plan import run_plan

    state = policy_state(project)
    profile = profile_of(project)
    faults = [*state.faults, *_misfits(project, state)]
    if not state.sound or profile is None:
        return [], [], faults
    policy = state.policy
    promises = [
        RunPromise(kind=asked.kind, sentence=policy.sentence_of(asked)) for asked in policy.guarantees
    ]
    return promises, run_plan(policy, profile["rows"]), faults
