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
from stat import S_ISDIR, S_ISREG

from shoal.release.integrity.manifest import Manifest
from shoal.version import __version__

WORTH_SECONDS = 0.2
MOST_MARKS = 1000
OTHERS_MAY_WRITE = 0o022
LIBRARIES = ("duckdb", "numpy", "pyarrow", "sqlglot")  # that read, compute and compare


def is_judged(manifest: Manifest) -> bool:
    """Was this very release found to be what it states, by this version?"""
    with suppress(OSError, RuntimeError):
        marks = _marks()
        held = marks.lstat()
        own = S_ISDIR(held.st_mode) and held.st_uid == os.getuid() and not held.st_mode & OTHERS_MAY_WRITE
        return own and S_ISREG((marks / _name(manifest)).lstat().st_mode)
    return False


def remember_judgement(manifest: Manifest) -> None:
    """Nothing is lost where there is no place for the mark."""
    with suppress(OSError, RuntimeError):
        marks = _marks()
        marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = marks / _name(manifest)
        new.touch(mode=0o600)
        others = sorted(set(marks.iterdir()) - {new}, key=lambda mark: mark.stat().st_mtime, reverse=True)
        for oldest in others[MOST_MARKS - 1 :]:
            oldest.unlink()


def remember_long_judgement(manifest: Manifest, seconds: float) -> None:
    """What took long enough to find out to be noticed by who asks."""
    if seconds > WORTH_SECONDS:
        remember_judgement(manifest)


def _marks() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "shoal" / "judged"


def _name(manifest: Manifest) -> str:
    """The name of a judgement, from the manifest that was judged, which may no longer be the one in its
    folder."""
    seen_by = [f"shoal {__version__}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    return hashlib.sha256("\0".join([*seen_by, manifest.fingerprint]).encode()).hexdigest()
