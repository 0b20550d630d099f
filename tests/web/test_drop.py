"""A file dropped on the first page, in a real browser: sent and begun with, or refused in plain sight."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.walk import served

DROP = """([names, place]) => {
  const dropped = new DataTransfer();
  names.forEach((name) => dropped.items.add(new File(["a,b\\n1,2\\n"], name)));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: dropped });
    document.querySelector(place).dispatchEvent(event);
  }
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("drop")
    (folder / "tables").mkdir()
    with served(folder / "tables", Path(folder / "workspace")) as address:
        page = browser.new_context().new_page()
        page.goto(address)
        page.wait_for_url(f"{address.partition('/?')[0]}/")
        yield page


@pytest.mark.parametrize(
    ("names", "words"), [(["notes.docx"], "Save it as CSV"), (["a.csv", "b.csv"], "one table at a time")]
)
def test_what_is_refused_is_said_in_an_alert(page: Page, names: list[str], words: str) -> None:
    page.evaluate(DROP, [names, "[data-upload]"])
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_a_table_is_begun_with_wherever_it_is_dropped(page: Page) -> None:
    page.evaluate(DROP, [["dropped.csv"], "h1"])
    page.wait_for_url("**/tables/*")
    expect(page.get_by_text("dropped.csv", exact=True)).to_be_visible()
