"""A run, or a comparison, of a table under its policy as it is now."""

from typing import Any

from shoal.errors import Fault, ShoalError
from shoal.web.jobs.job import Job
from shoal.web.policy_draft import policy_state
from shoal.web.work import Work


def new_run(work: Work, format: str = "csv") -> Job:
    return with_snapshot(work, "run", {"source": work.source, "format": format})


def with_snapshot(work: Work, kind: str, arguments: dict[str, Any]) -> Job:
    """A job with a policy of its own: later changes are not for it."""
    text = sound_policy(work)
    job = work.new_job(kind, arguments)
    work.write(f"jobs/{job.number}/policy.toml", text)
    return job


def sound_policy(work: Work) -> str:
    """The policy as it is written; whatever is wrong with it is raised."""
    state = policy_state(work)
    if not state.sound:
        raise ShoalError([Fault(fault.what, fault.hint) for fault in state.faults])
    return state.text
