"""The page in a real browser: nothing is fetched, nothing complains, and it can be read everywhere."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from shoal.report.measurements import measure
from shoal.report.report import report_on
from shoal.report.report_file import write_report
from tests.report.reported import Risk, Utility, people, policy, released

ENOUGH = 4.5  # contrast of text and what is behind it, as WCAG 2.2 asks for
SCHEMES = [("light", "screen"), ("dark", "screen"), ("light", "print"), ("dark", "print")]
CONTRAST = """
() => {
  const shown = name => {
    const probe = document.createElement('i');
    probe.style.color = name;
    document.body.append(probe);
    const found = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    probe.remove();
    return found;
  };
  const light = rgb => rgb.map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const found = {};
  for (const ink of ['ink', 'quiet', 'good', 'watch', 'bad', 'accent'])
    for (const paper of ['paper', 'raised']) {
      const both = [ink, paper].map(name => light(shown(`var(--${name})`)));
      const [low, high] = both.sort((one, other) => one - other);
      found[`${ink} on ${paper}`] = (high + 0.05) / (low + 0.05);
    }
  return found;
}
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"), hostile=False)


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("hostile"), hostile=True)


def written(folder: Path, hostile: bool) -> Path:
    opened = released(folder, people(hostile=hostile), policy(hostile))
    utility = Utility("secret", ("<script>alert(1)</script>", "]]>")) if hostile else Utility()
    found = replace(measure(opened, people(hostile=hostile)), risk=Risk(), utility=utility)
    write_report(report_on(found, "owner"), folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize(("scheme", "media"), SCHEMES)
def test_the_page_opens_without_a_word_and_can_be_read(
    browser: Browser, page_file: Path, scheme: Any, media: Any
) -> None:
    page = opened_quietly(browser, page_file, 1000, scheme, media)
    assert min(page.evaluate(CONTRAST).values()) >= ENOUGH
    dark = scheme == "dark" and media == "screen"
    assert (_brightness(page, "body", "backgroundColor") < 128) is dark
    assert (_brightness(page, "svg text", "fill") > 128) is dark
    assert page.locator("nav").is_visible() is (media == "screen")
    assert page.locator("figure table").first.is_visible() is (media == "print")
    page.close()


def opened_quietly(
    browser: Browser, file: Path, width: int, scheme: Any = "light", media: Any = "screen"
) -> Any:
    """The page, which asked for nothing but itself and said nothing."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.append(request.url))
    page.emulate_media(color_scheme=scheme, media=media)
    page.goto(file.as_uri())
    assert said == [file.as_uri()]
    return page


def _brightness(page: Any, selector: str, what: str) -> float:
    colour = page.evaluate(f"getComputedStyle(document.querySelector({selector!r})).{what}")
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3


@pytest.mark.parametrize("file", ["page_file", "hostile_file"])
def test_the_page_fits_a_phone_and_has_no_script(
    browser: Browser, file: str, request: pytest.FixtureRequest
) -> None:
    page = opened_quietly(browser, request.getfixturevalue(file), 390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.querySelector('svg').getBoundingClientRect().width") <= 390
    assert page.evaluate("document.scripts.length") == 0
    page.close()
