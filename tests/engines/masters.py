"""Spark masters of other kinds than the tests share, and a run on one of them as a process of its own."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

ROOT = Path(__file__).parents[2]
HOME = Path(pyspark.__file__).parent
PATIENCE = 1200.0  # seconds, on a machine that others use as well
Process = subprocess.Popen[bytes]


@contextmanager
def started_on(master: str, table: Path, folder: Path, trouble: str = "none") -> Iterator[Process]:
    """``run_on_master.py``, which publishes a table; ended if it does not end by itself."""
    command = [sys.executable, "-m", "tests.engines.run_on_master", master, str(table), str(folder), trouble]
    with Path(folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def published_on(master: str, table: Path, folder: Path, trouble: str = "none") -> None:
    with started_on(master, table, folder, trouble) as process:
        assert_finished(process, folder)


def assert_finished(process: Process, folder: Path) -> None:
    assert process.wait(PATIENCE) == 0, (folder / "log").read_text()


@contextmanager
def stand_alone(folder: Path, workers: int = 2) -> Iterator[str]:
    """The address of a master on this machine; its workers have one core each and addresses of their own,
    since Spark does not run a task for the second time where it runs already."""
    folder.mkdir()
    started: list[Process] = []
    try:
        started.append(_start(folder / "log-0", "127.0.0.1", "master.Master", "--port", "0"))
        address = said(folder / "log-0", r"(spark://127\.0\.0\.1:\d+)", started[0])
        for number in range(1, workers + 1):
            log, small = folder / f"log-{number}", ("--cores", "1", "--memory", "1g")
            own = ("--work-dir", str(folder / "work"))
            started.append(_start(log, f"127.0.0.{number}", "worker.Worker", *small, *own, address))
        for number in range(1, workers + 1):
            said(folder / f"log-{number}", r"(registered with master)", started[number])
        yield address
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _start(log: Path, host: str, name: str, *more: str) -> Process:
    spark_class, address = str(HOME / "bin" / "spark-class"), ("--host", host, "--webui-port", "0")
    command = [spark_class, f"org.apache.spark.deploy.{name}", *address, *more]
    own = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": host, "SPARK_NO_DAEMONIZE": "1"}
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=file, env=os.environ | own)


def said(log: Path, what: str, process: Process) -> str:
    """What a process has written into a file."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        if log.exists() and (found := re.search(what, log.read_text(errors="replace"))):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace") if log.exists() else "nothing was said")
