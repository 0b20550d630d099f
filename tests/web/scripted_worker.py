"""A worker whose tasks do what the table says, line by line: started in the place of the real one.

It is the real worker but for its tasks, so it starts fast, and is as slow or as broken as a test needs it.
"""

import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

from shoal.errors import Infeasible, ShoalError
from shoal.web.jobs import worker

COMMAND = (sys.executable, str(Path(__file__)))


def scripted(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    (folder / ".half-written").mkdir()
    (folder / ".half-written" / "data.csv").write_text("half")
    (folder / "draft.toml").write_text("[columns]\n")
    (folder / "pid").write_text(str(os.getpid()))
    for line in Path(arguments["source"]).read_text().splitlines():
        _do(line, tell)
    return {"rows": 0, "columns": []}


def _do(line: str, tell: Any) -> None:
    match line.split():
        case ["say", "much"]:
            tell("x" * 70 * 1024**2)
        case ["say", *words]:
            tell(" ".join(words), None)
        case ["wait"]:  # until somebody ends it
            time.sleep(600)
        case ["wait", "for", path]:
            while not Path(path).exists():
                time.sleep(0.01)
        case ["compute"]:  # without ever letting another thread run
            sys.setswitchinterval(600)
            tell("computing")
            while True:
                pass
        case ["count", number]:
            for at in range(int(number)):
                tell("counting", at / int(number))
        case ["fail"]:
            raise ShoalError("it is at fault", "mend it.")
        case ["infeasible"]:
            raise Infeasible("nothing satisfies it")
        case ["break"]:
            raise ValueError("a cell of the table")
        case ["memory"]:
            raise MemoryError


def main() -> None:
    tasks: Any = ModuleType("shoal.web.jobs.tasks")
    tasks.TASKS, tasks.warm_up = defaultdict(lambda: scripted), lambda: None
    sys.modules["shoal.web.jobs.tasks"] = tasks
    worker.main()


if __name__ == "__main__":
    main()
