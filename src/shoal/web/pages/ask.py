"""Ask: questions in SQL to a release, answered with bounds that hold the true answer."""

import json
import time
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask

from shoal.errors import ShoalError
from shoal.release.storage.private_file import write_privately
from shoal.web.dependencies import OurAsker, ThisProject, ThisRun
from shoal.web.jobs.job import Job
from shoal.web.navigation import Navigation, navigation
from shoal.web.pages.data import profile_of
from shoal.web.problem import FaultView, Refused, problem_of
from shoal.web.project import Project
from shoal.web.response import PAGE, page_or_json, templates, wants_html

router = APIRouter()
HISTORY, KEPT = "questions.json", 50
ANSWERS, KEPT_ANSWERS = "answers", 20  # of the questions asked last
REMEMBERING = Lock()
LONGEST_QUESTION = 10_000  # characters


class PastQuestion(BaseModel):
    """``number`` says which it is, as ``?question=7``; its answer is kept for a while."""

    sql: str
    at: float
    answered: bool
    number: int = 0
    kept: bool = False


class AnswerTable(BaseModel):
    """The first rows of an answer as text."""

    head: list[str]
    rows: list[list[str]]
    more: int  # rows that are not shown


class AnswerChart(BaseModel):
    """A column of an answer, drawn."""

    title: str
    svg: str


class AnswerView(BaseModel):
    """An answer as a table and charts, with notes."""

    table: AnswerTable
    charts: list[AnswerChart]
    notes: list[str]


class AskPage(BaseModel):
    """What can be asked of a release, what was asked before, and the latest answer."""

    way: Navigation
    run: int
    records: int
    exact: list[str]
    bounded: list[str]
    means: bool  # of classes: then these columns cannot be asked at all
    examples: list[str]
    history: list[PastQuestion]  # the latest first
    sql: str = ""
    answer: AnswerView | None = None
    faults: list[FaultView] = []


class QuestionForm(BaseModel):
    """A question as it is sent."""

    model_config = ConfigDict(extra="forbid")

    sql: str = Field(default="", max_length=LONGEST_QUESTION, description="One select about the table data.")


class AnswerContent(BaseModel):
    """As `shoal query --json` answers: bounds for every aggregate, plain values for keys."""

    columns: list[str]
    rows: list[dict[str, Any]]
    notes: list[str]


@router.get("/tables/{table}/runs/{number}/ask", response_model=AskPage, responses=PAGE)
def ask(
    request: Request,
    project: ThisProject,
    run: ThisRun,
    asker: OurAsker,
    question: Annotated[int, Query(ge=0, le=10**9, description="One that was asked before.")] = 0,
) -> Response:
    """What a release can be asked, and what it was asked before. Whoever looks is going to ask."""
    shown = page_or_json(request, "ask.html", _page(project, run, question))
    if wants_html(request.headers, request.url.query):
        shown.background = BackgroundTask(asker.get_ready, run.folder / "release")
    return shown


@router.post("/tables/{table}/runs/{number}/ask", response_model=AnswerContent, responses=PAGE)
async def question(
    request: Request,
    project: ThisProject,
    run: ThisRun,
    asker: OurAsker,
    asked: Annotated[QuestionForm, Form()],
) -> Response:
    """Ask a release. Every answer has a lower and an upper bound, between which the true one lies."""
    sql, html = asked.sql.strip().rstrip(";").strip(), wants_html(request.headers, request.url.query)
    try:
        if not sql:
            raise Refused(400, "no question was asked", "ask for example: select count(*) from data")
        found = await asker.ask(run.folder / "release", sql, draw=html)
    except ShoalError as error:
        await anyio.to_thread.run_sync(_remember, run, sql, None)
        if not html:
            raise
        status = error.status if isinstance(error, Refused) else 400
        return await anyio.to_thread.run_sync(
            _rendered, project, run, {"sql": asked.sql, "faults": problem_of(error, status).faults}, status
        )
    number = await anyio.to_thread.run_sync(_remember, run, sql, found)
    if not html:
        return Response(found["answer"], media_type="application/json", headers={"vary": "accept"})
    here = f"/tables/{project.key}/runs/{run.number}/ask"
    return RedirectResponse(f"{here}?question={number}", status_code=303)  # to look again is not to ask again


def _rendered(project: Project, run: Job, more: dict[str, Any], status: int) -> Response:
    page = _page(project, run).model_copy(update=more)
    path = f"/tables/{project.key}/runs/{run.number}/ask"
    return HTMLResponse(templates().get_template("ask.html").render(page=page, path=path), status)


def _page(project: Project, run: Job, number: int = 0) -> AskPage:
    from shoal.query.askable import askable, examples_for
    from shoal.release.integrity.manifest import Manifest

    manifest, history = Manifest.load(run.folder / "release"), _history(run)
    asked = askable(manifest.policy)
    columns = (profile_of(project) or {"columns": []})["columns"]
    return AskPage(
        way=navigation(project, "ask", run),
        run=run.number,
        records=manifest.records,
        exact=list(asked.exact),
        bounded=list(asked.bounded),
        means=asked.means,
        examples=examples_for(manifest.policy, columns),
        history=history,
        sql=next((one.sql for one in history if number and one.number == number), ""),
        answer=_saved_answer(run, number),
    )


def _answer_file(run: Job, number: int) -> Path:
    return run.folder / ANSWERS / f"{number}.json"


def _saved_answer(run: Job, number: int) -> AnswerView | None:
    file = _answer_file(run, number)
    return AnswerView.model_validate_json(file.read_text(encoding="utf-8")) if file.is_file() else None


def _history(run: Job) -> list[PastQuestion]:
    file = run.folder / HISTORY
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    asked = [PastQuestion(**one) for one in found]
    return [one.model_copy(update={"kept": _answer_file(run, one.number).is_file()}) for one in asked]


def _remember(run: Job, sql: str, found: dict[str, Any] | None) -> int:
    """The question, and its answer if that is to be shown. One that is asked again moves to the top."""
    if not sql:
        return 0
    with REMEMBERING:
        before = _history(run)
        number = max((one.number for one in before), default=0) + 1
        others = [one for one in before if one.sql != sql]
        kept = [PastQuestion(sql=sql, at=time.time(), answered=found is not None, number=number), *others][
            :KEPT
        ]
        text = json.dumps([one.model_dump(exclude={"kept"}) for one in kept], ensure_ascii=False)
        if found is not None and "table" in found:
            _keep(run, number, found)
        write_privately(run.folder / HISTORY, "file", lambda file: file.write(text))
    return number


def _keep(run: Job, number: int, found: dict[str, Any]) -> None:
    shown = AnswerView(table=found["table"], charts=found["charts"], notes=found["notes"])
    folder = run.folder / ANSWERS
    folder.mkdir(mode=0o700, exist_ok=True)
    text = shown.model_dump_json()
    write_privately(_answer_file(run, number), "file", lambda file: file.write(text))
    for old in sorted(folder.glob("*.json"), key=lambda file: int(file.stem))[:-KEPT_ANSWERS]:
        old.unlink(missing_ok=True)
