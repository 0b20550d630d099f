"""Runs and policies for tests of the pages that come after a run."""

from pathlib import Path
from typing import Any

from shoal.web.jobs.job import Job
from shoal.web.jobs.run_task import run_task
from shoal.web.project import Project
from tests.web.conftest import Page

K_ANONYMITY = """
[columns]
name = "identifier"
age = "quasi"
zip = "quasi"
diagnosis = "sensitive"
income = "other"

[[guarantees]]
kind = "k-anonymity"
k = 3

[method]
name = "mondrian"
"""


def quiet(_: str, __: float | None = None, ___: str = "") -> None:
    """Nobody is told."""


def project_at(page: Page, address: str) -> Project:
    return Project.load(page.workspace / Path(address).name)


def made_run(page: Page, address: str, policy: str = K_ANONYMITY) -> Job:
    """A run that is done, without a process of its own."""
    project = project_at(page, address)
    project.write(project.policy_file.name, policy)
    job = project.new_job("run", {"source": project.source, "format": "csv"})
    project.write(f"jobs/{job.name}/policy.toml", policy)
    result: dict[str, Any] = run_task(job.folder, job.arguments, quiet)
    return job.started().ended("done", result=result).save()
