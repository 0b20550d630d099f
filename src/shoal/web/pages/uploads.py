"""A table that is dropped on the page: streamed to disk, never held in memory."""

import os
from pathlib import Path, PurePosixPath

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import Response

from shoal.table.files.file_endings import ENDINGS, ending_of
from shoal.web.dependencies import OurRunner, OurWorkspace
from shoal.web.pages.start import NewWork, begin_with
from shoal.web.problem import Refused
from shoal.web.response import as_json

router = APIRouter()
BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
LONGEST_NAME = 255
SPARE = 256 * 1024**2  # bytes of the disk that stay free


@router.put("/uploads/{name}", response_model=NewWork, openapi_extra=BODY)
async def upload(request: Request, workspace: OurWorkspace, runner: OurRunner, name: str) -> Response:
    """Begin with a table that is sent, under the name of its file."""
    ending = ending_of(name)
    if ending is None:
        raise Refused(
            400,
            "the name of this file does not say how to read it",
            f"save it as CSV or Parquet: {' '.join(ENDINGS)}.",
        )
    if len(name) > LONGEST_NAME:
        raise Refused(400, "the name of this file is too long", "give it a shorter one.")
    refuse_full_disk(workspace.folder, int(request.headers.get("content-length", "0")))
    project = workspace.new_project(PurePosixPath(name).name)
    try:
        await _receive(request, project.folder / f"table{ending}")
    except BaseException:
        with anyio.CancelScope(shield=True):  # also when the browser has gone
            await anyio.to_thread.run_sync(workspace.forget, project)
        raise
    address, begun = begin_with(project, str(project.folder / f"table{ending}"), runner)
    return as_json(begun, {"location": address})


async def _receive(request: Request, target: Path) -> None:
    """It takes its name when it is whole."""
    hidden = target.with_name(f".{target.name}")
    try:
        async with await anyio.open_file(
            os.open(hidden, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb"
        ) as file:
            async for chunk in request.stream():
                refuse_full_disk(target.parent, len(chunk))
                await file.write(chunk)
        if hidden.stat().st_size == 0:
            raise Refused(400, "the file is empty", "choose another.")
        hidden.rename(target)
    except FileNotFoundError:
        raise Refused(409, "everything was forgotten meanwhile", "send the file again.") from None
    except OSError:
        raise Refused(409, "the file cannot be kept", "make room on the disk.") from None


def refuse_full_disk(folder: Path, size: int) -> None:
    """Refuse a file that would fill the disk."""
    found = os.statvfs(folder)
    if size + SPARE > found.f_bavail * found.f_frsize:
        raise Refused(
            409,
            "there is not enough room on the disk for this file",
            "make room, or choose it on this machine.",
        )
