from tests.web.conftest import BROWSER, Page


def test_a_table_that_is_chosen_is_looked_at(page: Page) -> None:
    found = page.get(page.begun()).json()
    assert found["rows"] == 60
    assert [column["name"] for column in found["columns"]] == ["name", "age", "zip", "diagnosis", "income"]
    assert found["first_rows"]["rows"][0] == ["Person 0", "20", "10000", "flu", "1000"]


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
    assert "'a'" in job["faults"][0]["what"]


def test_somebody_without_a_table_gets_a_made_up_one(page: Page) -> None:
    assert 'action="/tables/demo"' in page.get("/", headers=BROWSER).text
    address = page.post("/tables/demo").json()["address"]
    assert page.finished(address)["state"] == "done"
    assert page.get(address).json()["way"]["table"] == "tax.csv"
