"""A folder that appears whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import ShoalError
from shoal.release import manifest


def refuse_existing(target: Path, force: bool) -> None:
    """An existing target is never touched without --force, and then only if it is a release."""
    if not target.exists() and not target.is_symlink():
        return
    if not force:
        raise ShoalError(f"{str(target)!r} exists", "choose another folder, or add --force.")
    replaceable = target.is_dir() and not target.is_symlink()
    if not replaceable or (any(target.iterdir()) and not (target / manifest.FILE_NAME).is_file()):
        raise ShoalError(
            f"{str(target)!r} exists and is not a release",
            "move it away, or choose another folder.",
        )


@contextmanager
def whole_or_nothing(target: Path, force: bool = False) -> Iterator[Path]:
    """A temporary folder beside the target that takes its place when the block ends well."""
    refuse_existing(target, force)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError:
        raise ShoalError(
            f"cannot write into {str(target.parent)!r}",
            "check that the folder exists and is yours.",
        ) from None
    try:
        yield temporary
        _sync(temporary)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o777 & ~umask)
        _take_place(temporary, target, force)
        _sync(target.parent)
    finally:
        if temporary.exists():
            shutil.rmtree(temporary)


def _take_place(temporary: Path, target: Path, force: bool) -> None:
    refuse_existing(target, force)  # someone else may have been faster
    if not target.exists():
        temporary.rename(target)
        return
    old = temporary.with_name(temporary.name + ".old")
    target.rename(old)
    temporary.rename(target)
    shutil.rmtree(old)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
