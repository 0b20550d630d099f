"""The text of a policy in a real browser: what is typed is kept, and a page that is stale says so."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import PEOPLE
from tests.web.walk import LONG, Walk, served

POLICY = """[columns]
name = "identifier"
age = "quasi"
zip = "quasi"
diagnosis = "sensitive"
income = "other"

[[guarantees]]
kind = "k-anonymity"
k = 5

[[guarantees]]
kind = "l-diversity"
l = 2
sensitive = "diagnosis"
"""


@pytest.mark.slow
def test_what_is_typed_is_kept_and_not_written_over(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    with served(tmp_path, tmp_path / "workspace") as address:
        walk = Walk(browser, address, "typing")
        page, text = walk.page, walk.page.locator("#text")
        page.get_by_role("button", name="people.csv", exact=True).click()
        page.get_by_role("link", name="Go on: Columns").wait_for(timeout=LONG)
        here = re.sub(r"(/tables/[0-9a-f]+).*", r"\1/guarantee", page.url)
        page.goto(here)
        text.fill(POLICY)
        page.click("nav.way a[href$='/columns']")  # at once
        page.goto(here)
        expect(text).to_have_value(POLICY)

        other = page.context.new_page()
        other.goto(here)
        other.click("#card-1 button:has-text('Remove')")
        expect(other.locator(".card")).to_have_count(1)
        page.click("#card-2 button:has-text('Remove')")
        expect(page.locator("#meanwhile")).to_contain_text("This has changed meanwhile")
        expect(page.locator(".card")).to_have_count(1)

        other.click("text=Undo the last change")
        expect(other.locator(".card")).to_have_count(2)
        text.fill("# typed")
        expect(page.locator("#typed")).to_have_value("# typed")
        expect(text).to_have_value(re.compile("k-anonymity"))
        text.fill(POLICY.replace("k = 5", "k = five"))
        expect(page.locator("#soundness")).to_contain_text("Line 10: k = five")
        expect(page.locator("#typed")).to_have_value("# typed")
