"""The private folder with the projects of the page: tables, policies, runs. Nobody else can read it."""

import fcntl
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import ShoalError
from shoal.web.jobs.runner import remove_hidden, remove_unfinished
from shoal.web.problem import Refused
from shoal.web.project import Project

MARK = ".shoal-workspace"
PRIVATE = 0o700
TRIES = 5  # to remove a folder that somebody writes into meanwhile


class Workspace:
    """All projects that were begun. Each is a folder of its own, and goes with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def opened(cls, folder: Path) -> "Workspace":
        """Make the folder, or take it up again: only an empty one, or one that was a workspace before."""
        try:
            folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            if any(folder.iterdir()) and not (folder / MARK).exists():
                raise ShoalError(
                    f"{str(folder)!r} is not empty and not a workspace of shoal", "choose another folder."
                )
            folder.chmod(PRIVATE)
            (folder / MARK).touch(mode=0o600)
        except OSError:
            raise ShoalError(
                f"the workspace {str(folder)!r} cannot be used",
                "choose a folder of your own with --workspace.",
            ) from None
        return cls(folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One server at a time; the lock goes with the process."""
        with (self.folder / MARK).open("r+") as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ShoalError(
                    f"another `shoal serve` is using the workspace {str(self.folder)!r}",
                    "open its address, or choose another folder with --workspace.",
                ) from None
            yield

    def new_project(self, name: str) -> Project:
        folder = self.folder / secrets.token_hex(6)
        folder.mkdir(mode=PRIVATE)
        return Project(folder, name=name)

    def project(self, key: str) -> Project:
        return Project.load(self.folder / key)

    def project_with_table(self, source: str) -> Project | None:
        """The project with the table at this path, if it was begun."""
        return next((project for project in self.all_projects() if project.source == source), None)

    def all_projects(self) -> list[Project]:
        """What was begun last comes first; what cannot be read is not among it."""
        found = []
        for file in self.folder.glob(f"*/{Project.FILE}"):
            with suppress(Refused):
                found.append(Project.load(file.parent))
        return sorted(found, key=lambda project: project.begun_at, reverse=True)

    def forget(self, project: Project) -> None:
        _remove(project.folder)

    def forget_everything(self) -> None:
        """Nothing stays but the mark, which is locked."""
        for path in self.folder.iterdir():
            if path.name != MARK:
                _remove(path)

    def clean_up(self) -> None:
        """After a server that was killed: what was half-written goes, and its jobs are marked."""
        for project in self.all_projects():
            remove_hidden(project.folder)
            for job in project.jobs():
                with suppress(ShoalError):
                    remove_unfinished(job.ended("interrupted").save() if job.under_way else job)
        for folder in self.folder.iterdir():
            if folder.is_dir() and not (folder / Project.FILE).exists():
                _remove(folder)


def _remove(path: Path) -> None:
    """A table is gone once its file is, however long the rest takes. Links are not followed."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    (path / Project.FILE).unlink(missing_ok=True)
    for _ in range(TRIES):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
