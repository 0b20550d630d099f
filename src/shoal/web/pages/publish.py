"""Publish: the release to take away, what it promises and what not, and how to make it again."""

import json
from pathlib import Path, PurePath
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi import Path as InPath
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from shoal.web.dependencies import OurRunner, ThisProject, ThisRun
from shoal.web.download import disposition, download, file_answer, report_response
from shoal.web.forms.checklist_ticks import checklist_ticks, tick
from shoal.web.job_view import JobView, job_view
from shoal.web.jobs.job import Job
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.result import VerdictView, measurement_of
from shoal.web.problem import Refused
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, redirect_or_json

router = APIRouter()
RUN = "/tables/{table}/runs/{number}"
MANIFEST = "manifest.json"
REPORTS = {"report": "Report for the owner", "public": "Report for the public"}
KINDS = {".csv": "text/csv", ".json": "application/json", ".sql": "text/plain"}
NOT_MADE = {
    "": "nobody has asked for them",
    "cancelled": "making them was cancelled",
    "interrupted": "shoal was stopped while they were made",
    "failed": "making them has failed",
}
ReportName = Literal["report", "public"]
FileName = Annotated[str, InPath(max_length=255, description="One of the files that the page lists.")]


class FileView(BaseModel):
    """A file of the release to take away."""

    name: str
    size: int
    address: str


class ReportView(BaseModel):
    """A report on the release, once it is there."""

    title: str
    private: bool
    address: str | None  # none while it is not there


class ChecklistItem(BaseModel):
    """To be done before a release goes out."""

    thing: str
    ticked_at: float | None  # seconds since 1970


class Checklist(BaseModel):
    """What to look at before publishing, ticked or not."""

    checklist: list[ChecklistItem]


class ChecklistForm(BaseModel):
    """Places in the checklist, from 1; what is not among them is not done."""

    model_config = ConfigDict(extra="forbid")

    done: list[Annotated[int, Field(ge=1, le=1000)]] = Field(default=[], max_length=1000)


class PublishPage(BaseModel):
    """The release of a run with all that goes with it: files, reports, verdicts and commands."""

    way: Navigation
    run: int
    chosen: bool  # is it the one to publish?
    method: str
    records: int
    suppressed: int
    fingerprint: str  # SHA-256 of manifest.json
    archive: str
    files: list[FileView]
    reports: list[ReportView]
    measuring: JobView | None  # the job that makes the reports, while it is under way
    not_made: str | None  # why there are no reports, if there are none and none are being made
    policy: str
    link: str | None  # private
    verdicts: list[VerdictView]
    does_not_protect_against: list[str]
    notes: list[str]
    checklist: list[ChecklistItem]
    command: str
    python: str
    postgres: str


@router.get(f"{RUN}/publish", response_model=PublishPage, responses=PAGE)
def publish(request: Request, project: ThisProject, run: ThisRun, runner: OurRunner) -> Response:
    """A release, and all that goes with it."""
    from shoal.release.integrity.manifest import Manifest
    from shoal.release.integrity.statements import UNCHECKED, current_limits
    from shoal.release.rerun_commands import rerun_command, rerun_program

    here, manifest = f"/tables/{project.key}/runs/{run.number}", Manifest.load(run.folder / "release")
    again = (project.name, "policy.toml", "release", run.arguments.get("format", "csv"), "link.csv")
    measuring = _measuring(project, run, runner)
    content = PublishPage(
        way=navigation(project, "publish", run),
        run=run.number,
        chosen=project.chosen == run.number,
        method=manifest.method,
        records=manifest.records,
        suppressed=manifest.suppressed,
        fingerprint=manifest.fingerprint,
        archive=f"{here}/release.zip",
        files=[
            FileView(name=name, size=_size(run, name), address=f"{here}/release/{name}")
            for name in _names(run)
        ],
        reports=[
            ReportView(
                title=title,
                private=name == "report",
                address=f"{here}/reports/{name}" if (run.folder / f"{name}.html").is_file() else None,
            )
            for name, title in REPORTS.items()
        ],
        measuring=measuring if measuring and measuring.under_way else None,
        not_made=_not_made(run, measuring),
        policy=f"{here}/policy.toml",
        link=f"{here}/link.csv" if (run.folder / "audit.csv").is_file() else None,
        verdicts=[
            VerdictView(kind=one.kind, mark=one.mark, sentence=one.sentence) for one in manifest.verdicts
        ],
        does_not_protect_against=list(current_limits(manifest)),
        notes=[UNCHECKED.format(note=note) for note in manifest.notes],
        checklist=_checklist(run, checklist_ticks(run)),
        command=rerun_command(*again),
        python=rerun_program(*again),
        postgres="shoal publish release postgresql://USER@HOST/DATABASE --schema shoal",
    )
    return page_or_json(request, "publish.html", content)


