"""A folder that appears whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, Manifest
from shoal.release.integrity.release_files import names_in
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.release.storage.private_file import sweep_private


def refuse_existing(target: Path, force: bool) -> None:
    """An existing target is never touched without --force, and then only if it is a release."""
    if not target.exists() and not target.is_symlink():
        return
    if not force:
        raise ShoalError(f"{str(target)!r} exists", "choose another folder, or add --force.")
    if not _holds_only_a_release(target):
        raise ShoalError(
            f"{str(target)!r} exists and is not a release, or not only that",
            "move it away, or choose another folder.",
        )


def _holds_only_a_release(target: Path) -> bool:
    """Nothing is lost by replacing it: an empty folder, or a release and no file besides."""
    if target.is_symlink() or not target.is_dir():
        return False
    if not any(target.iterdir()):
        return True
    try:
        files = Manifest.load(target).files
        return names_in(target, files) <= {FILE_NAME, SIGNATURE, *files}
    except ShoalError:
        return False


@contextmanager
def atomic_folder(target: Path, force: bool = False) -> Iterator[Path]:
    """A temporary folder beside the target that takes its place when the block ends well."""
    refuse_existing(target, force)
    sweep_private(target.parent)
    with hidden_folder(target.parent, target.name) as temporary:
        try:
            yield temporary
            for path in (temporary, *temporary.rglob("*")):
                sync(path)
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o777 & ~umask)
            _take_place(temporary, target, force)
        except OSError as error:
            raise write_error(error, temporary, target) from None
        with suppress(OSError):  # it is there
            sync(target.parent)


def write_error(error: OSError, temporary: Path, target: Path) -> ShoalError:
    """The error for a target that could not be written, or for another file that was needed for it."""
    why, file = error.strerror or type(error).__name__, error.filename
    if isinstance(file, str | os.PathLike) and not {temporary, target} & {Path(file), *Path(file).parents}:
        return ShoalError(f"{os.fspath(file)!r} cannot be used: {why}", "check the file, or give another.")
    hint = "make room on the disk, or choose another place."
    return ShoalError(f"{str(target)!r} cannot be written: {why}", hint)


def _take_place(temporary: Path, target: Path, force: bool) -> None:
    refuse_existing(target, force)  # someone else may have been faster
    if not target.exists():
        temporary.rename(target)
        return
    old = temporary.with_name(temporary.name + ".old")
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    with suppress(OSError):
        old.rename(temporary)  # which is taken away, by the next run if need be


def sync(path: Path) -> None:
    """See a file or a folder safely onto the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
