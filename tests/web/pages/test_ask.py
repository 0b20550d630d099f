"""Questions to a release: answered as the command answers, refused with a fault, never with more."""

import json

import pytest

from shoal.release.opened_release import open_release
from shoal.web.jobs.job import Job
from tests.web.conftest import BROWSER, Page
from tests.web.runs import made_run


@pytest.fixture(scope="module")
def run(page: Page) -> tuple[str, Job]:
    address = page.begun(name="asked.csv")
    job = made_run(page, address)
    return f"{address}/runs/{job.number}/ask", job


def test_a_question_is_answered_as_the_command_answers(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    sql = "select diagnosis, count(*), avg(age) from data group by diagnosis"
    found = page.post(address, data={"sql": f"{sql};"})
    assert found.status_code == 200
    expected = open_release(job.folder / "release").query(sql).as_dict()
    assert found.json() == json.loads(json.dumps(expected))


def test_the_page_draws_what_it_answers_and_remembers_it(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    shown = page.post(address, data={"sql": "select sum(age) from data"}, headers=BROWSER).text
    assert "<svg" in shown
    assert 'id="answer"' in shown
    content = page.get(address).json()
    assert content["history"][0]["sql"] == "select sum(age) from data"
    assert content["exact"] == ["diagnosis", "income"]
    assert content["bounded"] == ["age", "zip"]
    assert (job.folder / "questions.json").stat().st_mode & 0o077 == 0


def test_every_example_is_answered(page: Page, run: tuple[str, Job]) -> None:
    address, _ = run
    examples = page.get(address).json()["examples"]
    assert len(examples) == 3
    for sql in examples:
        assert page.post(address, data={"sql": sql}).status_code == 200, sql


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select count(*) from '/etc/passwd'",
        "copy data to '/tmp/out.csv'",
        "attach '/tmp/x.db'",
        "install httpfs",
        "pragma database_list",
        "select count(*) from data; drop table data",
        "select * from data",
        "select count(*) from data where read_text('/etc/passwd') = ''",
        "\x00",
        "",
        "(" * 3000,
        "select <script>alert(1)</script>",
    ],
)
def test_what_is_no_question_is_refused(page: Page, run: tuple[str, Job], sql: str) -> None:
    found = page.post(run[0], data={"sql": sql})
    assert found.status_code == 400, found.text
    assert found.json()["faults"][0]["what"]
    shown = page.post(run[0], data={"sql": sql}, headers=BROWSER)
    assert shown.status_code == 400
    assert 'class="faults"' in shown.text
    assert "<script>alert" not in shown.text


def test_unknown_fields_and_runs_are_refused(page: Page, run: tuple[str, Job]) -> None:
    assert page.post(run[0], data={"sq": "select 1"}).status_code == 422
    other = run[0].replace("/runs/1", "/runs/2")
    assert page.get(other).status_code == 404


def test_a_page_that_is_looked_at_again_does_not_ask_again(page: Page, run: tuple[str, Job]) -> None:
    address, job = run
    sql = "select max(age) from data"
    found = page.post(address, data={"sql": sql}, headers=BROWSER, follow_redirects=False)
    assert found.status_code == 303
    there = found.headers["location"]
    (job.folder / "release").rename(job.folder / "away")
    try:
        (job.folder / "release").mkdir()
        (job.folder / "away" / "manifest.json").rename(job.folder / "release" / "manifest.json")
        content = page.get(there).json()  # from what was kept: the data is gone
    finally:
        (job.folder / "release" / "manifest.json").rename(job.folder / "away" / "manifest.json")
        (job.folder / "release").rmdir()
        (job.folder / "away").rename(job.folder / "release")
    assert content["sql"] == sql
    assert content["answer"]["table"]["head"] == ["max(age)", "hits"]
    assert content["history"][0]["kept"]
    assert "Hits: how many" in page.get(there, headers=BROWSER).text
    assert page.get(f"{address}?question=999").json()["answer"] is None
    assert all(file.stat().st_mode & 0o077 == 0 for file in (job.folder / "answers").iterdir())
