"""One shape for everything that goes wrong: the faults of the command, and a status."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from shoal.errors import Fault, Infeasible, ShoalError, without_values
from shoal.web.response import templates, wants_html

WORDS = {
    400: "the form that was sent cannot be read",
    404: "there is nothing at this address",
    405: "this address does not take such a request",
}
BEGIN = "begin at the first page."
LONGEST_PLACE = 80  # characters of the name of a field, which others may choose


class FaultView(BaseModel):
    """What is wrong, and how to mend it."""

    what: str
    hint: str


class Problem(BaseModel):
    """What went wrong, where, and what to do."""

    status: int
    faults: list[FaultView]


class Refused(ShoalError):
    """A request that is answered with this status."""

    def __init__(self, status: int, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.status = status


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "model": Problem,
        "description": words,
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
    for status, words in {
        400: "Something given is at fault.",
        401: "The token is missing or wrong.",
        403: "The request comes from another page, or leads outside the folders.",
        404: "There is no such thing.",
        409: "It cannot be done now.",
        413: "Too much was sent.",
        421: "The page was asked under a name that is not its own.",
        422: "Something given has the wrong form.",
        500: "Something went wrong that should not.",
    }.items()
}


def problem_of(error: ShoalError, status: int) -> Problem:
    """An error as a response with its status."""
    return Problem(status=status, faults=[FaultView(**fault.as_dict()) for fault in error.faults])


def problem_response(
    error: ShoalError, status: int, html: bool, back: str | None = None, way: Any = None
) -> Response:
    """``back`` is the page that a form was on, ``way`` the steps around it."""
    problem = problem_of(error, status)
    if html:
        content = {"faults": problem.faults, "back": back} | ({} if way is None else {"way": way})
        page = templates().get_template("problem.html").render(page=content, path="")
        return HTMLResponse(page, status_code=status)
    return JSONResponse(problem.model_dump(), status_code=status)


def add_problem_handlers(app: FastAPI) -> None:
    """Let every error of the application answer in the one shape."""

    @app.exception_handler(ShoalError)
    def refused(request: Request, error: ShoalError) -> Response:
        status = error.status if isinstance(error, Refused) else 409 if isinstance(error, Infeasible) else 400
        return _respond(request, error, status)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        if any(one["loc"][0] == "path" for one in error.errors()):
            return _respond(request, ShoalError(WORDS[404], BEGIN), 404)
        faults = [Fault(f"{_place(one['loc'])}: {_reason(one)}") for one in error.errors()]
        return _respond(request, ShoalError(faults), 422)

    @app.exception_handler(HTTPException)
    def elsewhere(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, Refused):  # while the body was read
            return refused(request, error.__cause__)
        what = WORDS.get(error.status_code, "the request was refused")
        response = _respond(request, ShoalError(what, BEGIN), error.status_code)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        return _respond(request, without_values(error), 500)


def _respond(request: Request, error: ShoalError, status: int) -> Response:
    from shoal.web.referring_page import navigation_around, referring_path  # which needs refusals itself

    if not wants_html(request.headers, request.url.query):
        return problem_response(error, status, html=False)
    back = referring_path(request.headers)
    if back == request.url.path and request.method == "GET":
        back = None
    return problem_response(error, status, html=True, back=back, way=navigation_around(request, back or ""))


def _place(location: tuple[str | int, ...]) -> str:
    """Names only: a field that nobody asked for may be called anything."""
    place = ".".join(str(part) for part in location[1:]) or str(location[0])
    return place if len(place) <= LONGEST_PLACE else f"{place[:LONGEST_PLACE]}..."


def _reason(error: dict[str, Any]) -> str:
    """What is wrong, without what was given."""
    return "is missing" if error["type"] == "missing" else str(error["msg"]).lower()
