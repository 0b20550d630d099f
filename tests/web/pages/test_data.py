import tomllib

import pytest
import xlsxwriter

from tests.web.conftest import BROWSER, INCOMES, PEOPLE, Page


def test_a_table_that_is_chosen_is_looked_at(page: Page) -> None:
    (page.folder / "chosen.csv").write_text(PEOPLE, encoding="utf-8")
    address = page.post("/tables", data={"path": "chosen.csv"}).json()["address"]
    assert page.finished(address)["state"] == "done"
    found = page.get(address).json()
    assert found["rows"] == 60
    assert [column["name"] for column in found["columns"]] == ["name", "age", "zip", "diagnosis", "income"]
    assert found["first_rows"]["rows"][0] == ["Person 0", "20", "10000", "flu", str(INCOMES[0])]


def test_the_page_shows_names_and_cells_as_text_only(page: Page) -> None:
    address = page.begun('"<script>alert(1)</script>",b\n"<b>x</b>",1\n', "hostile.csv")
    shown = page.get(address, headers=BROWSER).text
    assert "<script>alert" not in shown
    assert "<b>x" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_a_table_that_cannot_be_read_says_why(page: Page) -> None:
    (page.folder / "twice.csv").write_text("a,a\n1,2\n")
    address = page.post("/tables", data={"path": "twice.csv"}).json()["address"]
    job = page.finished(address)
    assert job["state"] == "failed"
    assert "at position 1, 2" in job["faults"][0]["what"]


def test_a_table_without_a_line_of_names_is_asked_about(page: Page) -> None:
    rows = "".join(f"Zaphod-{row},{20 + row % 9},town{row % 3}\n" for row in range(30))
    (page.folder / "bare.csv").write_text(rows)
    address = page.post("/tables", data={"path": "bare.csv"}).json()["address"]
    job = page.finished(address)
    assert job["state"] == "failed"
    assert "looks like a row" in job["faults"][0]["what"]
    shown = page.get(address, headers=BROWSER).text
    assert "Zaphod-0" not in shown
    assert 'name="names"' in shown

    page.post(f"{address}/read-again", data={"names": "who, age, town"})
    assert page.finished(address)["state"] == "done"
    found = page.get(address).json()
    assert found["rows"] == 30
    assert [column["name"] for column in found["columns"]] == ["who", "age", "town"]
    page.post(f"{address}/read-again")
    assert page.finished(address)["state"] == "done"
    drafts = page.workspace.rglob(f"{address.rpartition('/')[2]}/jobs/*/draft.toml")
    said = [tomllib.loads(draft.read_text())["reading"] for draft in drafts]
    assert said == [{"names": ["who", "age", "town"]}] * 2


def test_a_workbook_with_several_sheets_asks_which_one_is_meant(page: Page) -> None:
    with xlsxwriter.Workbook(page.folder / "book.xlsx") as book:
        for name in ("old", "new"):
            sheet = book.add_worksheet(name)
            for at, row in enumerate([("who", "age"), *((f"Zaphod-{row}", row) for row in range(20, 60))]):
                sheet.write_row(at, 0, row)
    address = page.post("/tables", data={"path": "book.xlsx"}).json()["address"]
    assert "has 2 sheets: 'old', 'new'" in page.finished(address)["faults"][0]["what"]
    assert 'name="sheet"' in page.get(address, headers=BROWSER).text

    page.post(f"{address}/read-again", data={"sheet": "new"})
    assert page.finished(address)["state"] == "done"
    assert page.get(address).json()["rows"] == 40
    [draft] = page.workspace.rglob(f"{address.rpartition('/')[2]}/jobs/*/draft.toml")
    assert tomllib.loads(draft.read_text())["reading"] == {"sheet": "new"}


def test_somebody_without_a_table_gets_a_made_up_one(page: Page) -> None:
    assert 'action="/tables/demo"' in page.get("/", headers=BROWSER).text
    address = page.post("/tables/demo").json()["address"]
    assert page.finished(address)["state"] == "done"
    assert page.get(address).json()["way"]["table"] == "tax.csv"


def test_a_file_that_is_chosen_again_leads_to_the_same_work(page: Page) -> None:
    address = page.begun(name="again.csv")
    assert page.post("/tables", data={"path": "again.csv"}).json()["address"] == address
    assert page.finished(address)["number"] == 1


def test_a_table_that_could_not_be_read_is_marked_and_can_be_read_again(page: Page) -> None:
    file = page.folder / "mended.csv"
    file.write_text("a,a\n1,2\n")
    address = page.post("/tables", data={"path": "mended.csv"}).json()["address"]
    assert page.finished(address)["state"] == "failed"
    assert page.get("/").json()["tables"][0]["unreadable"]
    assert "was not read" in page.get("/", headers=BROWSER).text
    shown = page.get(address, headers=BROWSER).text
    assert "Choose another table" in shown
    assert f'action="{address}/read-again"' in shown

    assert page.post("/tables", data={"path": "mended.csv"}).json()["address"] == address
    assert page.finished(address) | {"number": 2, "state": "failed"} == page.finished(address)
    file.write_text(PEOPLE)
    assert page.get(address).json()["changed"]
    assert page.post(f"{address}/read-again").json()["address"] == address
    assert page.finished(address)["state"] == "done"
    found = page.get(address).json()
    assert (found["rows"], found["unreadable"], found["changed"]) == (60, False, False)


@pytest.mark.parametrize("path", ["nope", "0123456789ab", "nope/columns", "0123456789AB/runs/x"])
def test_tables_that_are_none_are_not_there(page: Page, path: str) -> None:
    found = page.get(f"/tables/{path}")
    assert found.status_code == 404
    assert found.json()["faults"][0]["what"].startswith("there is no")


def test_what_is_copied_to_a_spreadsheet_does_not_run(page: Page) -> None:
    cells = "\n".join("=1+1,＝2,\u200b@x,-5,plain" for _ in range(3))
    address = page.begun(f"=sum,b,c,d,e\n{cells}\n")
    shown = page.get(address, headers=BROWSER).text
    for risky in ("=1+1", "＝2", "=sum"):
        assert f"<bdi>&#39;{risky}</bdi>" in shown
        assert f"<bdi>{risky}</bdi>" not in shown
    assert "<bdi>&#39;\\u200b@x</bdi>" in shown
    assert "<bdi>-5</bdi>" in shown
