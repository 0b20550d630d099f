"""A table that does not fit into memory goes through the page's jobs by way of the disk."""

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.web.jobs.measure_task import measure_task
from shoal.web.jobs.profile_task import profile_task
from shoal.web.jobs.run_task import run_task
from tests.web.conftest import PEOPLE, Page
from tests.web.runs import K_ANONYMITY, project_at, quiet


@pytest.fixture
def beyond_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("release.engine_choice", "engines.first_look"):
        monkeypatch.setattr(f"shoal.{room}.fits_in_memory", lambda *_: False)


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    """Of jobs in folders beside the table."""
    for job in ("run-1", "profile-1", "measure-1"):
        (tmp_path / job).mkdir()
    (tmp_path / "run-1" / "policy.toml").write_text(K_ANONYMITY)
    (tmp_path / "people.csv").write_text(PEOPLE)
    return {"source": str(tmp_path / "people.csv"), "format": "csv", "name": "people.csv", "run": 1}


@pytest.mark.usefixtures("beyond_memory")
@pytest.mark.parametrize("chosen", ["csv", "parquet"])
def test_a_run_makes_a_release_and_a_decision(tmp_path: Path, arguments: dict[str, Any], chosen: str) -> None:
    folder, steps = tmp_path / "run-1", list[str]()
    run_task(folder, arguments | {"format": chosen}, lambda text, *_: steps.append(text))
    found = json.loads((folder / "result.json").read_text())
    assert found["rows"] == found["published"] == len(PEOPLE.splitlines()) - 1
    assert found["decision"]["headline"]
    assert [verdict["mark"] for verdict in found["verdicts"]] == ["holds", "holds"]
    assert [step for step in steps if ":" not in step][:2] == ["reading", "anonymizing"]
    opened = shoal.open_release(folder / "release")
    verdicts = opened.verify(arguments["source"], folder / "audit.csv")
    assert all(verdict.holds for verdict in verdicts)
    assert sorted(file.name for file in tmp_path.iterdir() if file.name[0] == ".") == []


@pytest.mark.usefixtures("beyond_memory")
def test_a_look_at_the_table_is_of_its_first_rows(
    tmp_path: Path, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.engines.first_look.LOOKED_AT", 20)
    found = profile_task(tmp_path / "profile-1", arguments, quiet)
    assert found["rows"] == 20
    assert "its first 20 rows" in found["beginning"]
    assert "quasi" in (tmp_path / "profile-1" / "draft.toml").read_text()


@pytest.mark.usefixtures("beyond_memory")
def test_what_needs_the_table_in_memory_says_so(tmp_path: Path, arguments: dict[str, Any]) -> None:
    run_task(tmp_path / "run-1", arguments, quiet)
    with pytest.raises(shoal.ShoalError, match="does not fit into memory"):
        measure_task(tmp_path / "measure-1", arguments, quiet)


def test_the_page_of_a_run_beyond_memory_shows_what_there_is(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = page.begun(name="beyond.csv")
    project = project_at(page, address)
    project.write(project.policy_file.name, K_ANONYMITY)
    job = project.new_job("run", {"source": project.source, "format": "csv"})
    project.write(f"jobs/{job.name}/policy.toml", K_ANONYMITY)
    with monkeypatch.context() as patch:
        patch.setattr("shoal.release.engine_choice.fits_in_memory", lambda *_: False)
        job.started().ended("done", result=run_task(job.folder, job.arguments, quiet)).save()
    shown = page.get(f"{address}/runs/{job.number}")
    assert shown.status_code == 200
    assert shown.json()["rows"] is None
    assert [one["mark"] for one in shown.json()["verdicts"]] == ["holds", "holds"]
    assert page.get(f"{address}/runs/{job.number}/publish").status_code == 200
