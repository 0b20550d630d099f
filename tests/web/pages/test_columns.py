"""Roles and hierarchies, set through the page and kept in the policy."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.web.conftest import BROWSER, Page


@pytest.fixture(scope="module")
def table(page: Page) -> str:
    return page.begun()


def roles(page: Page, table: str) -> list[str]:
    return [column["role"] for column in page.get(f"{table}/columns").json()["columns"]]


def test_guesses_are_marked_until_somebody_decides(page: Page) -> None:
    table = page.begun()
    assert all(column["guessed"] for column in page.get(f"{table}/columns").json()["columns"])
    changed = roles(page, table)
    changed[2] = "sensitive"
    found = page.post(f"{table}/columns", data={"role": changed}).json()["columns"]
    assert [column["guessed"] for column in found] == [True, True, False, True, True]
    assert roles(page, table) == changed
    found = page.post(f"{table}/columns", data={"role": changed, "confirm": "true"}).json()["columns"]
    assert not any(column["guessed"] for column in found)


def test_roles_are_colours_and_words(page: Page, table: str) -> None:
    shown = page.get(f"{table}/columns", headers=BROWSER).text
    assert 'class="role quasi"' in shown
    assert '<option value="quasi" selected>quasi</option>' in shown
    assert "guess" in shown


def test_the_number_of_roles_must_fit(page: Page, table: str) -> None:
    refused = page.post(f"{table}/columns", data={"role": ["quasi"]})
    assert refused.status_code == 400
    assert "5 columns" in refused.json()["faults"][0]["what"]


def test_a_hierarchy_is_looked_at_before_it_is_kept(page: Page, table: str) -> None:
    before = page.get(f"{table}/columns").json()["columns"][1]["hierarchy"]
    found = page.get(f"{table}/columns/1", params={"kind": "intervals", "value": "10, 20"}).json()
    assert found["levels"] == 3
    assert [(node["label"], node["count"]) for node in found["tree"]["children"]] == [
        ("[20, 39]", 40),
        ("[40, 59]", 20),
    ]
    assert page.get(f"{table}/columns").json()["columns"][1]["hierarchy"] == before
    page.post(f"{table}/columns/1", data={"kind": "intervals", "value": "10, 20"})
    assert page.get(f"{table}/columns").json()["columns"][1]["hierarchy"] == "intervals 10, 20"
    page.post(f"{table}/columns/1", data={"kind": "none"})
    assert page.get(f"{table}/columns").json()["columns"][1]["hierarchy"] is None


@pytest.mark.parametrize("value", ["", "x", "0", "5, 7", "nan"])
def test_a_hierarchy_that_cannot_be_built_says_why(page: Page, table: str, value: str) -> None:
    given = {"kind": "intervals", "value": value}
    assert page.get(f"{table}/columns/1", params=given).json()["faults"]
    assert page.post(f"{table}/columns/1", data=given).status_code == 400


def test_a_hierarchy_file_is_taken_from_the_folders_only(page: Page, table: str) -> None:
    (page.folder / "zip.csv").write_text("".join(f"1000{at};100**;*\n" for at in range(7)))
    found = page.get(f"{table}/columns/2", params={"kind": "file", "value": "zip.csv"}).json()
    assert found["tree"]["children"][0]["label"] == "100**"
    for value in ("/etc/passwd", "../workspace/x", "../../../../etc/passwd"):
        refused = page.post(f"{table}/columns/2", data={"kind": "file", "value": value})
        assert refused.status_code in (403, 404)


def test_two_forms_at_once_both_count(page: Page) -> None:
    table = page.begun()
    given = {"kind": "intervals", "value": "10, 20"}
    wanted = ["identifier", "quasi", "quasi", "sensitive", "other"]
    with ThreadPoolExecutor(2) as pool:
        sent = [
            pool.submit(page.post, f"{table}/columns/1", data=given),
            pool.submit(page.post, f"{table}/columns", data={"role": wanted}),
        ]
        assert [one.result().is_success for one in sent] == [True, True]
    assert roles(page, table) == wanted
    assert page.get(f"{table}/columns").json()["columns"][1]["hierarchy"] == "intervals 10, 20"


def test_who_confirms_goes_on_and_leaves_no_guess_behind(page: Page) -> None:
    table = page.begun()
    assert page.get(f"{table}/run").json()["guesses"] == 5
    assert "5 roles are still" in page.get(f"{table}/run", headers=BROWSER).text
    assert "guess" in page.get(f"{table}/guarantee").json()["text"]
    given = {"role": roles(page, table), "confirm": "true"}
    went = page.post(f"{table}/columns", data=given, headers=BROWSER, follow_redirects=False)
    assert went.headers["location"] == f"{table}/guarantee#content"
    assert "guess" not in page.get(f"{table}/guarantee").json()["text"].lower()
    assert page.get(f"{table}/run").json()["guesses"] == 0
    assert "still guesses" not in page.get(f"{table}/run", headers=BROWSER).text


def test_local_dates_are_read_as_their_cells_prove(page: Page) -> None:
    table = page.begun("geboren\n" + "\n".join(f"{day:02}.05.1958" for day in range(1, 29)), "geboren.csv")
    [column] = page.get(f"{table}/columns").json()["columns"]
    assert (column["role"], column["hierarchy"]) == ("quasi", "dates month, quarter, year")


def test_dates_that_may_be_either_say_what_is_to_be_said(page: Page) -> None:
    rows = [f"{day:02}.05.1958,{day}" for day in range(1, 13)]
    table = page.begun("\n".join(["geboren,alter", *rows]), "geboren.csv")
    column = page.get(f"{table}/columns").json()["columns"][0]
    assert (column["role"], column["hierarchy"]) == ("drop", None)
    assert "say in [types] whether the day or the month comes first" in column["why"]


def test_the_hint_is_that_of_the_kind(page: Page, table: str) -> None:
    hints = {
        kind: page.get(f"{table}/columns/1", params={"kind": kind}).json()["hint"]
        for kind in ("mask", "dates")
    }
    assert "right or left" in hints["mask"]
    assert "month" in hints["dates"]
