"""A job as a page shows it."""

from typing import Any

from pydantic import BaseModel

from shoal.web.jobs.job import Job, State
from shoal.web.problem import FaultView

WORDS: dict[State, str] = {
    "waiting": "Waiting for its turn",
    "running": "Under way",
    "done": "Done",
    "infeasible": "Not possible",
    "failed": "Failed",
    "cancelled": "Cancelled",
    "interrupted": "Interrupted",
}


class StepTime(BaseModel):
    """A step of a job: when it began, and how long it took."""

    told: str
    at: float  # when it was first told
    seconds: float  # in all, if it was told several times


class JobView(BaseModel):
    """``address`` answers with the job itself, ``address``/events with every change of it."""

    number: int
    kind: str
    state: State
    state_said: str
    under_way: bool
    told: str  # the step under way, or the last one
    detail: str
    steps: list[StepTime]
    share: float | None
    seconds: float
    faults: list[FaultView]
    result: dict[str, Any] | None
    address: str


def job_view(job: Job) -> JobView:
    """What a page tells of a job: its state, steps, faults and result."""
    project, name = job.key
    return JobView(
        number=job.number,
        kind=job.kind,
        state=job.state,
        state_said=WORDS[job.state],
        under_way=job.under_way,
        told=job.steps[-1].told if job.steps else "",
        detail=job.detail,
        steps=step_times(job),
        share=job.share,
        seconds=round(job.seconds, 3),
        faults=[FaultView(**fault) for fault in job.faults],
        result=job.result,
        address=f"/tables/{project}/jobs/{name}",
    )


def step_times(job: Job) -> list[StepTime]:
    """Steps in the order in which they were first told, with the time that each of them took."""
    taken: dict[str, StepTime] = {}
    ends = [*(step.at for step in job.steps[1:]), job.seconds]
    for step, end in zip(job.steps, ends, strict=False):
        known = taken.setdefault(step.told, StepTime(told=step.told, at=step.at, seconds=0.0))
        known.seconds = round(known.seconds + max(end - step.at, 0.0), 3)
    return list(taken.values())
