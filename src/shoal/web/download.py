"""Files to take away: under a name that any browser understands, whatever characters it has."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi.responses import FileResponse, Response

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


def file_answer(kind: str, description: str) -> dict[int | str, dict[str, Any]]:
    """What the documentation says of a file."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"description": description, "content": {kind: schema}}}


def disposition(name: str) -> str:
    """The header of a download as RFC 6266 has it: a plain name for old browsers, the whole one as RFC 5987
    spells it.

    >>> disposition('pay "é".zip')
    'attachment; filename="pay ___.zip"; filename*=UTF-8\\'\\'pay%20%22%C3%A9%22.zip'
    """
    plain = "".join(one if one.isascii() and one.isprintable() and one not in '"\\%' else "_" for one in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


def download(path: Path, name: str, kind: str = "application/octet-stream") -> Response:
    """A response that saves a file under this name."""
    return FileResponse(path, media_type=kind, headers={"content-disposition": disposition(name)})


def report_response(path: Path) -> Response:
    """A report that can do nothing but be read."""
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})
