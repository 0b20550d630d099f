"""Jobs: a few at once, watched by many, stopped at any moment, and never in between."""

import asyncio
import json
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from shoal.errors import ShoalError
from shoal.web.app import make_app
from shoal.web.jobs.job import Job
from shoal.web.jobs.runner import Runner
from shoal.web.workspace import MARK, Workspace
from tests.web.conftest import BROWSER, PORT, Page, settings_in
from tests.web.raw import BEARER
from tests.web.scripted_worker import COMMAND

NUMBERS = count(1)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page whose workers do what the table says."""
    settings = settings_in(tmp_path_factory.mktemp("scripted"))
    app = make_app(settings, Workspace.opened(settings.workspace))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.web.jobs.process.WORKER", COMMAND)
        with Page(app, base_url=f"http://127.0.0.1:{PORT}", headers=dict([BEARER])) as page:
            page.folder, page.workspace = settings.folders[0], settings.workspace
            yield page


def begun(page: Page, *lines: str) -> str:
    name = f"{next(NUMBERS)}.csv"
    (page.folder / name).write_text("\n".join(lines))
    address: str = page.post("/tables", data={"path": name}).json()["address"]
    return address


def job_of(page: Page, address: str) -> dict[str, Any]:
    found: dict[str, Any] = page.get(address).json()["job"]
    return found


def folder_of(page: Page, address: str) -> Path:
    return page.workspace / address.removeprefix("/tables/") / "jobs" / "profile-1"


def until(holds: Callable[[], Any], seconds: float = 20) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def worker_of(page: Page, address: str) -> int:
    """The process that does the job, once it has begun and written something half."""
    file = folder_of(page, address) / "pid"
    return int(until(lambda: file.is_file() and file.read_text()))


def lives(process: int) -> bool:
    """One that has ended may still be listed, if nobody has waited for it."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def events(page: Page, address: str) -> list[tuple[str, dict[str, Any]]]:
    found = page.get(f"{address}/jobs/profile-1/events")
    assert found.headers["content-type"].startswith("text/event-stream")
    parts = [part.split("\n") for part in found.text.split("\n\n") if part]
    return [(event.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for event, data in parts]


def test_a_job_that_is_cancelled_is_gone_with_all_it_has_begun(scripted: Page) -> None:
    address = begun(scripted, "say reading", "wait")
    process = worker_of(scripted, address)
    assert job_of(scripted, address)["state"] == "running"
    assert (folder_of(scripted, address) / ".half-written").is_dir()
    found = scripted.post(f"{address}/jobs/profile-1/cancel").json()
    assert found["state"] == "cancelled"
    assert not lives(process)
    assert not list(folder_of(scripted, address).glob(".*"))
    assert Job.load(folder_of(scripted, address)).state == "cancelled"
    assert [path.name for path in folder_of(scripted, address).iterdir()] == [Job.FILE]
    assert scripted.post(f"{address}/jobs/profile-1/cancel").json()["state"] == "cancelled"
    led = scripted.post(f"{address}/jobs/profile-1/cancel", headers=BROWSER, follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, address)


def test_a_job_that_is_cancelled_before_it_begins_is_cancelled(tmp_path: Path) -> None:
    folder = tmp_path / "work" / "jobs" / "profile-1"
    folder.mkdir(parents=True)

    async def begun_and_forgotten() -> None:
        runner, job = Runner(1), Job(folder, "profile").save()
        runner.start(job)
        await runner.cancel_project()

    asyncio.run(begun_and_forgotten())
    assert Job.load(folder).state == "cancelled"


def test_a_job_that_is_not_there_has_no_events(scripted: Page) -> None:
    address = begun(scripted, "say reading")
    assert scripted.get(f"{address}/jobs/profile-99/events").status_code == 404


def test_a_computation_that_lets_nobody_in_is_cancelled_too(scripted: Page) -> None:
    address = begun(scripted, "compute")
    process = worker_of(scripted, address)
    until(lambda: job_of(scripted, address)["steps"][-1]["told"] == "computing")
    assert scripted.post(f"{address}/jobs/profile-1/cancel").json()["state"] == "cancelled"
    assert not lives(process)


def test_two_go_at_once_and_the_third_waits(scripted: Page, tmp_path: Path) -> None:
    go = [tmp_path / str(number) for number in range(3)]
    addresses = [begun(scripted, f"wait for {path}") for path in go]
    until(lambda: [job_of(scripted, one)["state"] for one in addresses] == ["running", "running", "waiting"])
    processes = [worker_of(scripted, one) for one in addresses[:2]]
    assert all(map(lives, processes))
    assert len(set(processes)) == 2
    go[1].touch()
    until(lambda: [job_of(scripted, one)["state"] for one in addresses] == ["running", "done", "running"])
    waits = begun(scripted, "say never")
    assert scripted.post(f"{waits}/jobs/profile-1/cancel").json()["state"] == "cancelled"
    assert job_of(scripted, waits)["steps"] == []
    go[0].touch()
    go[2].touch()
    assert [scripted.finished(one)["state"] for one in addresses] == ["done"] * 3


def test_a_worker_that_is_killed_is_a_job_that_failed(scripted: Page) -> None:
    address = begun(scripted, "wait")
    os.kill(worker_of(scripted, address), signal.SIGKILL)
    job = scripted.finished(address)
    assert job["state"] == "failed"
    assert "ended without a word" in job["faults"][0]["what"]
    assert "memory" in job["faults"][0]["hint"]
    assert not list(folder_of(scripted, address).glob(".*"))


def test_a_spare_worker_that_was_killed_is_replaced(scripted: Page) -> None:
    """The second job needs a new one, as the spare of the first is dead."""
    runner = scripted.app.app.state.runner  # type: ignore[attr-defined]
    scripted.finished(begun(scripted, "say one"))
    spare = until(lambda: runner._spare is not None and runner._spare.done() and runner._spare.result())
    os.kill(spare.pid, signal.SIGKILL)
    until(lambda: spare.returncode is not None)
    assert scripted.finished(begun(scripted, "say two"))["state"] == "done"


@pytest.mark.parametrize(
    ("line", "state", "what"),
    [
        ("fail", "failed", "it is at fault"),
        ("infeasible", "infeasible", "nothing satisfies it"),
        ("break", "failed", "ValueError"),
        ("memory", "failed", "not enough memory"),
        ("say much", "failed", "something went wrong"),
    ],
)
def test_whatever_goes_wrong_in_a_job_ends_it_and_says_why(
    scripted: Page, line: str, state: str, what: str
) -> None:
    address = begun(scripted, line)
    job = scripted.finished(address)
    assert job["state"] == state
    assert what in job["faults"][0]["what"]
    assert "a cell" not in str(job)
    assert what in scripted.get(address, headers=BROWSER).text
    assert not list(folder_of(scripted, address).glob(".*"))


def test_watchers_are_told_every_step_and_the_end(scripted: Page, tmp_path: Path) -> None:
    address = begun(scripted, f"wait for {tmp_path / 'go'}", "say one", "count 50", "say two")
    found: list[list[tuple[str, dict[str, Any]]]] = []
    watchers = [Thread(target=lambda: found.append(events(scripted, address))) for _ in range(20)]
    for watcher in watchers:
        watcher.start()
    runner = scripted.app.app.state.runner  # type: ignore[attr-defined]
    until(lambda: sum(map(len, runner._watchers.values())) == len(watchers))
    (tmp_path / "go").touch()
    for watcher in watchers:
        watcher.join(20)
    assert len(found) == len(watchers)
    for told in found:
        assert [event for event, _ in told[:-1]] == ["progress"] * (len(told) - 1)
        assert told[-1][0] == "ended"
        assert [step["told"] for step in told[-1][1]["steps"]][-3:] == ["one", "counting", "two"]
        assert told[-1][1]["state"] == "done"
    assert not runner._watchers


def test_events_of_a_job_that_has_ended_say_so_at_once(scripted: Page) -> None:
    address = begun(scripted, "say one")
    scripted.finished(address)
    [(event, job)] = events(scripted, address)
    assert (event, job["state"]) == ("ended", "done")


def test_a_watcher_that_goes_away_leaves_nothing_behind(scripted: Page) -> None:
    address = begun(scripted, "wait")
    runner = scripted.app.app.state.runner  # type: ignore[attr-defined]
    job = Job.load(folder_of(scripted, address))

    async def look_once() -> None:
        watching = runner.watch(job)
        await anext(watching)
        assert runner._watchers
        await watching.aclose()

    scripted.portal.call(look_once)  # type: ignore[union-attr]
    assert not runner._watchers
    scripted.post(f"{address}/jobs/profile-1/cancel")


def test_what_a_job_has_told_survives_on_disk(scripted: Page) -> None:
    address = begun(scripted, "say one", "say two")
    job = scripted.finished(address)
    kept = Job.load(folder_of(scripted, address))
    assert [step.told for step in kept.steps] == [step["told"] for step in job["steps"]]
    assert [step.told for step in kept.steps][-2:] == ["one", "two"]
    assert kept.state == "done"
    assert stat.S_IMODE((folder_of(scripted, address) / Job.FILE).stat().st_mode) == 0o600


def test_on_a_full_disk_a_job_fails_and_everybody_knows(
    scripted: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    address = begun(scripted, f"wait for {tmp_path / 'go'}", "say one")
    worker_of(scripted, address)

    def full(_: Job) -> Job:
        raise ShoalError("the file cannot be written")

    with monkeypatch.context() as patch:
        patch.setattr(Job, "save", full)
        (tmp_path / "go").touch()
        assert scripted.finished(address)["state"] == "failed"
    job = job_of(scripted, address)
    assert (job["state"], job["faults"][0]["hint"]) == ("failed", "make room on the disk.")
    assert events(scripted, address)[-1][0] == "ended"


def test_what_follows_may_fail_and_the_job_says_so(scripted: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise ShoalError("the file cannot be written")

    runner = scripted.app.app.state.runner  # type: ignore[attr-defined]
    monkeypatch.setattr(runner, "_after", full)
    assert scripted.finished(begun(scripted, "say one"))["state"] == "failed"


def test_a_table_that_is_forgotten_stops_its_jobs_and_leaves_nothing(scripted: Page) -> None:
    address, other = begun(scripted, "wait"), begun(scripted, "wait")
    process, another = worker_of(scripted, address), worker_of(scripted, other)
    table = scripted.folder / scripted.get(address).json()["way"]["table"]
    assert scripted.post(f"{address}/forget").json() == {"address": "/"}
    assert not lives(process)
    assert lives(another)
    assert not folder_of(scripted, address).parent.parent.exists()
    assert scripted.get(address).status_code == 404
    assert scripted.get(f"{address}/jobs/profile-1/events").status_code == 404
    assert table.read_text() == "wait"
    assert job_of(scripted, other)["state"] == "running"


def test_forgetting_everything_leaves_the_mark_and_the_tables_where_they_lie(scripted: Page) -> None:
    addresses = [begun(scripted, "wait") for _ in range(3)]
    processes = [worker_of(scripted, address) for address in addresses[:1]]
    (scripted.workspace / "stray").write_text("x")
    (scripted.workspace / "link").symlink_to(scripted.folder)
    led = scripted.post("/forget", headers=BROWSER, follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, "/")
    assert [path.name for path in scripted.workspace.iterdir()] == [MARK]
    assert not any(map(lives, processes))
    assert all(path.is_file() for path in scripted.folder.iterdir())
    assert len(list(scripted.folder.iterdir())) >= len(addresses)
    assert scripted.get("/").json()["tables"] == []
    assert scripted.finished(begun(scripted, "say again"))["state"] == "done"


def test_files_that_somebody_has_damaged_hide_their_table_only(scripted: Page) -> None:
    sound, damaged = begun(scripted, "say one"), begun(scripted, "say one")
    for address in (sound, damaged):
        scripted.finished(address)
    folder = folder_of(scripted, damaged)
    (folder / Job.FILE).write_text("{")
    assert scripted.get(damaged).json()["job"] is None
    assert scripted.get(f"{damaged}/jobs/profile-1").status_code == 404
    (folder.parent.parent / "work.json").write_text('{"unknown": 1}')
    assert scripted.get(damaged).status_code == 404
    shown = [one["address"] for one in scripted.get("/").json()["tables"]]
    assert sound in shown
    assert damaged not in shown