@router.post(f"{RUN}/checklist", response_model=Checklist)
def checklist(
    request: Request, project: ThisProject, run: ThisRun, ticked: Annotated[ChecklistForm, Form()]
) -> Response:
    """Keep which things of the checklist are done; those that were before keep their time."""
    things = [one.thing for one in _checklist(run, {})]
    if any(place > len(things) for place in ticked.done):
        raise Refused(400, "the checklist has no such thing", f"it has {len(things)}.")
    kept = tick(run, [things[place - 1] for place in sorted(set(ticked.done))])
    address = f"/tables/{project.key}/runs/{run.number}/publish"
    return redirect_or_json(request, f"{address}#before", Checklist(checklist=_checklist(run, kept)))


@router.get(
    f"{RUN}/release.zip",
    response_class=StreamingResponse,
    responses=file_answer("application/zip", "The release, its manifest included, as one file."),
)
def archive(project: ThisProject, run: ThisRun) -> Response:
    """The whole release; refused if it is not what its manifest states."""
    from shoal.release.storage.archive import zip_stream

    _insist(run)
    name = f"{_stem(project)}, run {run.number}.zip"
    return StreamingResponse(
        zip_stream(run.folder / "release"),
        media_type="application/zip",
        headers={"content-disposition": disposition(name)},
    )


@router.get(
    f"{RUN}/release/{{name}}",
    response_class=Response,
    responses=file_answer("application/octet-stream", "A file of the release."),
)
def release_file(run: ThisRun, name: FileName) -> Response:
    """One file of the release, of those that its manifest lists; refused as the whole is."""
    if name not in _names(run):
        raise Refused(404, "there is no such file in this release", "choose one from the page.")
    _insist(run)
    return download(
        run.folder / "release" / name, name, KINDS.get(PurePath(name).suffix, "application/octet-stream")
    )


@router.get(
    f"{RUN}/reports/{{name}}",
    response_class=Response,
    responses=file_answer("text/html", "A report, to be read, or (keep) to be kept."),
)
def report(project: ThisProject, run: ThisRun, name: ReportName, keep: bool = False) -> Response:
    """What is left in the release for an attacker, and for whoever uses it."""
    path = run.folder / f"{name}.html"
    if not path.is_file():
        raise Refused(404, "this report is not there", "it is made after the run; look again in a while.")
    if keep:
        return download(path, f"{_stem(project)}, run {run.number}, {name}.html", "text/html")
    return report_response(path)


@router.get(
    f"{RUN}/policy.toml",
    response_class=Response,
    responses=file_answer("application/toml", "The policy of this run."),
)
def policy(run: ThisRun) -> Response:
    """The policy, as it was when the run was asked for."""
    return download(run.folder / "policy.toml", "policy.toml", "application/toml")


@router.get(
    f"{RUN}/link.csv",
    response_class=Response,
    responses=file_answer("text/csv", "Private: which record is whose."),
)
def link(project: ThisProject, run: ThisRun) -> Response:
    """The owner's link between the table and the release. Whoever has it can undo the release."""
    if not (run.folder / "audit.csv").is_file():
        raise Refused(404, "this run has no link", "make another run.")
    return download(
        run.folder / "audit.csv", f"PRIVATE {_stem(project)}, run {run.number}, link.csv", "text/csv"
    )


def _insist(run: Job) -> None:
    """Refuse to hand out a release that is not what it states, also if it was sealed again."""
    from shoal.release.opened_release import open_release

    opened = open_release(run.folder / "release")
    opened.insist(opened.manifest.files)


def _names(run: Job) -> list[str]:
    """The files that belong to the release, and lie right in its folder."""
    folder = run.folder / "release"
    listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    return [name for name in (MANIFEST, *sorted(listed)) if _is_plain(folder, name)]


def _is_plain(folder: Path, name: str) -> bool:
    path = folder / name
    return path.name == name and not path.is_symlink() and path.is_file()


def _size(run: Job, name: str) -> int:
    return (run.folder / "release" / name).stat().st_size


def _stem(project: Project) -> str:
    return project.name.partition(".")[0] or "table"


def _checklist(run: Job, ticks: dict[str, float]) -> list[ChecklistItem]:
    from shoal.release.integrity.manifest import Manifest
    from shoal.release.publication_checklist import publication_checklist

    things = publication_checklist(Manifest.load(run.folder / "release"))
    return [ChecklistItem(thing=thing, ticked_at=ticks.get(thing)) for thing in things]


def _measuring(project: Project, run: Job, runner: OurRunner) -> JobView | None:
    """The latest job that makes the reports."""
    job = measurement_of(project, run.number)
    return None if job is None else job_view(runner.now(job))


def _not_made(run: Job, measuring: JobView | None) -> str | None:
    if all((run.folder / f"{name}.html").is_file() for name in REPORTS) or (
        measuring and measuring.under_way
    ):
        return None
    return NOT_MADE.get(measuring.state if measuring else "", "they are not there any more")
