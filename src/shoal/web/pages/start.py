"""The first page: tables that are being worked on, and a way to begin with another."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict

from shoal.table.files.file_endings import ENDINGS
from shoal.table.files.reading import split_names
from shoal.web.dependencies import OurAsker, OurRunner, OurSettings, OurWorkspace, ThisProject
from shoal.web.navigation import current_run
from shoal.web.pages.files import FolderListing, chosen_file, folder_listing, name_text
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json, templates

router = APIRouter()
DEMO = "tax.csv"  # the name of the made-up table


class WorkView(BaseModel):
    """A table that is being worked on, and how far it is."""

    key: str
    name: str
    address: str
    begun: str
    runs: int
    published_run: int | None
    unreadable: bool


class StartPage(BaseModel):
    """Tables that are being worked on, and files to begin with."""

    tables: list[WorkView]
    files: FolderListing
    most_uploaded: int
    endings: list[str]  # of names of files that may be dropped


class NewWork(BaseModel):
    """Where the work on a new table goes on."""

    address: str


class NewTable(BaseModel):
    """A table on this machine: the number of a folder given at start, and the way from there."""

    model_config = ConfigDict(extra="forbid")

    folder: int = 0
    path: str


class ReadingForm(BaseModel):
    """What the owner says of a file: the first row is names, or these are; columns with long text; which of
    several tables is meant."""

    model_config = ConfigDict(extra="forbid")

    header: bool = False
    names: str = ""
    multiline: str = ""
    sheet: str = ""
    table: str = ""
    query: str = ""

    @property
    def nothing(self) -> bool:
        return not any(self.as_arguments().values())

    def as_arguments(self) -> dict[str, Any]:
        """The fields as `Reading` takes them."""
        return {
            "header": self.header or None,
            "names": split_names(self.names),
            "multiline": split_names(self.multiline),
            "sheet": self.sheet or None,
            "table": self.table.strip() or None,
            "query": self.query.strip() or None,
        }


@router.get("/", response_model=StartPage, responses=PAGE)
def start(
    request: Request,
    workspace: OurWorkspace,
    settings: OurSettings,
    token: str | None = None,
    folder: int = 0,
    path: str = "",
) -> Response:
    """Tables that are being worked on, and files to choose from."""
    if token is not None:
        return _come_in(settings)
    content = StartPage(
        tables=[_project_view(project) for project in workspace.all_projects()],
        files=folder_listing(settings, folder, path),
        most_uploaded=settings.most_uploaded,
        endings=sorted({Path(ending).suffix or ending for ending in ENDINGS}),
    )
    return page_or_json(request, "start.html", content)


def _come_in(settings: OurSettings) -> Response:
    """The token goes from the address into a cookie. A page leads on, not a redirect: a browser that comes
    from elsewhere would not send a strict cookie with that."""
    response = HTMLResponse(templates().get_template("come_in.html").render(path="/"))
    response.set_cookie(settings.cookie, settings.token, httponly=True, samesite="strict", path="/")
    return response


def _project_view(project: Project) -> WorkView:
    chosen = current_run(project)
    return WorkView(
        key=project.key,
        name=project.name,
        address=f"/tables/{project.key}",
        begun=datetime.fromtimestamp(project.begun_at).isoformat(" ", "minutes"),
        runs=len(project.numbers("run")),
        published_run=None if chosen is None else chosen.number,
        unreadable=project.unreadable(),
    )


@router.post("/tables", response_model=NewWork)
async def begin(
    request: Request,
    workspace: OurWorkspace,
    settings: OurSettings,
    runner: OurRunner,
    chosen: Annotated[NewTable, Form()],
) -> Response:
    """Begin with a table that lies on this machine, or go on with it; it is read where it lies."""
    file = chosen_file(settings, chosen.folder, chosen.path)
    known = workspace.project_with_table(str(file))
    if known is None:
        return redirect_or_json(
            request, *begin_with(workspace.new_project(name_text(file.name)), str(file), runner)
        )
    if known.unreadable():
        look_again(known, runner)
    address = f"/tables/{known.key}"
    return redirect_or_json(request, address, NewWork(address=address))


@router.post("/tables/demo", response_model=NewWork)
async def begin_demo(request: Request, workspace: OurWorkspace, runner: OurRunner) -> Response:
    """Begin with a made-up table about taxes."""
    project = workspace.new_project(DEMO)
    return redirect_or_json(
        request, *begin_with(project, str(project.folder / "table.csv"), runner, demo=True)
    )


def begin_with(project: Project, source: str, runner: OurRunner, demo: bool = False) -> tuple[str, NewWork]:
    """Look at the table first; where to go on meanwhile. That of a demo is made up before."""
    project = replace(project, source=source)
    project.save()
    runner.start(project.new_job("profile", {"source": source, "name": project.name, "demo": demo}))
    address = f"/tables/{project.key}"
    return address, NewWork(address=address)


@router.post("/tables/{table}/read-again", response_model=NewWork)
async def read_again(
    request: Request, project: ThisProject, runner: OurRunner, said: Annotated[ReadingForm, Form()]
) -> Response:
    """Look at a table anew, because it has changed or could not be read; its policy stays."""
    look_again(project, runner, said)
    address = f"/tables/{project.key}"
    return redirect_or_json(request, address, NewWork(address=address))


def look_again(project: Project, runner: OurRunner, said: ReadingForm | None = None) -> None:
    """Once at a time. A demo that was made up before is not made up again; what was said of the file
    before holds until something else is said."""
    looks = project.jobs("profile")
    if any(job.under_way for job in looks):
        return
    demo = (
        bool(looks)
        and looks[0].arguments.get("demo", False)
        and not any(job.state == "done" for job in looks)
    )
    before = looks[0].arguments.get("reading", {}) if looks else {}
    reading = before if said is None or said.nothing else said.as_arguments()
    asked = {"source": project.source, "name": project.name, "demo": demo, "reading": reading}
    runner.start(project.new_job("profile", asked))


@router.post("/tables/{table}/forget", response_model=NewWork)
async def forget(
    request: Request, project: ThisProject, workspace: OurWorkspace, runner: OurRunner, asker: OurAsker
) -> Response:
    """Remove a table's work: uploads, policy and runs. The table itself, where it was chosen, stays."""
    await runner.cancel_project(project.key)
    await asker.close(project.folder)
    await run_sync(workspace.forget, project)
    return redirect_or_json(request, "/", NewWork(address="/"))


@router.post("/forget", response_model=NewWork)
async def forget_everything(
    request: Request, workspace: OurWorkspace, runner: OurRunner, asker: OurAsker
) -> Response:
    """Remove all that the workspace holds."""
    await runner.cancel_project()
    await asker.close()
    await run_sync(workspace.forget_everything)
    return redirect_or_json(request, "/", NewWork(address="/"))
