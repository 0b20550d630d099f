"""Tables that are sent: streamed, limited, private, and whole or not there at all."""

import gzip
import os
import stat
import zipfile
from collections.abc import Iterator
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

from shoal.web.app import make_app
from shoal.web.pages.uploads import SPARE
from shoal.web.workspace import MARK, Workspace
from tests.web.conftest import BROWSER, PEOPLE, PORT, TOKEN, Page, settings_in
from tests.web.raw import BEARER, raw

SMALL = 10_000  # bytes


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page that takes small tables only, and has no process ready to look at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.web.app.WARM_AFTER", 3600)
        yield from _small(tmp_path_factory)


def _small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    settings = settings_in(tmp_path_factory.mktemp("small"), most_uploaded=SMALL)
    app = make_app(settings, Workspace.opened(settings.workspace))
    with Page(
        app, base_url=f"http://127.0.0.1:{PORT}", headers=dict([BEARER]), raise_server_exceptions=False
    ) as page:
        page.folder, page.workspace = settings.folders[0], settings.workspace
        yield page


def kept(page: Page) -> set[str]:
    return {path.name for path in page.workspace.iterdir()}


def sent(page: Page, name: str, content: bytes) -> Any:
    return page.put(f"/uploads/{quote(name, safe='')}", content=content)


def failed(page: Page, name: str, content: bytes) -> str:
    """What the job says that was to look at it."""
    job = page.finished(sent(page, name, content).json()["address"])
    assert job["state"] == "failed"
    return str(job["faults"][0]["what"])


def test_a_table_that_is_sent_is_looked_at_and_private(page: Page) -> None:
    address = sent(page, "people.csv", PEOPLE.encode()).json()["address"]
    assert page.finished(address)["state"] == "done"
    assert page.get(address).json()["rows"] == 60
    for path in [page.workspace, *(page.workspace / address.rsplit("/", 1)[1]).rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert [one["name"] for one in page.get("/").json()["tables"]].count("people.csv") >= 1


def test_what_says_it_is_too_long_is_refused_before_it_is_read(small: Page) -> None:
    before = kept(small)

    def body() -> Iterator[bytes]:
        raise AssertionError("nothing is read")
        yield b""

    stated = ("content-length", str(5 * 1024**3))
    found = raw(small, "PUT", "/uploads/a.csv", BEARER, stated, chunks=body())
    assert found.status == 413
    assert kept(small) == before


@pytest.mark.parametrize("length", ["-1", "1e3", "", " ", "0x10", "one", "9" * 5000])
def test_a_length_that_is_no_number_is_refused(small: Page, length: str) -> None:
    found = raw(small, "PUT", "/uploads/a.csv", BEARER, ("content-length", length), chunks=[b"x"])
    assert found.status in (400, 413)


def test_what_does_not_say_how_long_it_is_ends_at_the_limit(small: Page) -> None:
    before, read = kept(small), []

    def body() -> Iterator[bytes]:
        for _ in range(1000):
            read.append(1)
            yield b"1,2,3\n" * 200

    found = raw(small, "PUT", "/uploads/a.csv", BEARER, chunks=body())
    assert found.status == 413
    assert len(read) < 20
    assert kept(small) == before


def test_what_states_less_than_it_sends_ends_at_the_limit(small: Page) -> None:
    chunks = [b"x" * SMALL, b"x"]
    assert raw(small, "PUT", "/uploads/a.csv", BEARER, ("content-length", "1"), chunks=chunks).status == 413


def test_forms_are_limited_too(page: Page) -> None:
    form = ("content-type", "application/x-www-form-urlencoded")
    chunks = [b"path=" + b"x" * 900_000 + b"&"] * 3
    found = raw(page, "POST", "/tables", BEARER, form, chunks=chunks)
    assert found.status == 413
    assert "2 MB" in found.text


def test_an_upload_that_breaks_off_leaves_nothing(small: Page) -> None:
    before = kept(small)
    raw(small, "PUT", "/uploads/a.csv", BEARER, chunks=[b"a,b\n1,2\n"], then_gone=True)
    raw(small, "PUT", "/uploads/a.csv", BEARER, then_gone=True)
    assert kept(small) == before


def test_an_empty_file_is_refused(small: Page) -> None:
    before = kept(small)
    found = sent(small, "a.csv", b"")
    assert found.status_code == 400
    assert "empty" in found.json()["faults"][0]["what"]
    assert kept(small) == before


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("../../a.csv", 404),
        ("a/b.csv", 404),
        ("/etc/a.csv", 404),
        ("x" * 300 + ".csv", 400),
        ("notes.docx", 400),
        ("csv", 400),
        ("table.csv.exe", 400),
        (" ", 400),
    ],
)
def test_names_that_are_none_of_a_table_are_refused(small: Page, name: str, status: int) -> None:
    before = kept(small)
    assert sent(small, name, b"a,b\n1,2\n").status_code == status
    assert kept(small) == before


