"""A run, or a comparison, of a table under its policy as it is now."""

from typing import Any

from shoal.web.jobs.job import Job
from shoal.web.problem import Refused
from shoal.web.work import Work


def new_run(work: Work, format: str = "csv") -> Job:
    return with_snapshot(work, "run", {"source": work.source, "format": format})


def with_snapshot(work: Work, kind: str, arguments: dict[str, Any]) -> Job:
    """A job with a policy of its own: later changes are not for it."""
    text = snapshot(work)
    job = work.new_job(kind, arguments)
    work.write(f"jobs/{job.number}/policy.toml", text)
    return job


def snapshot(work: Work) -> str:
    """The policy as it is written; the lines of hierarchies in files become part of it."""
    from shoal.policy.policy import Policy
    from shoal.policy.policy_text import policy_text
    from shoal.policy.toml import toml_mapping

    if not work.policy_file.is_file():
        raise Refused(409, "this table has no policy yet", "say what its columns are first.")
    text = work.policy_file.read_text(encoding="utf-8")
    hierarchies = toml_mapping(text).get("hierarchies")
    named = isinstance(hierarchies, dict) and any(isinstance(one, str) for one in hierarchies.values())
    return policy_text(Policy.parse(text, work.folder)) if named else text
