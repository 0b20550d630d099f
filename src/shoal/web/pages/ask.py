"""Ask: questions in SQL to a release, answered with bounds that hold the true answer."""

import json
import time
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask

from shoal.errors import ShoalError
from shoal.release.private_file import write_privately
from shoal.web.answer import PAGE, answer, templates, wants_html
from shoal.web.asked import OurAsker, ThisRun, ThisWork
from shoal.web.jobs.job import Job
from shoal.web.pages.data import profile_of
from shoal.web.problem import FaultShown, Refused, problem_of
from shoal.web.way import Way, way
from shoal.web.work import Work

router = APIRouter()
HISTORY, KEPT = "questions.json", 50
NUMBERS = ("integer", "decimal")
LONGEST_QUESTION = 10_000  # characters


class Asked(BaseModel):
    sql: str
    at: float
    answered: bool


class Table(BaseModel):
    head: list[str]
    rows: list[list[str]]
    more: int  # rows that are not shown


class AnswerChart(BaseModel):
    title: str
    svg: str


class AnswerShown(BaseModel):
    table: Table
    charts: list[AnswerChart]
    notes: list[str]


class Ask(BaseModel):
    way: Way
    run: int
    records: int
    exact: list[str]
    bounded: list[str]
    means: bool  # of classes: then these columns cannot be asked at all
    examples: list[str]
    history: list[Asked]  # the latest first
    sql: str = ""
    answer: AnswerShown | None = None
    faults: list[FaultShown] = []


class Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sql: str = Field(default="", max_length=LONGEST_QUESTION, description="One select about the table data.")


class Answer(BaseModel):
    """As `shoal query --json` answers: bounds for every aggregate, plain values for keys."""

    columns: list[str]
    rows: list[dict[str, Any]]
    notes: list[str]


@router.get("/tables/{table}/runs/{number}/ask", response_model=Ask, responses=PAGE)
def ask(request: Request, work: ThisWork, run: ThisRun, asker: OurAsker) -> Response:
    """What a release can be asked, and what it was asked before. Whoever looks is going to ask."""
    shown = answer(request, "ask.html", _page(work, run))
    if wants_html(request.headers, request.url.query):
        shown.background = BackgroundTask(asker.get_ready, run.folder / "release")
    return shown


@router.post("/tables/{table}/runs/{number}/ask", response_model=Answer, responses=PAGE)
async def question(
    request: Request, work: ThisWork, run: ThisRun, asker: OurAsker, asked: Annotated[Question, Form()]
) -> Response:
    """Ask a release. Every answer has a lower and an upper bound, between which the true one lies."""
    sql, html = asked.sql.strip().rstrip(";").strip(), wants_html(request.headers, request.url.query)
    try:
        if not sql:
            raise Refused(400, "no question was asked", "ask for example: select count(*) from data")
        found = await asker.ask(run.folder / "release", sql, draw=html)
    except ShoalError as error:
        await anyio.to_thread.run_sync(_remember, run, sql, False)
        if not html:
            raise
        status = error.status if isinstance(error, Refused) else 400
        return await anyio.to_thread.run_sync(
            _rendered, work, run, {"sql": asked.sql, "faults": problem_of(error, status).faults}, status
        )
    await anyio.to_thread.run_sync(_remember, run, sql, True)
    if not html:
        return JSONResponse(found["answer"], headers={"vary": "accept"})
    shown = AnswerShown(table=found["table"], charts=found["charts"], notes=found["answer"]["notes"])
    return await anyio.to_thread.run_sync(_rendered, work, run, {"sql": asked.sql, "answer": shown}, 200)


def _rendered(work: Work, run: Job, more: dict[str, Any], status: int) -> Response:
    page = _page(work, run).model_copy(update=more)
    path = f"/tables/{work.key}/runs/{run.number}/ask"
    return HTMLResponse(templates().get_template("ask.html").render(page=page, path=path), status)


def _page(work: Work, run: Job) -> Ask:
    from shoal.query.askable import askable, example_questions
    from shoal.release.manifest import Manifest

    manifest = Manifest.load(run.folder / "release")
    asked = askable(manifest.policy)
    found = profile_of(work) or {"columns": []}
    numeric = [column["name"] for column in found["columns"] if column["kind"] in NUMBERS]
    return Ask(
        way=way(work, "ask", run),
        run=run.number,
        records=manifest.records,
        exact=list(asked.exact),
        bounded=list(asked.bounded),
        means=asked.means,
        examples=example_questions(asked, numeric),
        history=_history(run),
    )


def _history(run: Job) -> list[Asked]:
    file = run.folder / HISTORY
    return [Asked(**one) for one in json.loads(file.read_text(encoding="utf-8"))] if file.is_file() else []


def _remember(run: Job, sql: str, answered: bool) -> None:
    """A question that is asked again moves to the top."""
    if not sql:
        return
    others = [one for one in _history(run) if one.sql != sql]
    kept = [Asked(sql=sql, at=time.time(), answered=answered), *others][:KEPT]
    text = json.dumps([one.model_dump() for one in kept], ensure_ascii=False)
    write_privately(run.folder / HISTORY, "file", lambda file: file.write(text))
