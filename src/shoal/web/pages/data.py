"""Data: the first rows of the table, and what its columns are like."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.web.dependencies import OurRunner, ThisProject
from shoal.web.job_view import JobView, job_view
from shoal.web.jobs.job import Job
from shoal.web.navigation import Navigation, navigation
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json

router = APIRouter()


class ProfileColumn(BaseModel):
    """A column of the table as it was found."""

    name: str
    kind: str
    missing: int
    distinct: int
    unique: int


class FirstRows(BaseModel):
    """As text; there before the rest is, and nothing of a table that cannot be read."""

    names: list[str] = []
    rows: list[list[str]] = []


class DataPage(BaseModel):
    """The first rows of a table and its columns, or how far the look at it is."""

    way: Navigation
    job: JobView | None  # that looks at the table, or has
    unreadable: bool  # the latest look has come to nothing
    changed: bool  # since the latest look
    bytes: int | None  # none: the file is gone
    rows: int | None
    beginning: str = ""  # what is said of a table of which the first rows were looked at
    columns: list[ProfileColumn]
    first_rows: FirstRows


@router.get("/tables/{table}", response_model=DataPage, responses=PAGE)
def data(request: Request, project: ThisProject, runner: OurRunner) -> Response:
    """The first rows of a table, and counts of its columns."""
    job = project.latest("profile")
    found = profile_of(project) or {"rows": None, "columns": []}
    content = DataPage(
        way=navigation(project, "data"),
        job=None if job is None else job_view(runner.now(job)),
        unreadable=project.unreadable(),
        changed=job is not None and not job.under_way and _changed(project, job),
        bytes=project.table.stat().st_size if project.table.is_file() else None,
        rows=found["rows"],
        beginning=found.get("beginning", ""),
        columns=[
            ProfileColumn(**{name: one[name] for name in ProfileColumn.model_fields})
            for one in found["columns"]
        ],
        first_rows=FirstRows(**((job and project.read_json(f"jobs/{job.name}/first_rows.json")) or {})),
    )
    return page_or_json(request, "data.html", content)


def _changed(project: Project, job: Job) -> bool:
    """Written to after the look at it began."""
    return project.table.is_file() and project.table.stat().st_mtime > (job.ended_at or job.asked_at)


def profile_of(project: Project) -> dict[str, Any] | None:
    """What the latest look at the table has found."""
    job = project.latest_done("profile")
    return None if job is None else job.result
