"""Files on this machine, inside the folders that were given at start and nowhere else."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.table.files.file_endings import ending_of
from shoal.web.dependencies import OurSettings
from shoal.web.problem import Refused
from shoal.web.response import PAGE, page_or_json
from shoal.web.settings import Settings

router = APIRouter()
MOST_SHOWN = 500


class Entry(BaseModel):
    """A file or folder that can be chosen."""

    name: str
    path: str
    size: int | None = None  # of a file


class FolderListing(BaseModel):
    """What is inside a folder: more folders, tables, and the way up."""

    folder: int
    folders: list[str]
    path: str
    above: str | None
    inside: list[Entry]
    tables: list[Entry]
    hidden: int


@router.get("/files", response_model=FolderListing, responses=PAGE)
def files(request: Request, settings: OurSettings, folder: int = 0, path: str = "") -> Response:
    """The folders and tables at a place."""
    return page_or_json(request, "files.html", folder_listing(settings, folder, path))


def folder_listing(settings: Settings, folder: int, path: str) -> FolderListing:
    """List a place inside one of the given folders; any other place is refused."""
    root, place = _inside(settings, folder, path)
    try:
        if not place.is_dir():
            raise Refused(404, "there is no such folder", "choose one from the list.")
        found = sorted(
            (entry for entry in place.iterdir() if not entry.name.startswith(".")),
            key=lambda entry: entry.name.lower(),
        )
    except PermissionError:
        raise Refused(403, "this folder cannot be opened", "check its permissions.") from None
    except OSError:
        raise Refused(404, "there is no such folder", "choose one from the list.") from None
    entries = [entry for path in found if (entry := _entry(root, path)) is not None]
    inside = [entry for entry in entries if entry.size is None]
    tables = [entry for entry in entries if entry.size is not None]
    return FolderListing(
        folder=folder,
        folders=[name_text(str(one)) for one in settings.folders],
        path=name_text(_way(root, place)),
        above=None if place == root else name_text(_way(root, place.parent)),
        inside=inside[:MOST_SHOWN],
        tables=tables[:MOST_SHOWN],
        hidden=max(len(inside) - MOST_SHOWN, 0) + max(len(tables) - MOST_SHOWN, 0),
    )


def chosen_file(settings: Settings, folder: int, path: str) -> Path:
    """The file that was chosen; links that lead out of the folder are not followed."""
    _, file = _inside(settings, folder, path)
    try:
        if file.is_file():
            return file
    except PermissionError:
        raise Refused(403, "this file cannot be opened", "check its permissions.") from None
    except OSError:  # a name that is too long
        pass
    raise Refused(404, "there is no such file", "choose one from the list.")


def _inside(settings: Settings, folder: int, path: str) -> tuple[Path, Path]:
    if not 0 <= folder < len(settings.folders):
        raise Refused(404, "there is no such folder", "choose one from the list.")
    root = settings.folders[folder]
    try:
        place = (root / path.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")).resolve()
        inside = place.is_relative_to(root)
    except (OSError, ValueError, RuntimeError):  # too long, or with characters that no path has
        raise Refused(404, "there is no such place", "choose one from the list.") from None
    if not inside:
        raise Refused(
            403, "this place is outside the folders given at start", "start `shoal serve` with its folder."
        )
    return root, place


def _entry(root: Path, path: Path) -> Entry | None:
    """A folder or a table inside the root; None for anything else, and for what is gone meanwhile."""
    try:
        if not path.resolve().is_relative_to(root):
            return None
        is_table = path.is_file() and ending_of(path.name) is not None
        if not is_table and not path.is_dir():
            return None
        size = path.stat().st_size if is_table else None
    except (OSError, RuntimeError):
        return None
    return Entry(name=name_text(path.name), path=name_text(_way(root, path)), size=size)


def _way(root: Path, place: Path) -> str:
    way = place.relative_to(root).as_posix()
    return "" if way == "." else way


def name_text(name: str) -> str:
    """Names that are no text cannot be shown, nor chosen."""
    return name.encode("utf-8", "replace").decode("utf-8")
