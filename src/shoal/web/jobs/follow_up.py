"""What happens by itself when a job is done."""

from shoal.web.jobs.job import Job
from shoal.web.project import Project


def follow_up_job(job: Job) -> Job | None:
    """The next job, if there is one. The draft of a policy becomes the policy, unless there is one; a run
    of a table in memory is measured."""
    project = Project.load(job.folder.parent.parent)
    if job.kind == "profile" and not project.policy_file.exists():
        project.write(project.policy_file.name, (job.folder / "draft.toml").read_text(encoding="utf-8"))
    if job.kind == "run" and _fits_in_memory(job.arguments["source"]):
        return project.new_job("measure", {"run": job.number, "source": job.arguments["source"]})
    return None


def _fits_in_memory(source: str) -> bool:
    from shoal.engines.table_size import fits_in_memory  # brings Arrow up, which no start waits for

    return fits_in_memory(source)