@pytest.mark.parametrize(
    "name",
    [
        "..\\..\\a.csv",
        "a\0b.csv",
        "abc\u202evsc.csv",
        "<script>.csv",
        "a\r\nset-cookie: x.csv",
        ".csv",
        "...csv",
    ],
)
def test_odd_names_are_shown_and_never_used(small: Page, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is called as we like; the name is a label."""
    monkeypatch.setattr("shoal.web.jobs.runner.Runner.start", lambda *_: None)
    before = kept(small)
    found = sent(small, name, b"a,b\n1,2\n")
    assert found.status_code == 200
    [key] = kept(small) - before
    assert {path.name for path in (small.workspace / key).iterdir()} == {"table.csv", "work.json", "jobs"}
    assert found.json()["address"] == f"/tables/{key}"
    assert small.get("/").json()["tables"][0]["name"] == name
    shown = small.get("/", headers=BROWSER).text
    assert "<script>." not in shown
    assert "\u202e" not in shown
    assert "\0" not in shown
    small.post(f"/tables/{key}/forget")
    assert kept(small) == before


def test_a_zip_is_no_table(page: Page) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.csv", "a,b\n1,2\n")
    assert "zip" in failed(page, "renamed.csv", packed.getvalue()).lower()


def test_a_file_that_unpacks_without_end_is_no_table(page: Page) -> None:
    packed = BytesIO()
    with gzip.open(packed, "wb") as file:
        for _ in range(64):
            file.write(bytes(2**20))
    assert len(packed.getvalue()) < 100_000
    assert failed(page, "bomb.csv.gz", packed.getvalue())


def test_a_disk_that_is_full_is_said_before_and_meanwhile(
    small: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, left = kept(small), [SPARE]
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=left[0], f_frsize=1))
    found = sent(small, "a.csv", b"a,b\n1,2\n")
    assert found.status_code == 409
    assert "room" in found.json()["faults"][0]["what"]

    def body() -> Iterator[bytes]:
        left[0] += 100
        yield b"1" * 50
        left[0] -= 200
        yield b"2" * 50

    left[0] += 100
    assert raw(small, "PUT", "/uploads/a.csv", BEARER, chunks=body()).status == 409
    assert kept(small) == before


def test_a_write_that_fails_leaves_nothing(small: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anyio.AsyncFile.write", full)
    before = kept(small)
    assert sent(small, "a.csv", b"a,b\n1,2\n").status_code == 409
    assert kept(small) == before


def test_forgetting_everything_ends_an_upload_that_is_under_way(small: Page) -> None:
    workspace = Workspace(small.workspace)

    def body() -> Iterator[bytes]:
        yield b"a,b\n1,2\n"
        workspace.forget_everything()
        yield b"3,4\n"

    found = raw(small, "PUT", "/uploads/a.csv", BEARER, chunks=body())
    assert found.status == 409
    assert "forgotten" in found.text
    assert kept(small) == {MARK}


def test_a_stranger_sends_nothing(small: Page) -> None:
    before = kept(small)
    assert raw(small, "PUT", "/uploads/a.csv", chunks=[b"a,b\n1,2\n"]).status == 403
    wrong = ("authorization", "Bearer wrong")
    assert raw(small, "PUT", "/uploads/a.csv", wrong, chunks=[b"a,b\n1,2\n"]).status == 401
    cookie = ("cookie", f"shoal_{PORT}={TOKEN}")
    assert raw(small, "PUT", "/uploads/a.csv", cookie, chunks=[b"a,b\n1,2\n"]).status == 403
    assert kept(small) == before


def test_the_page_offers_endings_of_every_format(small: Page) -> None:
    offered = small.get("/").json()["endings"]
    assert {".csv", ".sav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".parquet", ".gz"} <= set(offered)
