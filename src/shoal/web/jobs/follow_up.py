"""What happens by itself when a job is done."""

from shoal.release.engine_choice import engine_for
from shoal.web.jobs.job import Job
from shoal.web.work import Work


def follow_up_job(job: Job) -> Job | None:
    """The next job, if there is one. The draft of a policy becomes the policy, unless there is one; a run
    of a table in memory is measured."""
    work = Work.load(job.folder.parent.parent)
    if job.kind == "profile" and not work.policy_file.exists():
        work.write(work.policy_file.name, (job.folder / "draft.toml").read_text(encoding="utf-8"))
    if job.kind == "run" and engine_for(job.arguments["source"]) == "memory":
        return work.new_job("measure", {"run": job.number, "source": job.arguments["source"]})
    return None
