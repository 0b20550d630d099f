"""Jobs: how far they are, as they go on; and a way to stop them."""

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from shoal.web.dependencies import JobName, OurRunner, ThisProject
from shoal.web.job_view import JobView, job_view
from shoal.web.jobs.job import Job
from shoal.web.navigation import Navigation, StepName, navigation
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "One event per change, each a job.", "content": {"text/event-stream": {}}}
}
PLACE: dict[str, StepName] = {"profile": "data", "run": "run", "measure": "result", "compare": "compare"}


class JobPage(BaseModel):
    """A job and how far it is."""

    way: Navigation
    job: JobView


@router.get("/tables/{table}/jobs/{name}", response_model=JobPage, responses=PAGE)
def job(request: Request, project: ThisProject, name: JobName, runner: OurRunner) -> Response:
    """A job, as it stands now."""
    found = runner.now(project.job(name))
    return page_or_json(
        request, "job.html", JobPage(way=navigation(project, PLACE[found.kind]), job=job_view(found))
    )


@router.get("/tables/{table}/jobs/{name}/events", response_class=StreamingResponse, responses=EVENTS)
async def events(project: ThisProject, name: JobName, runner: OurRunner) -> StreamingResponse:
    """A job, as it goes on: server-sent events, the last when it has ended."""
    project.job(name)  # before the answer begins: there is one

    async def stream() -> AsyncIterator[str]:
        async for now in runner.watch(project.job(name)):
            event = "progress" if now.under_way else "ended"
            yield f"event: {event}\ndata: {job_view(now).model_dump_json()}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


@router.post("/tables/{table}/jobs/{name}/cancel", response_model=JobView)
async def cancel(request: Request, project: ThisProject, name: JobName, runner: OurRunner) -> Response:
    """Stop a job; what it has not finished is gone."""
    found = project.job(name)
    await runner.cancel(found.key)
    return redirect_or_json(request, f"/tables/{project.key}{_home(found)}", job_view(project.job(name)))


def _home(job: Job) -> str:
    """The address of the page where a job was asked for."""
    if job.kind == "measure":
        return f"/runs/{job.arguments['run']}"
    return "" if job.kind == "profile" else f"/{PLACE[job.kind]}"
