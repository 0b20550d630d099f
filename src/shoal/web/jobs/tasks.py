"""What workers can do. A task gets the folder of its job, its arguments and somebody to tell how it goes;
what it returns becomes the job's result: plain values, and small."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from shoal.web.jobs.compare_task import compare_task
from shoal.web.jobs.measure_task import measure_task
from shoal.web.jobs.profile_task import profile_task
from shoal.web.jobs.run_task import run_task


class Tell(Protocol):
    """A step, the share of it that is done, and what else is known of it."""

    def __call__(self, text: str, share: float | None = None, detail: str = "", /) -> None: ...


Task = Callable[[Path, dict[str, Any], Tell], dict[str, Any]]
TASKS: dict[str, Task] = {
    "profile": profile_task,
    "run": run_task,
    "measure": measure_task,
    "compare": compare_task,
}


def warm_up() -> None:
    """Load what every run needs, while the process waits for its order."""
    from shoal.kernels.keyed_hash import Purpose, hash_rows, seeded_key

    hash_rows(seeded_key(0), Purpose.TIES, 1)
