"""All kernels compiled at once, on all cores, for a family of processors.

Each group of tasks is a process of its own: Numba is told as it starts which processor to compile for, and
nothing of that stays in the process that asks.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from shoal.errors import ShoalError
from shoal.kernels.compiled import CORES
from shoal.warm_up.kernel_tasks import task_groups


@dataclass(frozen=True)
class CompiledAhead:
    """Files of machine code by name. Where nothing was compiled, those that were loaded are all that runs
    need: kernels that only kernels call are inside of theirs."""

    loaded: set[str] = field(default_factory=set)
    compiled: set[str] = field(default_factory=set)


def compile_ahead(processor: str, on_task: Callable[[str, float], None]) -> CompiledAhead:
    """Compile what is not there yet. ``on_task`` hears which task is done, and the share of all tasks."""
    groups, finished, files = task_groups(), 0, CompiledAhead()
    total = sum(map(len, groups))

    def run(number: int) -> None:
        nonlocal finished
        for event, name in _events(number, processor):
            if event == "done":
                finished += 1
                on_task(name, finished / total)
            elif event == "loaded":
                files.loaded.add(name)
            else:
                files.compiled.add(name)

    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(run, range(len(groups))))
    return files


def _events(number: int, processor: str) -> Iterator[tuple[str, str]]:
    environment = {**os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-m", "shoal.warm_up.worker", str(number)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as worker:  # noqa: S603
        assert worker.stdout is not None  # noqa: S101
        for line in worker.stdout:
            event, _, name = line.rstrip("\n").partition(" ")
            yield event, name
    if worker.returncode:
        raise ShoalError("kernels could not be compiled", "what went wrong stands above.")
