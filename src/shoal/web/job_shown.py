"""A job as a page shows it."""

from typing import Any

from pydantic import BaseModel

from shoal.web.jobs.job import Job, State
from shoal.web.problem import FaultShown


class StepTaken(BaseModel):
    told: str
    at: float


class JobShown(BaseModel):
    """``address`` answers with the job itself, ``address``/events with every change of it."""

    number: int
    kind: str
    state: State
    under_way: bool
    steps: list[StepTaken]
    share: float | None
    seconds: float
    faults: list[FaultShown]
    result: dict[str, Any] | None
    address: str


def job_shown(job: Job) -> JobShown:
    work, number = job.key
    return JobShown(
        number=number,
        kind=job.kind,
        state=job.state,
        under_way=job.under_way,
        steps=[StepTaken(told=step.told, at=step.at) for step in job.steps],
        share=job.share,
        seconds=round(job.seconds, 3),
        faults=[FaultShown(**fault) for fault in job.faults],
        result=job.result,
        address=f"/tables/{work}/jobs/{number}",
    )
