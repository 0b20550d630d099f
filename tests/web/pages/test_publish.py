"""What can be taken away of a run: what belongs to the release, and what its owner alone may have."""

import hashlib
import json
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from shoal.policy.model.policy import Policy
from shoal.web.jobs.job import Job
from tests.web.conftest import BROWSER, Page
from tests.web.runs import made_run, project_at


@pytest.fixture(scope="module")
def run(page: Page) -> tuple[str, Job]:
    address = page.begun(name='päy "roll".csv')
    job = made_run(page, address)
    return f"{address}/runs/{job.number}", job


def test_the_page_says_what_is_promised_and_what_is_not(page: Page, run: tuple[str, Job]) -> None:
    content = page.get(f"{run[0]}/publish").json()
    manifest = json.loads((run[1].folder / "release" / "manifest.json").read_text())
    written = (run[1].folder / "release" / "manifest.json").read_bytes()
    assert content["fingerprint"] == hashlib.sha256(written).hexdigest()
    assert content["does_not_protect_against"] == manifest["does_not_protect_against"]
    assert [one["mark"] for one in content["verdicts"]] == ["holds"] * len(manifest["verdicts"])
    assert any("diagnosis, income" in one["thing"] for one in content["checklist"])
    assert [file["name"] for file in content["files"]] == ["manifest.json", "data.csv"]
    assert all(report["address"] is None for report in content["reports"])
    shown = page.get(f"{run[0]}/publish", headers=BROWSER).text
    assert "There are no reports: nobody has asked for them." in shown
    assert "Make the reports" in shown
    assert f"<code>{content['fingerprint']}</code>" in shown
    assert "damage, not forgery" in shown
    assert "style=" not in shown


def test_ticks_are_kept_with_the_time(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    first = page.post(f"{address}/checklist", data={"done": ["2"]}).json()["checklist"]
    both = page.post(f"{address}/checklist", data={"done": ["2", "1"]}).json()["checklist"]
    assert [one["ticked_at"] is not None for one in both[:3]] == [True, True, False]
    assert both[1]["ticked_at"] == first[1]["ticked_at"]
    page.post(f"{address.partition('/runs')[0]}/chosen", data={"run": job.number})
    assert page.get(f"{address}/publish").json()["checklist"] == both
    shown = page.get(f"{address}/publish", headers=BROWSER).text
    assert shown.count(" checked>") == 2
    assert "2 of " in shown
    assert (job.folder / "checklist.json").stat().st_mode & 0o077 == 0
    assert page.post(f"{address}/checklist", data={"done": ["99"]}).status_code == 400
    emptied = page.post(f"{address}/checklist").json()["checklist"]
    assert all(one["ticked_at"] is None for one in emptied)


def test_the_page_says_why_reports_are_missing(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    project = project_at(page, address.partition("/runs")[0])
    asked = project.new_job("measure", {"run": job.number, "source": project.source})
    asked.started().ended("cancelled").save()
    assert page.get(f"{address}/publish").json()["not_made"] == "making them was cancelled"
    again = page.post(f"{address}/measure", data={"then": "publish"}, headers=BROWSER, follow_redirects=False)
    assert again.headers["location"] == f"{address}/publish"
    content = page.get(f"{address}/publish").json()
    assert content["not_made"] is None
    page.post(f"{content['measuring']['address']}/cancel")


def test_the_archive_is_the_release_under_the_name_of_the_table(page: Page, run: tuple[str, Job]) -> None:
    found = page.get(f"{run[0]}/release.zip")
    assert "filename*=UTF-8''p%C3%A4y%20%22roll%22%2C%20run%201.zip" in found.headers["content-disposition"]
    with zipfile.ZipFile(BytesIO(found.content)) as archive:
        assert sorted(archive.namelist()) == ["release/data.csv", "release/manifest.json"]
        assert archive.read("release/data.csv") == (run[1].folder / "release" / "data.csv").read_bytes()


def test_files_are_those_of_the_manifest_and_no_others(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    data = page.get(f"{address}/release/data.csv")
    assert data.content == (job.folder / "release" / "data.csv").read_bytes()
    assert data.headers["content-disposition"].startswith("attachment")
    (job.folder / "release" / "beside.txt").write_text("x")
    for name in ("beside.txt", "%2e%2e%2faudit.csv", "..%2Faudit.csv", "../audit.csv", "/etc/passwd"):
        assert page.get(f"{address}/release/{name}").status_code in (404, 405), name
    (job.folder / "release" / "beside.txt").unlink()


def test_the_policy_and_the_owners_link_can_be_taken(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    assert Policy.parse(page.get(f"{address}/policy.toml").text).method.name == "mondrian"
    link = page.get(f"{address}/link.csv")
    assert link.content == (job.folder / "audit.csv").read_bytes()
    assert "PRIVATE" in link.headers["content-disposition"]


def test_reports_can_do_nothing_but_be_read(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    assert page.get(f"{address}/reports/public").status_code == 404
    (job.folder / "public.html").write_text("<p>all is well</p>")
    found = page.get(f"{address}/reports/public")
    assert found.headers["content-security-policy"].endswith("sandbox")
    assert "script-src" not in found.headers["content-security-policy"]
    assert "content-disposition" not in found.headers
    kept = page.get(f"{address}/reports/public", params={"keep": True})
    assert kept.headers["content-disposition"].startswith("attachment")
    assert page.get(f"{address}/reports/audit").status_code == 404
    assert page.get(f"{address}/publish").json()["reports"][1]["address"] == f"{address}/reports/public"


def test_the_commands_that_are_shown_are_those_of_the_shell(
    page: Page, run: tuple[str, Job], tmp_path: Path
) -> None:
    command = page.get(f"{run[0]}/publish").json()["command"]
    words = subprocess.run(
        ["/bin/sh", "-c", f'shoal() {{ printf "%s\\n" "$@"; }}\n{command}'],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    ).stdout.splitlines()
    assert words[:5] == ["run", 'päy "roll".csv', "policy.toml", "-o", "release"]


def test_downloads_are_documented(page: Page) -> None:
    paths = page.get("/openapi.json").json()["paths"]
    archive = paths["/tables/{table}/runs/{number}/release.zip"]["get"]
    assert "application/zip" in archive["responses"]["200"]["content"]
