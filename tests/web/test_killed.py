"""A real server: killed in the middle of everything, started again, stopped, and started twice."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from threading import Thread
from typing import Any

import httpx2
import pytest

from shoal.demo.tax_table import tax_table
from shoal.web.jobs.job import Job
from shoal.web.project import Project
from tests.web.test_jobs import lives, until

HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    client: httpx2.Client
    workspace: Path

    def begun(self, table: str) -> str:
        address: str = self.client.post("/tables", data={"path": table}).json()["address"]
        return address

    def state(self, address: str) -> str:
        return str(self.client.get(address).json()["job"]["state"])

    def folder(self, address: str) -> Path:
        """Of the latest look at the table."""
        return max((self.workspace / address.removeprefix("/tables/") / "jobs").glob("profile-*"))

    def worker(self, address: str) -> int:
        file = self.folder(address) / "pid"
        return int(until(lambda: file.is_file() and file.read_text()))

    def children(self) -> list[int]:
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(process) for process in found.split()]

    def stopped(self, by: signal.Signals) -> tuple[int, str]:
        """The exit code, and what it had to say."""
        self.process.send_signal(by)
        told = self.process.communicate(timeout=20)
        return self.process.returncode, "".join(told)


STARTED: list[Served] = []


def command(folder: Path, module: str = "tests.web.scripted_server") -> list[str]:
    return [
        sys.executable, "-m", module, "serve", str(folder / "tables"),
        "--workspace", str(folder / "workspace"), "--no-browser", "--json",
    ]  # fmt: skip


def served(folder: Path, module: str = "tests.web.scripted_server") -> Served:
    process = subprocess.Popen(
        command(folder, module), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE
    )
    assert process.stdout is not None
    told = ""
    while not told.rstrip().endswith("}"):
        line = process.stdout.readline()
        assert line, process.communicate()
        told += line
    base, token = json.loads(told)["address"].split("?token=")
    client = httpx2.Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=20)
    STARTED.append(Served(process, client, folder / "workspace"))
    return STARTED[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Tables that say what their jobs do; whatever a test has started is ended."""
    tables = tmp_path / "tables"
    tables.mkdir()
    for name, script in {"quick": "say one", "waits": "say one\nwait", "computes": "compute"}.items():
        (tables / f"{name}.csv").write_text(script)
    yield tmp_path
    while STARTED:
        server = STARTED.pop()
        server.client.close()
        server.process.kill()
        server.process.communicate()
    for file in tmp_path.rglob("pid"):
        assert not lives(int(file.read_text()))


def test_a_server_that_is_killed_takes_its_workers_along_and_starts_clean(folder: Path) -> None:
    first = served(folder)
    done, waits, computes = (first.begun(f"{name}.csv") for name in ("quick", "waits", "computes"))
    until(lambda: first.state(done) == "done")
    workers = [first.worker(waits), first.worker(computes), *first.children()]
    until(lambda: first.client.get(computes).json()["job"]["steps"][-1]["told"] == "computing")
    half = first.folder(waits) / ".half-written"
    assert half.is_dir()
    (first.workspace / "0123456789ab").mkdir()
    (first.workspace / "0123456789ab" / ".table.csv").write_text("half an upload")

    refused = subprocess.run(command(folder), capture_output=True, text=True, cwd=HERE, timeout=60)
    assert refused.returncode == 2
    assert "another `shoal serve` is using the workspace" in refused.stdout + refused.stderr
    assert first.state(waits) == "running"

    first.process.kill()
    first.process.communicate()
    until(lambda: not any(map(lives, workers)), seconds=5)
    assert half.is_dir()
    assert Job.load(first.folder(waits)).state == "running"

    second = served(folder)
    assert second.state(done) == "done"
    assert [second.state(one) for one in (waits, computes)] == ["interrupted"] * 2
    shown = second.client.get(waits, headers={"accept": "text/html"}).text
    assert "The server was stopped while this was under way" in shown
    assert not list(second.workspace.rglob(".half-written"))
    assert not (second.workspace / "0123456789ab").exists()
    assert {path.parent.name for path in second.workspace.glob(f"*/{Project.FILE}")} == {
        one.removeprefix("/tables/") for one in (done, waits, computes)
    }
    assert (folder / "tables" / "waits.csv").read_text() == "say one\nwait"

    again = second.begun("waits.csv")
    workers = [second.worker(again), *second.children()]
    assert second.stopped(signal.SIGTERM) == (0, "")
    assert not any(map(lives, workers))
    assert Job.load(second.folder(again)).state == "cancelled"
    assert not list(second.workspace.rglob(".half-written"))


def test_control_c_ends_it_cleanly_while_somebody_watches(folder: Path) -> None:
    server = served(folder)
    address = server.begun("waits.csv")
    workers = [server.worker(address), *server.children()]
    told: list[str] = []
    ended: list[BaseException] = []

    def watch() -> None:
        try:
            with server.client.stream("GET", f"{address}/jobs/profile-1/events") as answer:
                told.extend(answer.iter_lines())
        except httpx2.HTTPError as error:
            ended.append(error)

    watcher = Thread(target=watch)
    watcher.start()
    until(lambda: told)
    assert server.stopped(signal.SIGINT) == (0, "")
    watcher.join(20)
    assert not watcher.is_alive()
    assert not any(map(lives, workers))


def test_a_port_that_is_taken_and_a_folder_that_is_no_workspace_are_refused(folder: Path) -> None:
    def refused(*more: str) -> str:
        found = subprocess.run(
            [*command(folder, "shoal"), *more], capture_output=True, text=True, cwd=HERE, timeout=60
        )
        assert found.returncode == 2
        return found.stdout + found.stderr

    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "is taken" in refused("--port", str(taken.getsockname()[1]))
    assert "not empty and not a workspace" in refused("--workspace", str(folder / "tables"))
    assert (folder / "tables" / "quick.csv").is_file()
    assert not (folder / "tables" / ".shoal-workspace").exists()


@pytest.mark.slow
def test_the_real_workers_end_with_their_server_too(folder: Path) -> None:
    from pyarrow import csv

    csv.write_csv(tax_table(500_000), folder / "tables" / "large.csv")
    server = served(folder, "shoal")
    address = server.begun("large.csv")
    until(lambda: server.client.get(address).json()["job"]["steps"])
    workers: Any = server.children()
    assert workers
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.communicate()
    until(lambda: not any(map(lives, workers)), seconds=5)
    again = served(folder, "shoal")
    assert again.state(address) == "interrupted"
    assert again.stopped(signal.SIGHUP) == (0, "")
