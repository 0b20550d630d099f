"""One shape for everything that goes wrong: the faults of the command, and a status."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from shoal.errors import Fault, Infeasible, ShoalError
from shoal.web.answer import templates, wants_html

WORDS = {404: "there is nothing at this address", 405: "this address does not take such a request"}


class FaultShown(BaseModel):
    what: str
    hint: str


class Problem(BaseModel):
    """What went wrong, where, and what to do."""

    status: int
    faults: list[FaultShown]


class Refused(ShoalError):
    """A request that is answered with this status."""

    def __init__(self, status: int, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.status = status


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": words}
    for status, words in {
        400: "Something given is at fault.",
        401: "The token is missing or wrong.",
        403: "The request comes from another page, or leads outside the folders.",
        404: "There is no such thing.",
        409: "It cannot be done now.",
        413: "Too much was sent.",
        422: "Something given has the wrong form.",
    }.items()
}


def problem_of(error: ShoalError, status: int) -> Problem:
    return Problem(status=status, faults=[FaultShown(**fault.as_dict()) for fault in error.faults])


def problem_response(error: ShoalError, status: int, html: bool) -> Response:
    problem = problem_of(error, status)
    if html:
        page = templates().get_template("problem.html").render(page=problem, path="")
        return HTMLResponse(page, status_code=status)
    return JSONResponse(problem.model_dump(), status_code=status)


def add_problem_handlers(app: FastAPI) -> None:
    @app.exception_handler(ShoalError)
    def refused(request: Request, error: ShoalError) -> Response:
        status = error.status if isinstance(error, Refused) else 409 if isinstance(error, Infeasible) else 400
        return _respond(request, error, status)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        faults = [Fault(f"{_place(one['loc'])}: {_reason(one)}") for one in error.errors()]
        return _respond(request, ShoalError(faults), 422)

    @app.exception_handler(HTTPException)
    def elsewhere(request: Request, error: HTTPException) -> Response:
        what = WORDS.get(error.status_code, str(error.detail))
        return _respond(request, ShoalError(what, "begin at the first page."), error.status_code)


def _respond(request: Request, error: ShoalError, status: int) -> Response:
    return problem_response(error, status, wants_html(request.headers, request.url.query))


def _place(location: tuple[str | int, ...]) -> str:
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def _reason(error: dict[str, Any]) -> str:
    """What is wrong, without what was given."""
    return "is missing" if error["type"] == "missing" else str(error["msg"]).lower()
