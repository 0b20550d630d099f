"""The folder of a release, written whole or not at all, with the owner's files beside it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from os import PathLike
from pathlib import Path
from time import perf_counter

from shoal.errors import ShoalError
from shoal.progress import Step, unwatched
from shoal.release.integrity.signature import check_signing_key
from shoal.release.storage.atomic_folder import atomic_folder, refuse_existing
from shoal.release.storage.audit import refuse_existing_audit
from shoal.release.storage.private_file import refuse_inside
from shoal.release.storage.recoding_file import refuse_existing_recoding
from shoal.release.stored_release import StoredRelease
from shoal.table.files.data_file import FORMATS
from shoal.table.read import refuse_odd_name

FilePath = str | PathLike[str]


def write_folder(
    target: FilePath,
    format: str,
    store: Callable[[Path], StoredRelease],
    audit: FilePath | None = None,
    force: bool = False,
    sign: FilePath | None = None,
    on_step: Step = unwatched,
    recoding: FilePath | None = None,
    save_recoding: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> StoredRelease:
    """``store`` verifies rows in the data file that it is given; the manifest comes last. A private key to
    ``sign`` with signs it. The owner's link and recoding take their places with the folder."""
    folder, audit_file = Path(target).absolute(), None if audit is None else Path(audit)
    check_targets(folder, format, audit_file, force, None if recoding is None else Path(recoding), sign)
    with ExitStack() as private, atomic_folder(folder, force) as temporary:
        release = store(temporary / f"data.{format}")
        started = perf_counter()
        private.enter_context(release.audit(audit_file, force))
        private.enter_context(save_recoding())
        release.complete(temporary, on_step, sign)
        release.seconds["write"] = release.seconds.get("write", 0.0) + perf_counter() - started
    return release


def check_targets(
    folder: Path,
    format: str,
    audit: Path | None,
    force: bool,
    recoding: Path | None = None,
    sign: FilePath | None = None,
) -> None:
    """What can be known to go wrong with writing, before any work is done."""
    if format not in FORMATS:
        raise ShoalError(f"there is no format {format!r}", f"choose {' or '.join(FORMATS)}.")
    refuse_odd_name(folder)
    if not folder.parent.is_dir():
        raise ShoalError(f"there is no folder {str(folder.parent)!r}", "make it, or choose another place.")
    refuse_existing(folder, force)
    if audit is not None:
        refuse_inside(folder, audit, "audit file")
        refuse_existing_audit(audit, force)
    if recoding is not None:
        refuse_inside(folder, recoding, "recoding file")
        refuse_existing_recoding(recoding, force)
        if audit is not None and audit.resolve() == recoding.resolve():
            raise ShoalError("audit and recoding would be one file", "choose another name for one of them.")
    if sign is not None:
        check_signing_key(sign)
