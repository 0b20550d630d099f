"""A table that is being worked on: where it lies, its policy, and the jobs that were done for it."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from shoal.release.storage.private_file import write_privately
from shoal.web.jobs.job import UNDER_WAY, Job
from shoal.web.problem import Refused


@dataclass(frozen=True)
class Project:
    """One folder: ``work.json``, the policy, an uploaded table, ``jobs/profile-1``, ``jobs/run-1``..."""

    FILE: ClassVar[str] = "work.json"  # as workspaces have it

    folder: Path
    name: str  # of the table, as the owner knows it
    source: str = ""  # the table's path; one that was uploaded lies in the folder
    begun_at: float = field(default_factory=time.time)
    chosen: int | None = None  # the run to publish
    roots: tuple[Path, ...] = ()  # folders that files may be taken from; told anew at every start

    @classmethod
    def load(cls, folder: Path) -> "Project":
        try:
            return cls(folder, **json.loads((folder / cls.FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            raise Refused(404, "there is no such table here", "choose it again on the first page.") from None

    def save(self) -> None:
        content = {name: value for name, value in asdict(self).items() if name not in ("folder", "roots")}
        self.write(self.FILE, json.dumps(content))

    @property
    def key(self) -> str:
        return self.folder.name

    @property
    def table(self) -> Path:
        return Path(self.source)

    @property
    def policy_file(self) -> Path:
        return self.folder / "policy.toml"

    def write(self, name: str, text: str) -> None:
        write_privately(self.folder / name, "file", lambda file: file.write(text))

    def read_json(self, name: str) -> Any | None:
        """The content of a file of ours; None while it is not there."""
        path = self.folder / name
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def decided(self) -> set[str]:
        """Columns whose role somebody has given or confirmed."""
        return set(self.read_json("decided.json") or [])

    def decide(self, columns: list[str]) -> None:
        if columns:
            self.write("decided.json", json.dumps(sorted({*self.decided(), *columns}), ensure_ascii=False))

    def unreadable(self) -> bool:
        """Has the latest look at the table come to nothing?"""
        latest = self.latest("profile")
        return latest is not None and latest.state not in ("done", *UNDER_WAY)

    def new_job(self, kind: str, arguments: dict[str, Any], policy: str | None = None) -> Job:
        """The next number is whoever's makes its folder first. It is there once all it needs is, a copy of
        the policy included."""
        if not (self.folder / self.FILE).is_file():
            raise Refused(404, "this table was forgotten meanwhile", "choose it again on the first page.")
        (self.folder / "jobs").mkdir(mode=0o700, exist_ok=True)
        number = max(self.numbers(kind), default=0) + 1
        while True:
            folder = self.folder / "jobs" / f"{kind}-{number}"
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                number += 1
                continue
            if policy is not None:
                self.write(f"jobs/{folder.name}/{self.policy_file.name}", policy)
            return Job(folder, kind, arguments).save()

    def jobs(self, kind: str = "*") -> list[Job]:
        """The latest first; jobs of other kinds are not opened."""
        files = (self.folder / "jobs").glob(f"{kind}-*/{Job.FILE}")
        found = [job for file in files if (job := _loaded(file.parent)) is not None]
        return sorted(found, key=lambda job: (-job.asked_at, -job.number))

    def numbers(self, kind: str) -> list[int]:
        """Numbers of all jobs of a kind, the latest first; none of them is opened."""
        ends = (folder.name.rpartition("-")[2] for folder in (self.folder / "jobs").glob(f"{kind}-*"))
        return sorted((int(end) for end in ends if end.isdecimal()), reverse=True)

    def job(self, name: str) -> Job:
        job = _loaded(self.folder / "jobs" / name)
        if job is None:
            raise Refused(404, "there is no such job of this table", "see the list of its runs.")
        return job

    def run(self, number: int) -> Job:
        return self.job(f"run-{number}")

    def latest(self, kind: str) -> Job | None:
        return next(self._newest_first(kind), None)

    def latest_done(self, kind: str) -> Job | None:
        """The latest that has made something."""
        return next((job for job in self._newest_first(kind) if job.state == "done"), None)

    def _newest_first(self, kind: str) -> Iterator[Job]:
        """Opened one by one: whoever has found what is needed stops."""
        for number in self.numbers(kind):
            if (job := _loaded(self.folder / "jobs" / f"{kind}-{number}")) is not None:
                yield job


def _loaded(folder: Path) -> Job | None:
    """None where it is being forgotten, or somebody has been at its file."""
    try:
        return Job.load(folder)
    except (OSError, ValueError, TypeError, KeyError):
        return None
