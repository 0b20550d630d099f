"""A page to ask, without a browser: the whole application on a workspace of its own."""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from shoal.web.app import make_app
from shoal.web.jobs.follow_up import follow_up_job
from shoal.web.jobs.profile_task import profile_task
from shoal.web.settings import Settings
from shoal.web.workspace import Workspace
from tests.web.quick_worker import COMMAND

TOKEN, PORT = "the-token-of-the-tests", 8000
NUMBERS = count(1)
BROWSER = {"accept": "text/html"}
INCOMES = Random(4).sample(range(1000, 1780, 13), 60)  # which say nothing of ages
PEOPLE = "name,age,zip,diagnosis,income\n" + "\n".join(
    f"Person {row},{20 + row % 40},{10000 + row % 7},{('flu', 'cold', 'cancer')[row % 3]},{INCOMES[row]}"
    for row in range(60)
)


class Page(TestClient):
    """Asks with the token; ``finished`` waits for a job."""

    folder: Path  # tables can be chosen from here
    workspace: Path

    def finished(self, address: str, seconds: float = 60) -> dict[str, Any]:
        """The job at this address, once it has ended."""
        deadline = time.monotonic() + seconds
        while (job := self.get(address).json()["job"])["under_way"]:
            assert time.monotonic() < deadline, f"{address} is still {job['state']}"
            time.sleep(0.1)  # every look is work for the page
        return job

    def begun(self, content: str = PEOPLE, name: str = "") -> str:
        """The address of a table of its own that was chosen and looked at, without a process for that."""
        name = name or f"people-{next(NUMBERS)}.csv"
        (self.folder / name).write_text(content, encoding="utf-8")
        project = replace(Workspace(self.workspace).new_project(name), source=str(self.folder / name))
        project.save()
        job = project.new_job("profile", {"source": project.source, "name": name, "demo": False}).started()
        result = profile_task(job.folder, job.arguments, lambda *_: None)
        follow_up_job(job.ended("done", result=result).save())
        return f"/tables/{project.key}"


def settings_in(folder: Path, **more: Any) -> Settings:
    (folder / "tables").mkdir(exist_ok=True)
    return Settings((folder / "tables",), folder / "workspace", PORT, TOKEN, **more)


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One for all tests, which begin with tables of their own: starting workers takes a while."""
    settings = settings_in(tmp_path_factory.mktemp("page"))
    app = make_app(settings, Workspace.opened(settings.workspace))
    headers = {"authorization": f"Bearer {TOKEN}"}
    with (
        pytest.MonkeyPatch.context() as patch,
        Page(
            app, base_url=f"http://127.0.0.1:{PORT}", headers=headers, raise_server_exceptions=False
        ) as page,
    ):
        patch.setattr("shoal.web.jobs.process.WORKER", COMMAND)
        page.folder, page.workspace = settings.folders[0], settings.workspace
        yield page
