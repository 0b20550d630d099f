import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.web.job_view import step_times
from shoal.web.jobs.failure_diagnosis import FailureDiagnosis
from shoal.web.jobs.job import Job, State, Step
from shoal.web.jobs.run_task import run_task
from shoal.web.project import Project
from tests.web.conftest import BROWSER, PEOPLE, Page

COLUMNS = """[columns]
name = "identifier"
age = "quasi"
zip = "quasi"
diagnosis = "sensitive"
income = "other"
"""
ASKED = """[[guarantees]]
kind = "k-anonymity"
k = {k}
[[guarantees]]
kind = "l-diversity"
l = {l}
sensitive = "diagnosis"
[method]
name = "mondrian"
"""


def policy(k: int = 3, l: int = 2, columns: str = COLUMNS) -> str:
    return columns + ASKED.format(k=k, l=l)


def give_policy(page: Page, address: str, text: str) -> None:
    (page.workspace / address.rsplit("/", 1)[1] / "policy.toml").write_text(text)


def unheard(_: str, __: float | None = None, ___: str = "") -> None:
    """Nobody is told."""


def new_job(folder: Path, text: str) -> dict[str, Any]:
    (folder / "policy.toml").write_text(text)
    (folder / "people.csv").write_text(PEOPLE)
    return {"source": str(folder / "people.csv"), "format": "csv"}


@pytest.fixture(scope="module")
def address(page: Page) -> str:
    return page.begun(name="run.csv")


@contextmanager
def ended_run(page: Page, address: str, state: State) -> Iterator[Path]:
    """The folder of a run that has ended like this, for as long as the block lasts."""
    folder = page.workspace / address.rsplit("/", 1)[1] / "jobs" / "run-9"
    folder.mkdir()
    Job(folder, "run", {"format": "csv"}).ended(state).save()
    yield folder
    shutil.rmtree(folder)


def test_the_page_says_what_will_be_done(page: Page, address: str) -> None:
    give_policy(page, address, policy())
    found = page.get(f"{address}/run").json()
    assert [promise["kind"] for promise in found["promises"]] == ["k-anonymity", "l-diversity"]
    assert "No record may be left out: all 60 are published." in found["plan"]
    assert found["faults"] == found["runs"] == []
    assert "<button>Run</button>" in page.get(f"{address}/run", headers=BROWSER).text


def test_a_column_that_is_derived_need_not_be_in_the_table(page: Page, address: str) -> None:
    derived = '\nmore = "other"\n[prepare.derive]\nmore = "age + 1"\n'
    give_policy(page, address, policy(columns=COLUMNS + derived))
    assert page.get(f"{address}/run").json()["faults"] == []


def test_a_run_that_cannot_go_well_is_refused(page: Page, address: str) -> None:
    runs = f"{address}/runs"
    give_policy(page, address, COLUMNS)
    assert "guarantees" in page.post(runs).json()["faults"][0]["what"]
    give_policy(page, address, policy(columns=COLUMNS.replace("zip", "zap")))
    refused = page.post(runs)
    assert refused.status_code == 400
    assert "column 'zap' is in the policy but not in the table" in refused.json()["faults"][0]["what"]
    assert "'zap'" in page.get(f"{address}/run").json()["faults"][0]["what"]
    give_policy(page, address, policy())
    assert page.post(runs, data={"format": "xlsx"}).status_code == 422
    assert page.post(runs, data={"fromat": "csv"}).status_code == 422
    (page.folder / "run.csv").rename(page.folder / "away.csv")
    assert page.post(runs).json()["faults"][0]["what"] == "the file of this table is gone"
    (page.folder / "away.csv").rename(page.folder / "run.csv")
    assert page.get(f"{address}/run").json()["runs"] == []


