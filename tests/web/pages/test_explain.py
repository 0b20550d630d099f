from shoal.explain.registry import EXPLANATIONS
from tests.web.conftest import BROWSER, Page


def test_everything_is_listed_by_group(page: Page) -> None:
    groups = page.get("/explain").json()["groups"]
    assert [group["title"] for group in groups] == ["Guarantees", "Methods", "Words"]
    assert sum(len(group["explanations"]) for group in groups) == len(EXPLANATIONS)
    assert 'href="/explain/k-anonymity"' in page.get("/explain", headers=BROWSER).text


def test_one_is_told_with_its_example_and_its_source(page: Page) -> None:
    for one in EXPLANATIONS:
        found = page.get(f"/explain/{one.name}").json()
        assert found["protects_not"] == one.protects_not
        assert found["after"]["rows"]
    shown = page.get("/explain/k-anonymity", headers=BROWSER).text
    assert "What it does not protect against" in shown
    assert shown.count("<table>") == 2


def test_what_is_not_explained_is_said_to_be_nowhere(page: Page) -> None:
    answer = page.get("/explain/k-anonimity")
    assert answer.status_code == 404
    assert "k-anonymity" in answer.json()["faults"][0]["hint"]
