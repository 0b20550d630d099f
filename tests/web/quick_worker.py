"""The real worker, but it loads only what its order needs, and looks as shortly as the other tests do."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from shoal.web.jobs import worker

QUICK_LOOKS = {"shoal.adversary.attackers.minimality.RUNS": 60, "shoal.report.measurements.QUERIES": 3}
COMMAND = (sys.executable, str(Path(__file__)))


class Tasks(dict[str, Any]):
    def __missing__(self, kind: str) -> Any:
        if kind in ("run", "measure"):
            for name, much in QUICK_LOOKS.items():
                module, _, limit = name.rpartition(".")
                setattr(import_module(module), limit, much)
        return getattr(import_module(f"shoal.web.jobs.{kind}_task"), f"{kind}_task")


if __name__ == "__main__":
    tasks: Any = ModuleType("shoal.web.jobs.tasks")
    tasks.TASKS, tasks.warm_up = Tasks(), lambda: None
    sys.modules["shoal.web.jobs.tasks"] = tasks
    worker.main()
