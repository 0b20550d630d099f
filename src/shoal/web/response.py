"""One address, two readers: people get a page, programs the same content as JSON."""

import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel

from shoal.display import sized, visible_text
from shoal.version import __version__

HERE = Path(__file__).parent
FIGURES = re.compile(r"[-+]?[\d,.]+(e[-+]?\d+)?( to .*)?")  # of an answer
PAGE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The page, or its content as JSON.",
        "content": {"text/html": {"schema": {"type": "string"}}},
    }
}


@cache
def templates() -> Environment:
    """The page templates with their filters, read once."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"version": __version__}
    filters: dict[str, Callable[..., Any]] = {
        "said": visible_text,
        "cell": cell,
        "count": lambda number: f"{number:,}",
        "size": sized,
        "share": share,
        "plain": lambda number: f"{number:g}",
        "moment": moment,
        "capital": lambda text: text[:1].upper() + text[1:],
        "groupby_kept": groupby_kept,
    }
    environment.filters |= filters
    return environment


def cell(text: str) -> str:
    """What stands in a table, from where it may be copied to a spreadsheet; figures stay as they are.

    >>> cell("=1+1"), cell("-1,200 to 1,500 (expect 7)")
    ("'=1+1", '-1,200 to 1,500 (expect 7)')
    """
    from shoal.table.files.spreadsheet import escape_name  # brings Arrow up

    return visible_text(text if FIGURES.fullmatch(text) else escape_name(text))


def wants_html(headers: Mapping[str, str], query: str = "") -> bool:
    """Browsers say that they want a page; whoever says nothing gets JSON."""
    if parse_qs(query).get("format") == ["json"]:
        return False
    return "text/html" in headers.get("accept", "") or "hx-request" in headers


def page_or_json(request: Request, template: str, content: BaseModel) -> Response:
    """A page rendered from the content, or the content itself."""
    if wants_html(request.headers, request.url.query):
        return HTMLResponse(templates().get_template(template).render(page=content, path=request.url.path))
    return as_json(content, {"vary": "accept"})


def redirect_or_json(request: Request, to: str, content: BaseModel) -> Response:
    """After something was done: people go on to a page, programs are told what came of it."""
    if wants_html(request.headers, request.url.query):
        return RedirectResponse(to, status_code=303)
    return as_json(content, {"location": to})


def as_json(content: BaseModel, headers: Mapping[str, str] | None = None) -> Response:
    """Numbers that JSON has no word for are null."""
    return Response(content.model_dump_json(), media_type="application/json", headers=headers)


def share(part: float | None) -> str:
    """
    >>> share(0.1234), share(None)
    ('12.3 %', 'not known')
    """
    return "not known" if part is None else f"{part * 100:.3g} %"


def moment(at: float) -> str:
    """A time on the clock of this machine, which is that of whoever reads the page."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def groupby_kept(items: list[Any], name: str) -> list[list[Any]]:
    """Neighbours with the same attribute together, in the order that they have."""
    return [list(group) for _, group in groupby(items, attrgetter(name))]
