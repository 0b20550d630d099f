"""Files on this machine, inside the folders that were given at start and nowhere else."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from shoal.table.endings import ending_of
from shoal.web.answer import PAGE, answer
from shoal.web.asked import OurSettings
from shoal.web.problem import Refused
from shoal.web.settings import Settings

router = APIRouter()
MOST_SHOWN = 500


class Entry(BaseModel):
    name: str
    path: str
    size: int | None = None  # of a file


class Listing(BaseModel):
    folder: int
    folders: list[str]
    path: str
    above: str | None
    inside: list[Entry]
    tables: list[Entry]
    hidden: int


@router.get("/files", response_model=Listing, responses=PAGE)
def files(request: Request, settings: OurSettings, folder: int = 0, path: str = "") -> Response:
    """The folders and tables at a place."""
    return answer(request, "files.html", listing(settings, folder, path))


def listing(settings: Settings, folder: int, path: str) -> Listing:
    root, place = _inside(settings, folder, path)
    if not place.is_dir():
        raise Refused(404, "there is no such folder", "choose one from the list.")
    try:
        entries = sorted(
            (entry for entry in place.iterdir() if not entry.name.startswith(".")),
            key=lambda entry: entry.name.lower(),
        )
    except OSError:
        raise Refused(403, "this folder cannot be opened", "check its permissions.") from None
    entries = [entry for entry in entries if _stays(root, entry)]
    inside = [
        Entry(name=_text(entry.name), path=_text(_way(root, entry))) for entry in entries if entry.is_dir()
    ]
    tables = [
        Entry(name=_text(entry.name), path=_text(_way(root, entry)), size=entry.stat().st_size)
        for entry in entries
        if entry.is_file() and ending_of(entry.name)
    ]
    return Listing(
        folder=folder,
        folders=[_text(str(one)) for one in settings.folders],
        path=_text(_way(root, place)),
        above=None if place == root else _text(_way(root, place.parent)),
        inside=inside[:MOST_SHOWN],
        tables=tables[:MOST_SHOWN],
        hidden=max(len(inside) - MOST_SHOWN, 0) + max(len(tables) - MOST_SHOWN, 0),
    )


def chosen_file(settings: Settings, folder: int, path: str) -> Path:
    """The file that was chosen; links that lead out of the folder are not followed."""
    _, file = _inside(settings, folder, path)
    if not file.is_file():
        raise Refused(404, "there is no such file", "choose one from the list.")
    return file


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


def _stays(root: Path, entry: Path) -> bool:
    try:
        return entry.resolve().is_relative_to(root) and (entry.is_dir() or entry.is_file())
    except (OSError, RuntimeError):
        return False


def _way(root: Path, place: Path) -> str:
    way = place.relative_to(root).as_posix()
    return "" if way == "." else way


def _text(name: str) -> str:
    """Names that are no text cannot be shown, nor chosen."""
    return name.encode("utf-8", "replace").decode("utf-8")
