"""The way back from a problem: the page whose form was sent, and the steps around it."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from fastapi import Request

from shoal.errors import ShoalError
from shoal.web.navigation import TITLES, Navigation, StepName, navigation

TABLE = re.compile(r"/tables/([0-9a-f]{12})(?:/|$)")
LOCAL = re.compile(r"/(?:[A-Za-z0-9_.~%-]+(?:/[A-Za-z0-9_.~%-]+)*)?")  # no second host, no script, no mark


def referring_path(headers: Mapping[str, str]) -> str | None:
    """The path of the page that a request came from, if it was one of ours.

    >>> referring_path({"host": "127.0.0.1:8000", "referer": "http://127.0.0.1:8000/tables/x/compare?token=1"})
    '/tables/x/compare'
    >>> referring_path({"host": "127.0.0.1:8000", "referer": "http://elsewhere:8000/tables"})
    >>> referring_path({"host": "127.0.0.1:8000", "referer": "http://127.0.0.1:8000//elsewhere"})
    """
    try:
        from_page = urlsplit(headers.get("referer", ""))
    except ValueError:
        return None
    ours = from_page.scheme == "http" and from_page.netloc == headers.get("host")
    return from_page.path if ours and LOCAL.fullmatch(from_page.path) else None


def navigation_around(request: Request, path: str) -> Navigation | None:
    """The steps of the table that a page is about, if it still is there."""
    found = TABLE.match(path)
    if found is None:
        return None
    try:
        return navigation(request.app.state.workspace.project(found.group(1)), _here(path))
    except ShoalError:
        return None


def _here(path: str) -> StepName:
    """
    >>> _here("/tables/1/compare"), _here("/tables/1/runs/2"), _here("/tables/1")
    ('compare', 'result', 'data')
    """
    parts = path.split("/")[3:]
    if len(parts) == 2 and parts[0] == "runs":
        return "result"
    return next((name for name in TITLES if name in parts), "data")
