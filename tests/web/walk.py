"""The whole way through the page in a real browser, step by step."""

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

SERIOUS = ("serious", "critical")
LONG = 120_000  # milliseconds for a job
LOOKS = {"light": ("light", 1280), "dark": ("dark", 390)}
ALL_LOOKS = {**LOOKS, "phone": ("light", 390), "dark": ("dark", 1280)}
SCREENSHOTS = os.environ.get("SHOAL_SCREENSHOTS")  # a folder, for those who want to look at them


@contextmanager
def served(folder: Path, workspace: Path) -> Iterator[str]:
    """A server of its own on loopback; its address holds the token."""
    command = [
        sys.executable,
        "-m",
        "tests.web.quick_server",
        "serve",
        str(folder),
        "--workspace",
        str(workspace),
    ]
    with subprocess.Popen([*command, "--no-browser", "--json"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = ""
            while not said.rstrip().endswith("}"):
                said += server.stdout.readline()
            yield json.loads(said)["address"]
        finally:
            server.terminate()
            server.wait()


@dataclass
class Walk:
    """A browser that notes what it should never see: messages on the console, requests to other hosts."""

    browser: Browser
    address: str
    name: str
    looked_at: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    heaviest: int = 0

    def __post_init__(self) -> None:
        self.page: Page = self.browser.new_context(accept_downloads=True, reduced_motion="reduce").new_page()
        self.home = self.address.partition("/?")[0]
        self.page.on("console", lambda message: self.noted.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.noted.append(str(error)))
        self.page.on("request", lambda request: self._note_foreign(request.url))
        self.page.goto(self.address)
        self.page.wait_for_url(f"{self.home}/")

    def _note_foreign(self, url: str) -> None:
        if not url.startswith((self.home, "data:", "blob:")):
            self.noted.append(f"asked {url}")

    def look(self, step: str) -> None:
        """In light, in dark and narrow: nothing that a screen reader or a keyboard stumbles over."""
        self.page.wait_for_load_state("networkidle") if step == "start" else None
        self.looked_at.append(step)
        for look, (scheme, width) in (ALL_LOOKS if SCREENSHOTS else LOOKS).items():
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self.page.set_viewport_size({"width": width, "height": 900})
            self._has_no_barriers(f"{step}, {look}")
            wide = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{step} is {wide} pixels too wide on {look}"
            if SCREENSHOTS:
                path = Path(SCREENSHOTS) / f"{self.name}-{len(self.looked_at)}-{step}-{look}.png"
                self.page.screenshot(path=path, full_page=True)
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(color_scheme="light")
        sizes = "performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))"
        weight = self.page.evaluate(f"{sizes}.reduce((sum, one) => sum + one.decodedBodySize, 0)")
        self.heaviest = max(self.heaviest, weight)

    def _has_no_barriers(self, where: str) -> None:
        found = Axe().run(self.page).response["violations"]
        serious = [
            f"{where}: {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in SERIOUS
        ]
        assert not serious, "\n".join(serious)

    def follow(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()

    def choose(self, file: str) -> None:
        self.look("start")
        self.page.get_by_role("button", name=file, exact=True).click()
        self.page.get_by_role("link", name="Go on: Columns").wait_for(timeout=LONG)
        self.look("data")

    def confirm_columns(self) -> None:
        self.follow("Columns")
        self.page.get_by_role("button", name="These roles are right").click()
        expect(self.page.get_by_role("heading", name="Attacker and guarantee", level=1)).to_be_visible()
        self.follow("Columns")
        expect(self.page.get_by_text("guess:")).to_have_count(0)
        self.look("columns")

    def promise(self) -> None:
        self.follow("Attacker and guarantee")
        self.look("guarantee")

    def run(self) -> None:
        """And wait until everything about the result is there."""
        self.follow("Run")
        self.look("run")
        self.page.get_by_role("button", name="Run", exact=True).click()
        self.page.wait_for_url("**/runs/*", timeout=LONG)
        self.page.get_by_role("heading", name="What attackers find", exact=True).wait_for(timeout=LONG)
        self.look("result")

    def compare(self) -> None:
        """With one method and two values of k."""
        self.follow("Compare")
        self.page.get_by_label("Values of k").fill("2, 5")
        for box in self.page.get_by_role("group", name="Methods").get_by_role("checkbox").all()[1:]:
            box.uncheck()
        self.page.get_by_role("button", name="Try them").click()
        self.page.get_by_role("row", name="k = 5").first.wait_for(timeout=LONG)
        self.look("compare")

    def ask(self, question: str) -> None:
        self.follow("Ask")
        self.page.get_by_role("textbox").fill(question)
        self.page.get_by_role("button", name="Ask", exact=True).click()
        self.page.get_by_role("heading", name="Answer").wait_for(timeout=LONG)
        self.look("ask")

    def publish(self, into: Path) -> Path:
        """The release as it was downloaded."""
        self.follow("Publish")
        self.look("publish")
        with self.page.expect_download() as started:
            self.page.get_by_role("link", name="The whole release (.zip)").click()
        content = Path(started.value.path()).read_bytes()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(into)
        [folder] = into.iterdir()
        return folder

    def ended(self) -> None:
        with suppress(Exception):
            self.page.context.close()
        assert self.noted == []


def assert_verified(release: Path, *more: Any) -> None:
    """By the command, as a recipient would."""
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "verify", str(release), *map(str, more)], check=False
    )
    assert done.returncode == 0
