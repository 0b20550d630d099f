"""What was tried and made, side by side; and taking one of them."""

from typing import Any

import pytest

from shoal.policy.model.policy import Policy
from tests.web.conftest import BROWSER, Page
from tests.web.runs import K_ANONYMITY, made_run, project_at


def compared(page: Page, address: str) -> dict[str, Any] | None:
    """Wait until nothing is left to compare; what went wrong, if anything has."""
    while (job := page.get(f"{address}/compare").json()["job"]) and job["under_way"]:
        page.finished(job["address"])
    return job


@pytest.fixture(scope="module")
def table(page: Page) -> str:
    """A table with a run, and a comparison of four variants."""
    address = page.begun(name="compared.csv")
    made_run(page, address)
    compared(page, address)
    tried = page.post(
        f"{address}/compare", data={"k": "2, 3", "suppression": "0,0.1", "methods": ["mondrian"]}
    )
    assert tried.status_code == 200, tried.text
    compared(page, address)
    return address


@pytest.mark.long
def test_runs_and_variants_stand_side_by_side(page: Page, table: str) -> None:
    content = page.get(f"{table}/compare").json()
    assert content["job"] is None
    assert [row["run"] for row in content["rows"]] == [None] * 4 + [1]
    assert [(row["k"], row["suppression"]) for row in content["rows"][:4]] == [
        (2, 0),
        (2, 0.1),
        (3, 0),
        (3, 0.1),
    ]
    assert {"mondrian", "optimal"} <= set(content["methods"])
    made, same = content["rows"][4], content["rows"][2]
    assert (made["method"], made["k"]) == (same["method"], same["k"])
    assert made["loss"] == pytest.approx(same["loss"], rel=0.5)  # ties are broken at random
    assert [row["as_written"] for row in content["rows"]] == [False, False, True, True, True]
    best = content["rows"][content["recommended"]]
    assert best["as_written"]
    assert best["loss"] == min(row["loss"] for row in content["rows"] if row["as_written"])


def test_the_page_draws_them(page: Page, table: str) -> None:
    shown = page.get(f"{table}/compare", headers=BROWSER).text
    assert "<svg" in shown
    assert "Recommended: " in shown
    assert "promises less than the policy" in shown
    assert "style=" not in shown


def test_a_run_is_chosen(page: Page, table: str) -> None:
    found = page.post(f"{table}/chosen", data={"run": 1}).json()
    assert found == {"run": 1, "address": f"{table}/runs/1/publish"}
    assert project_at(page, table).chosen == 1
    assert page.get(f"{table}/compare").json()["chosen"] == 1
    assert page.post(f"{table}/chosen", data={"run": 9}).status_code == 404
    assert page.post(f"{table}/chosen", data={"run": 1, "sure": "yes"}).status_code == 422


def test_a_problem_leads_back_to_the_form(page: Page, table: str) -> None:
    home = str(page.base_url)
    for referer, leads in ((home, True), ("http://elsewhere.example", False), (f"{home}/", False)):
        shown = page.post(
            f"{table}/compare",
            data={"k": "5, zwanzig", "methods": ["mondrian"]},
            headers=BROWSER | {"referer": f"{referer}{table}/compare"},
        )
        assert shown.status_code == 400
        assert (f'href="{table}/compare">Go back<' in shown.text) == leads
        assert ('aria-label="Steps"' in shown.text) == leads
        assert "elsewhere" not in shown.text


@pytest.mark.parametrize(
    "asked",
    [
        {"k": "1", "methods": ["mondrian"]},
        {"k": "2,x", "methods": ["mondrian"]},
        {"suppression": "2", "methods": ["mondrian"]},
        {"suppression": "nan", "methods": ["mondrian"]},
        {"k": "2"},
    ],
)
def test_values_that_make_no_sense_are_refused(page: Page, table: str, asked: dict[str, str]) -> None:
    assert page.post(f"{table}/compare", data=asked).status_code == 400


@pytest.mark.slow
def test_a_variant_that_is_taken_becomes_the_policy_and_runs(page: Page, table: str) -> None:
    before = page.get(f"{table}/compare").json()["rows"]
    row = before[1]
    job = page.post(f"{table}/compare/taken", data={"job": row["job"], "place": row["place"]}).json()
    project = project_at(page, table)
    policy = Policy.load(project.policy_file)
    assert (policy.guarantees[0].k, policy.method.name, policy.method.suppression) == (2, "mondrian", 0.1)
    assert page.finished(job["address"])["state"] == "done"
    compared(page, table)
    rows = page.get(f"{table}/compare").json()["rows"]
    assert [row["run"] for row in rows] == [job["number"], None, None, None, None, 1]
    assert all(row["as_written"] for row in rows)  # all promise k = 2, or more
    assert rows[0]["loss"] == pytest.approx(rows[2]["loss"], rel=0.5)  # ties are broken at random
    assert page.post(f"{table}/compare/taken", data={"job": row["job"], "place": 99}).status_code == 404


@pytest.mark.slow
def test_rows_of_an_earlier_policy_are_set_apart_and_can_be_cleared(page: Page, table: str) -> None:
    project = project_at(page, table)
    project.write(project.policy_file.name, K_ANONYMITY.replace('income = "other"', 'income = "sensitive"'))
    compared(page, table)
    content = page.get(f"{table}/compare").json()
    assert content["rows"]
    assert all(row["earlier"] and not row["frontier"] for row in content["rows"])
    assert (content["chart"], content["recommended"]) == (None, None)
    assert content["reason"].startswith("Nothing was tried or run for the policy as it is now")
    assert "for an earlier policy</summary>" in page.get(f"{table}/compare", headers=BROWSER).text
    assert page.post(f"{table}/compare/cleared").json()["cleared"] == len(project.jobs("compare")) + 3
    project.write(project.policy_file.name, K_ANONYMITY)
    compared(page, table)
    content = page.get(f"{table}/compare").json()
    assert {row["run"] for row in content["rows"]} == {1, 2}
    assert content["only_runs"] == "Nothing was tried besides the runs: try several below."
    assert not content["clearable"]


def test_a_policy_at_fault_says_why(page: Page, table: str) -> None:
    project = project_at(page, table)
    for text, what in ((K_ANONYMITY.replace('"quasi"', '"other"'), "quasi"), ("[columns", "TOML")):
        project.write(project.policy_file.name, text)
        content = page.get(f"{table}/compare").json()
        assert what in content["faults"][0]["what"]
        assert content["rows"]  # what was found before stays
        assert page.post(f"{table}/compare", data={"methods": ["mondrian"]}).status_code == 400
