"""A release in the workspace that was changed and sealed again is refused on the page, as by the command."""

import pytest

from tests.release.tampered import seal
from tests.web.conftest import Page
from tests.web.runs import made_run


@pytest.fixture(scope="module")
def tampered(page: Page) -> str:
    address = page.begun(name="tampered.csv")
    job = made_run(page, address)
    data = job.folder / "release" / "data.csv"
    header, *rows = data.read_text().splitlines()
    data.write_text(
        "\n".join([f"{header},name", *(f"{row},Person {place}" for place, row in enumerate(rows))])
    )
    seal(job.folder / "release")
    return f"{address}/runs/{job.number}"


@pytest.mark.parametrize("wanted", ["release.zip", "release/data.csv", "release/manifest.json"])
def test_nothing_of_it_is_handed_out(page: Page, tampered: str, wanted: str) -> None:
    refused = page.get(f"{tampered}/{wanted}")
    assert refused.status_code == 400
    assert "column 'name' is not one that its policy publishes" in refused.json()["faults"][0]["what"]


def test_no_question_is_answered_from_it(page: Page, tampered: str) -> None:
    refused = page.post(f"{tampered}/ask", data={"sql": "select count(*) from data"})
    assert refused.status_code == 400
    assert "does not follow from the files" in refused.json()["faults"][0]["what"]
