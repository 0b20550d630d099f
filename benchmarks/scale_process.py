"""A command with all processes that it starts: how long it takes, and how much memory they hold together."""

import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, perf_counter, sleep

SELDOM = 0.2  # seconds between two looks
PATIENCE = 20.0  # seconds to take away what is half-written
PAGE, TICK = os.sysconf("SC_PAGESIZE"), os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Spent:
    """``peak_bytes`` of all processes together; pages that they share count once for each of them."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int
    in_time: bool
    output: str
    errors: str


def run_watched(command: list[str], limit: float) -> Spent:
    """Run it to its end, or end it after ``limit`` seconds."""
    started, before = perf_counter(), _cpu_of_children()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = _Watcher(process.pid)
    watcher.start()
    in_time = True
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        in_time = False
        output, errors = _ended(process, watcher)
    except BaseException:
        _ended(process, watcher)
        raise
    seconds = perf_counter() - started
    watcher.stop()
    cpu = max(watcher.cpu_seconds, _cpu_of_children() - before)
    return Spent(seconds, cpu, watcher.peak_bytes, process.returncode, in_time, output, errors)


def _cpu_of_children() -> float:
    """Of those that have ended and were waited for: not of the processes that Spark leaves to end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ended(process: "subprocess.Popen[str]", watcher: "_Watcher") -> tuple[str, str]:
    """Asked first, so that nothing is left behind, then made to."""
    process.terminate()
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        for pid in tree_of(watcher.root):
            _kill(pid)
        return process.communicate()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


class _Watcher(Thread):
    """Looks at a tree of processes now and then. A process keeps its own highest mark, so the peak of a
    single one is missed by what it grows after the last look only."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root = root
        self.peak_bytes = 0
        self._cpu: dict[int, float] = {}
        self._over = False

    @property
    def cpu_seconds(self) -> float:
        return sum(self._cpu.values())

    def run(self) -> None:
        while not self._over:
            self.look()
            sleep(SELDOM)

    def look(self) -> None:
        alive = tree_of(self.root)
        held = [_resident(pid) for pid in alive]
        highest = _highest(self.root)
        self.peak_bytes = max(self.peak_bytes, sum(held), highest)
        for pid in alive:
            self._cpu[pid] = max(self._cpu.get(pid, 0.0), _cpu_seconds(pid))

    def stop(self) -> None:
        self._over = True
        self.join()
        until = monotonic() + PATIENCE
        while any(_is_alive(pid) for pid in self._cpu) and monotonic() < until:
            sleep(SELDOM)  # what Spark has started ends a little later


def tree_of(root: int) -> list[int]:
    """A process and all that come from it."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (fields := _stat(int(folder.name))):
            parents[int(folder.name)] = int(fields[1])
    found, more = [root], [root]
    while more:
        more = [pid for pid, parent in parents.items() if parent in more]
        found += more
    return found


def _stat(pid: int) -> list[str]:
    """What follows the name in /proc/PID/stat: state, parent, ..."""
    return _text(pid, "stat").rpartition(")")[2].split()


def _text(pid: int, file: str) -> str:
    try:
        return Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _resident(pid: int) -> int:
    fields = _text(pid, "statm").split()
    return int(fields[1]) * PAGE if fields else 0


def _highest(pid: int) -> int:
    for line in _text(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_seconds(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICK if fields else 0.0


def _is_alive(pid: int) -> bool:
    state = _stat(pid)
    return bool(state) and state[0] != "Z"