def test_a_run_whose_policy_cannot_be_kept_is_no_run(
    page: Page, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ShoalError("the disk is full")

    give_policy(page, address, policy())
    with monkeypatch.context() as patch:
        patch.setattr(Project, "write", full)
        assert page.post(f"{address}/runs").status_code == 400
    assert page.get(f"{address}/run").json()["runs"] == []


def test_too_much_asked_leads_to_changes_that_work(tmp_path: Path) -> None:
    arguments = new_job(tmp_path, policy(l=5))
    with pytest.raises(FailureDiagnosis) as refused:
        run_task(tmp_path, arguments, unheard)
    found = refused.value.result
    assert "5 different values of diagnosis, 3 can be reached" in found["shortfalls"][0]["sentence"]
    assert found["changes"][0]["then"] == 3
    changed = Policy.load(tmp_path / "change-1.toml")
    assert [getattr(asked, "l", None) for asked in changed.guarantees] == [None, 3]
    assert changed.columns == Policy.load(tmp_path / "policy.toml").columns
    assert json.loads(json.dumps(found)) == found
    assert not (tmp_path / "release").exists()


def test_a_k_beyond_the_rows_leads_to_changes_too(tmp_path: Path) -> None:
    with pytest.raises(FailureDiagnosis) as refused:
        run_task(tmp_path, new_job(tmp_path, policy(k=100)), unheard)
    assert refused.value.result["changes"][0]["then"] == 60


def with_visits(people: str) -> str:
    header, *rows = people.splitlines()
    return "\n".join(
        [header, *(f"visitor {row // 3},{line.split(',', 1)[1]}" for row, line in enumerate(rows))]
    )


def with_birth_year(people: str) -> str:
    header, *rows = people.splitlines()
    cells = [row.split(",") for row in rows]
    return "\n".join([header, *(",".join([*row[:4], str(2000 - int(row[1]))]) for row in cells)])


def with_stray_quote(people: str) -> str:
    header, first, *rows = people.splitlines()
    return "\n".join([header, f'"{first}', *rows])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (with_visits, "identifier column 'name' repeats"),
        (with_birth_year, "column 'income' is published as it is and"),
        (with_stray_quote, "is never closed"),
    ],
)
def test_what_the_command_refuses_the_page_refuses(tmp_path: Path, change: Any, said: str) -> None:
    arguments = new_job(tmp_path, policy())
    (tmp_path / "people.csv").write_text(change(PEOPLE))
    with pytest.raises(ShoalError, match=said):
        run_task(tmp_path, arguments, unheard)
    assert not (tmp_path / "release").exists()


def test_a_change_is_only_made_to_the_policy_it_was_found_for(page: Page, address: str) -> None:
    give_policy(page, address, policy(l=4))
    with ended_run(page, address, "infeasible") as folder:
        (folder / "policy.toml").write_text(policy(l=5))
        (folder / "change-1.toml").write_text(policy(l=3))
        assert page.post(f"{address}/runs/9/changes/1").status_code == 409
        assert page.post(f"{address}/runs/9/changes/2").status_code == 404
        assert page.get(f"{address}/run").json()["runs"][0]["state_said"] == "Not possible"


@pytest.mark.parametrize(
    ("state", "says"), [("cancelled", "This was stopped"), ("interrupted", "The server was stopped")]
)
def test_a_run_that_was_stopped_says_so_and_can_be_run_again(
    page: Page, address: str, state: State, says: str
) -> None:
    with ended_run(page, address, state):
        for place in ("run", "runs/9"):
            shown = page.get(f"{address}/{place}", headers=BROWSER).text
            assert says in shown
            assert "Run again" in shown


def test_steps_that_come_again_are_one_with_all_their_time(tmp_path: Path) -> None:
    steps = (Step("reading", 0.0), Step("working", 1.0), Step("compiling", 2.0), Step("working", 5.0))
    job = Job(tmp_path / "1", "run", started_at=100.0, ended_at=106.0, steps=steps)
    taken = {step.told: step.seconds for step in step_times(job)}
    assert taken == {"reading": 1.0, "working": 2.0, "compiling": 3.0}
