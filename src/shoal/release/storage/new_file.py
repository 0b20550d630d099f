"""The place of a file that is still to be written."""

from pathlib import Path

from shoal.errors import ShoalError


def refuse_existing(path: Path, force: bool) -> None:
    """Refuse a place without a folder, or one that is taken, unless its file may be replaced."""
    if not path.parent.is_dir():
        raise ShoalError(f"there is no folder {str(path.parent)!r}", "make it, or choose another place.")
    if path.is_dir() or (path.exists() and not force):
        hint = "choose another name." if path.is_dir() else "choose another name, or add --force."
        raise ShoalError(f"{str(path)!r} exists", hint)
