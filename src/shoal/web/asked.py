"""What handlers need: the workspace, the runner, and the work an address speaks of."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Path, Request

from shoal.web.jobs.runner import Runner
from shoal.web.settings import Settings
from shoal.web.work import Work
from shoal.web.workspace import Workspace


def _workspace(request: Request) -> Workspace:
    found: Workspace = request.app.state.workspace
    return found


def _runner(request: Request) -> Runner:
    found: Runner = request.app.state.runner
    return found


def _settings(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found


def _work(request: Request, table: Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]) -> Work:
    return replace(_workspace(request).work(table), roots=_settings(request).folders)


OurWorkspace = Annotated[Workspace, Depends(_workspace)]
OurRunner = Annotated[Runner, Depends(_runner)]
OurSettings = Annotated[Settings, Depends(_settings)]
ThisWork = Annotated[Work, Depends(_work)]
Number = Annotated[int, Path(ge=1, le=10**6, description="The number of a job of this table.")]
