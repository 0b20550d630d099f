"""A table's jobs: in which order they come, and that no more of them are opened than are needed."""

from dataclasses import replace
from pathlib import Path

import pytest

from shoal.web.jobs.job import Job
from shoal.web.navigation import current_run
from shoal.web.project import Project
from shoal.web.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Project:
    found = Workspace.opened(tmp_path / "workspace").new_project("people.csv")
    found.save()
    for state in ("done", "done", "failed"):
        found.new_job("run", {}, policy="[columns]\n").ended(state).save()
    found.new_job("measure", {"run": 1}).ended("done").save()
    return found


def test_jobs_come_with_the_latest_first(project: Project) -> None:
    assert [job.name for job in project.jobs()] == ["measure-1", "run-3", "run-2", "run-1"]
    assert [job.number for job in project.jobs("run")] == project.numbers("run") == [3, 2, 1]
    assert [found and found.name for found in (project.latest("run"), project.latest_done("run"))] == [
        "run-3",
        "run-2",
    ]
    assert (project.latest("compare"), project.latest_done("compare"), project.numbers("compare")) == (
        None,
        None,
        [],
    )


def test_a_job_has_a_copy_of_its_policy(project: Project) -> None:
    assert (project.run(3).folder / "policy.toml").read_text(encoding="utf-8") == "[columns]\n"


def test_the_chosen_run_counts_while_it_has_made_a_release(project: Project) -> None:
    chosen = [current_run(replace(project, chosen=number)) for number in (None, 1, 3, 99)]
    assert [run and run.number for run in chosen] == [2, 1, 2, 2]


def test_what_is_no_job_is_passed_over(project: Project) -> None:
    (project.folder / "jobs" / "run-4").mkdir()  # its number is taken, and it is not there yet
    (project.folder / "jobs" / "run-old").mkdir()
    (project.run(2).folder / Job.FILE).write_text("{", encoding="utf-8")
    latest, done = project.latest("run"), project.latest_done("run")
    assert latest is not None
    assert done is not None
    assert (latest.number, done.number) == (3, 1)
    assert project.new_job("run", {}).number == 5


def test_only_the_files_that_are_needed_are_opened(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    load = Job.load

    def noted(folder: Path) -> Job:
        opened.append(folder.name)
        return load(folder)

    monkeypatch.setattr(Job, "load", noted)
    current_run(replace(project, chosen=1))
    project.numbers("run")
    project.latest_done("measure")
    assert opened == ["run-1", "measure-1"]
