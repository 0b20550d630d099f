import re
from pathlib import Path
from typing import Any

import pytest

from shoal.release.opened_release import open_release
from shoal.report.report import make_report
from shoal.web.jobs.job import Job
from shoal.web.jobs.measure_task import measure_task
from tests.web.conftest import BROWSER, PEOPLE, Page
from tests.web.pages.test_run import give_policy, policy, unheard

HOSTILE = PEOPLE.replace("name,age", "name,<script>age</script>", 1)
ROLES = """[columns]
name = "identifier"
"<script>age</script>" = "quasi"
zip = "quasi"
diagnosis = "sensitive"
income = "other"
"""


@pytest.fixture(scope="module")
def run(page: Page) -> str:
    """A run that asked for too much, and then for what works."""
    address = page.begun(HOSTILE, "result.csv")
    give_policy(page, address, policy(l=5, columns=ROLES))
    refused = page.finished(page.post(f"{address}/runs").json()["address"])
    assert refused["state"] == "infeasible"
    assert refused["result"]["changes"][0]["sentence"] in page.get(
        f"{address}/run", headers=BROWSER
    ).text.replace("Ask", "ask")
    job = page.finished(page.post(f"{address}/runs/1/changes/1").json()["address"])
    assert job["state"] == "done"
    return f"{address}/runs/{job['number']}"


@pytest.fixture(scope="module")
def measured(page: Page, run: str, stopped: str) -> dict[str, Any]:
    """Measured here and not by a worker, to give an attack that takes all its time less of it."""
    job = Job.load(page.workspace / stopped.split("/")[2] / "jobs" / stopped.rsplit("/", 1)[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.adversary.attackers.minimality.RUNS", 30)
        result = measure_task(
            job.folder, {"run": int(run.rsplit("/", 1)[1]), "source": job.arguments["source"]}, unheard
        )
    job.ended("done", result=result).save()
    found: dict[str, Any] = page.get(run).json()
    return found


@pytest.fixture(scope="module")
def stopped(page: Page, run: str) -> str:
    """The address of the job that was to measure the run, and was cancelled."""
    address: str = page.get(run).json()["measure"]["address"]
    page.post(f"{address}/cancel")
    assert page.finished(address)["state"] == "cancelled"
    return address


def folder_of(page: Page, run: str) -> Path:
    _, _, key, _, number = run.split("/")
    return page.workspace / key / "jobs" / f"run-{number}"


def test_a_run_says_what_holds_and_what_it_cost(page: Page, run: str) -> None:
    found = page.get(run).json()
    kinds = {verdict["kind"]: verdict["mark"] for verdict in found["verdicts"]}
    assert kinds["k-anonymity"] == kinds["l-diversity"] == "holds"
    assert any(sentence.startswith("Method mondrian") for sentence in found["told"])
    assert any(sentence.startswith("60 of 60 records") for sentence in found["told"])
    assert found["limits"]


def test_rows_before_and_after_stand_class_by_class(page: Page, run: str) -> None:
    rows = page.get(run).json()["rows"]
    assert rows["columns"][0] == "name"
    names = [row[0] for one in rows["classes"] for row in one["rows"]]
    assert all(cell["changed"] and cell["after"] is None for cell in names)
    for one in rows["classes"]:
        assert len(one["rows"]) >= 3
        assert len({row[1]["after"] for row in one["rows"]}) == 1
    assert page.get(run, params={"classes": 1}).json()["rows"]["choice"] == 1


@pytest.mark.usefixtures("stopped")
def test_a_measurement_that_was_stopped_leaves_the_result_as_it_is(page: Page, run: str) -> None:
    shown = page.get(run, headers=BROWSER).text
    assert "k-anonymity" in shown
    assert "Measure again" in shown


@pytest.mark.usefixtures("stopped")
def test_before_anybody_was_simulated_the_page_decides_as_the_command_does(page: Page, run: str) -> None:
    decision = page.get(run).json()["decision"]
    report = make_report(open_release(folder_of(page, run) / "release"))
    assert decision == report.decision.as_dict()
    assert decision["level"] != "safe"
    if not (folder_of(page, run) / "light.html").exists():
        shown = page.get(run, headers=BROWSER).text
        assert decision["headline"] in shown
        assert "Not measured: attackers" in shown


def test_what_was_measured_is_shown_and_written(page: Page, run: str, measured: dict[str, Any]) -> None:
    assert [section["key"] for section in measured["report"]["sections"]][:2] == ["asked", "done"]
    assert {one["column"] for one in measured["losses"]} == {"<script>age</script>", "zip"}
    folder = folder_of(page, run)
    assert (folder / "report.html").stat().st_mode & 0o077 == 0
    assert "For everybody" in (folder / "public.html").read_text()


def test_the_page_is_small_and_has_no_style_or_script_of_its_own(
    page: Page, run: str, measured: dict[str, Any]
) -> None:
    shown = page.get(run, headers=BROWSER).text
    assert measured["report"]["headline"] in shown
    assert "What attackers find" in shown
    assert all(f"{run}/reports/{name}" in shown for name in ("report", "public"))
    assert "<script>age" not in shown
    assert not re.search(r"<style|\sstyle=|\son\w+=", shown)
    assert len(shown.encode()) < 400_000


def test_there_is_no_result_of_what_is_no_run(page: Page, run: str) -> None:
    assert page.get(f"{run.rsplit('/', 1)[0]}/9").status_code == 404
