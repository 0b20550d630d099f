"""A table's jobs: in which order they come, and that no more of them are opened than are needed."""

from dataclasses import replace
from pathlib import Path

import pytest

from shoal.web.jobs.job import Job
from shoal.web.navigation import current_run
from shoal.web.work import Work
from shoal.web.workspace import Workspace


@pytest.fixture
def work(tmp_path: Path) -> Work:
    found = Workspace.opened(tmp_path / "workspace").new_work("people.csv")
    found.save()
    for state in ("done", "done", "failed"):
        found.new_job("run", {}, policy="[columns]\n").ended(state).save()
    found.new_job("measure", {"run": 1}).ended("done").save()
    return found


def test_jobs_come_with_the_latest_first(work: Work) -> None:
    assert [job.name for job in work.jobs()] == ["measure-1", "run-3", "run-2", "run-1"]
    assert [job.number for job in work.jobs("run")] == work.numbers("run") == [3, 2, 1]
    assert [found and found.name for found in (work.latest("run"), work.latest_done("run"))] == [
        "run-3",
        "run-2",
    ]
    assert (work.latest("compare"), work.latest_done("compare"), work.numbers("compare")) == (None, None, [])


def test_a_job_has_a_copy_of_its_policy(work: Work) -> None:
    assert (work.run(3).folder / "policy.toml").read_text(encoding="utf-8") == "[columns]\n"


def test_the_chosen_run_counts_while_it_has_made_a_release(work: Work) -> None:
    chosen = [current_run(replace(work, chosen=number)) for number in (None, 1, 3, 99)]
    assert [run and run.number for run in chosen] == [2, 1, 2, 2]


def test_what_is_no_job_is_passed_over(work: Work) -> None:
    (work.folder / "jobs" / "run-4").mkdir()  # its number is taken, and it is not there yet
    (work.folder / "jobs" / "run-old").mkdir()
    (work.run(2).folder / Job.FILE).write_text("{", encoding="utf-8")
    latest, done = work.latest("run"), work.latest_done("run")
    assert latest is not None
    assert done is not None
    assert (latest.number, done.number) == (3, 1)
    assert work.new_job("run", {}).number == 5


def test_only_the_files_that_are_needed_are_opened(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    load = Job.load

    def noted(folder: Path) -> Job:
        opened.append(folder.name)
        return load(folder)

    monkeypatch.setattr(Job, "load", noted)
    current_run(replace(work, chosen=1))
    work.numbers("run")
    work.latest_done("measure")
    assert opened == ["run-1", "measure-1"]
