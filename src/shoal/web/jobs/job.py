"""A job: what is to be done, how far it is, and what became of it. Every change of state is on disk."""

import json
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from shoal.release.storage.private_file import write_privately

State = Literal["waiting", "running", "done", "infeasible", "failed", "cancelled", "interrupted"]
UNDER_WAY: tuple[State, ...] = ("waiting", "running")


@dataclass(frozen=True)
class Step:
    """Something that a job has told of its progress, and when."""

    told: str
    at: float  # seconds since the job was started


@dataclass(frozen=True)
class Job:
    """Its folder also holds what it makes. It is frozen: a change is a new one, saved over the old."""

    FILE: ClassVar[str] = "job.json"

    folder: Path
    kind: str
    arguments: dict[str, Any] = field(default_factory=dict)
    state: State = "waiting"
    steps: tuple[Step, ...] = ()
    share: float | None = None  # of the step under way, where it knows
    detail: str = ""  # what else is known of it
    asked_at: float = field(default_factory=time.time)
    started_at: float | None = None
    ended_at: float | None = None
    faults: tuple[dict[str, str], ...] = ()
    result: dict[str, Any] | None = None

    @classmethod
    def load(cls, folder: Path) -> "Job":
        content = json.loads((folder / cls.FILE).read_text(encoding="utf-8"))
        steps = tuple(Step(**step) for step in content.pop("steps"))
        return cls(folder, **content | {"steps": steps, "faults": tuple(content["faults"])})

    def save(self) -> "Job":
        """Escaped, so that paths which are no text can be kept too."""
        text = json.dumps({name: value for name, value in asdict(self).items() if name != "folder"})
        write_privately(self.folder / self.FILE, "file", lambda file: file.write(text), not self.under_way)
        return self

    @property
    def name(self) -> str:
        """The job's name, such as ``run-2``: jobs of a kind are counted from 1."""
        return self.folder.name

    @property
    def number(self) -> int:
        return int(self.name.rpartition("-")[2])

    @property
    def key(self) -> tuple[str, str]:
        """The project that the job belongs to, and the job's name."""
        return self.folder.parent.parent.name, self.name

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        if self.started_at is None:
            return 0.0
        return (time.time() if self.ended_at is None else self.ended_at) - self.started_at

    def started(self) -> "Job":
        return replace(self, state="running", started_at=time.time())

    def with_step(self, text: str, share: float | None, detail: str = "") -> "Job":
        """A step that says something new is a new one; else it is only further on."""
        if self.steps and self.steps[-1].told == text:
            return replace(self, share=share, detail=detail)
        return replace(self, steps=(*self.steps, Step(text, self.seconds)), share=share, detail=detail)

    def ended(
        self, state: State, faults: tuple[dict[str, str], ...] = (), result: dict[str, Any] | None = None
    ) -> "Job":
        return replace(
            self, state=state, ended_at=time.time(), share=None, detail="", faults=faults, result=result
        )
