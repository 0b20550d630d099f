"""Releases that were found to be what they state, remembered by their fingerprints.

To find that out takes as long as to verify a release, and each question would wait for it again. So a mark is
kept in the user's own folder for such things: an empty file, named after the manifest and the versions that
looked at it. The manifest holds the fingerprints of all files, which are compared whenever one is opened.
"""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from shoal.release.manifest import FILE_NAME
from shoal.version import __version__

WORTH_SECONDS = 0.2
MOST_MARKS = 1000
OTHERS_MAY_WRITE = 0o022


def is_remembered(folder: Path) -> bool:
    """Was this very release found to be what it states, by this version?"""
    with suppress(OSError, RuntimeError):
        marks = _marks()
        held = marks.stat()
        private = held.st_uid == os.getuid() and not held.st_mode & OTHERS_MAY_WRITE
        return private and (marks / _name(folder)).is_file()
    return False


def remember(folder: Path) -> None:
    """Nothing is lost where there is no place for the mark."""
    with suppress(OSError, RuntimeError):
        marks = _marks()
        marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        (marks / _name(folder)).touch(mode=0o600)
        oldest = sorted(marks.iterdir(), key=lambda mark: mark.stat().st_mtime, reverse=True)[MOST_MARKS:]
        for mark in oldest:
            mark.unlink()


def remember_if_long(folder: Path, seconds: float) -> None:
    """What took long enough to find out to be noticed by who asks."""
    if seconds > WORTH_SECONDS:
        remember(folder)


def _marks() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "shoal" / "judged"


def _name(folder: Path) -> str:
    manifest = (folder / FILE_NAME).read_bytes()
    seen_by = f"shoal {__version__}, duckdb {version('duckdb')}\0".encode()
    return hashlib.sha256(seen_by + manifest).hexdigest()
