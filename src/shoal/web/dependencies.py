"""What handlers need: the workspace, the runner, and the project that an address names."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Path, Request

from shoal.web.jobs.asker import Asker
from shoal.web.jobs.job import Job
from shoal.web.jobs.runner import Runner
from shoal.web.problem import Refused
from shoal.web.project import Project
from shoal.web.settings import Settings
from shoal.web.workspace import Workspace


def _workspace(request: Request) -> Workspace:
    found: Workspace = request.app.state.workspace
    return found


def _runner(request: Request) -> Runner:
    found: Runner = request.app.state.runner
    return found


def _asker(request: Request) -> Asker:
    found: Asker = request.app.state.asker
    return found


def _settings(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found


def _project(request: Request, table: Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]) -> Project:
    return replace(_workspace(request).project(table), roots=_settings(request).folders)


OurWorkspace = Annotated[Workspace, Depends(_workspace)]
OurRunner = Annotated[Runner, Depends(_runner)]
OurAsker = Annotated[Asker, Depends(_asker)]
OurSettings = Annotated[Settings, Depends(_settings)]
ThisProject = Annotated[Project, Depends(_project)]
Number = Annotated[int, Path(ge=1, le=10**6, description="The number of a run of this table.")]
JobName = Annotated[
    str,
    Path(
        pattern=r"^(profile|run|measure|compare)-[1-9][0-9]{0,5}$",
        description="A job of this table, as run-2.",
    ),
]


def _run(project: ThisProject, number: Number) -> Job:
    run = project.run(number)
    if run.state != "done":
        raise Refused(409, f"run {number} has made no release", "see how it went, and start another.")
    return run


ThisRun = Annotated[Job, Depends(_run)]  # that has made a release
