"""Strangers, foreign pages and foreign names: refused, whatever they try."""

import logging
from typing import Any

import pytest

from shoal.web.guard import HEADERS, Guard
from shoal.web.project import Project
from shoal.web.settings import Settings
from tests.web.conftest import BROWSER, PORT, TOKEN, Page
from tests.web.raw import BEARER, COOKIE, HOST, ORIGIN, Answer, raw

FORM = ("content-type", "application/x-www-form-urlencoded")
HTML = ("accept", "text/html")
NAVIGATED = (("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"))
NOWHERE = b"path=nowhere.csv"


@pytest.fixture(scope="module")
def table(page: Page) -> str:
    return page.begun()


def posted(page: Page, *headers: tuple[str, str], **more: Any) -> int:
    """The status of a form that is sound but for where it comes from: 404, if it is let in."""
    return raw(page, "POST", "/tables", FORM, *headers, chunks=[NOWHERE], **more).status


@pytest.mark.parametrize(
    "path", ["/", "/files", "/openapi.json", "/nothing", "/tables/000000000000", "/forget"]
)
@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("authorization", "Bearer wrong"),),
        (("authorization", f"Basic {TOKEN}"),),
        (("authorization", TOKEN),),
        (("authorization", "Bearer"),),
        (("cookie", f"shoal_{PORT}=wrong"),),
        (("cookie", f"shoal_{PORT + 1}={TOKEN}"),),
        (("cookie", f"shoal_{PORT}"),),
        (("cookie", f"shoal_{PORT}=\udcff".encode("utf-8", "surrogateescape").decode("latin-1")),),
        (("authorization", "Bearer wrong"), COOKIE),
    ],
)
def test_without_the_token_nothing_is_told(page: Page, path: str, headers: Any) -> None:
    found = raw(page, "GET", path, *headers)
    assert found.status == 401
    assert "token is missing or wrong" in found.text


@pytest.mark.parametrize("query", [b"token=wrong", b"token=", b"token=%ff%00", b"token"])
def test_a_wrong_token_in_the_address_opens_nothing(page: Page, query: bytes) -> None:
    assert raw(page, "GET", "/", query=query).status == 401
    assert raw(page, "GET", "/", HTML, query=query).status == 401


def test_the_token_in_the_address_counts_on_the_first_page_only(page: Page) -> None:
    query = f"token={TOKEN}".encode()
    assert raw(page, "GET", "/", query=query).status == 200
    for path in ("/files", "/openapi.json", "//", "/static"):
        assert raw(page, "GET", path, query=query).status == 401


def test_the_first_address_gives_a_strict_cookie_and_leads_on(page: Page) -> None:
    """Also when it is opened from elsewhere, as a mail or a terminal does."""
    query = f"token={TOKEN}".encode()
    found = raw(page, "GET", "/", HTML, ("sec-fetch-site", "cross-site"), *NAVIGATED, query=query)
    cookie = (found.header("set-cookie") or "").lower()
    assert cookie.startswith(f"shoal_{PORT}={TOKEN};".lower())
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert "domain" not in cookie
    assert TOKEN not in found.text
    assert 'url=/"' in found.text


def test_an_invitation_opens_the_page_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody on the machine can see what a browser is started with."""
    monkeypatch.setattr(page.app, "invitation", "come-in")
    query = b"token=come-in"
    assert raw(page, "GET", "/files", query=query).status == 401
    assert raw(page, "GET", "/", query=query, host="evil.example").status == 421
    assert raw(page, "GET", "/", ("authorization", "Bearer come-in")).status == 401
    found = raw(page, "GET", "/", HTML, query=query)
    assert found.status == 200
    assert TOKEN in (found.header("set-cookie") or "")
    assert raw(page, "GET", "/", HTML, query=query).status == 401
    assert raw(page, "GET", "/", HTML, COOKIE, query=query).status == 200


def test_what_a_browser_is_started_with_is_not_the_token(page: Page) -> None:
    settings = Settings((), page.workspace, PORT, TOKEN)
    assert TOKEN in settings.address
    assert TOKEN not in settings.invited
    assert settings.invitation in settings.invited
    assert settings.invitation not in repr(settings)


def test_the_cookie_or_the_bearer_is_enough(page: Page) -> None:
    assert raw(page, "GET", "/", COOKIE).status == 200
    assert raw(page, "GET", "/", BEARER).status == 200
    assert raw(page, "GET", "/", ("authorization", f"bearer  {TOKEN} ")).status == 200


def test_cookies_that_other_ports_have_set_do_not_hide_ours(page: Page) -> None:
    for line in (f"a=b; shoal_{PORT}=x; {COOKIE[1]}", f"{COOKIE[1]}; shoal_{PORT}=x", f"=; ;{COOKIE[1]}"):
        assert raw(page, "GET", "/", ("cookie", line)).status == 200
    assert raw(page, "GET", "/", ("cookie", "a=b"), COOKIE, ("cookie", "c=d")).status == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "127.0.0.1",
        "localhost",
        f"evil.example:{PORT}",
        f"127.0.0.1.evil.example:{PORT}",
        f"127.0.0.1:{PORT + 1}",
        f"0.0.0.0:{PORT}",
        f"[::1]:{PORT}",
        f"127.0.0.1:{PORT}@evil.example",
        f"evil.example, 127.0.0.1:{PORT}",
    ],
)
def test_a_name_that_others_own_reaches_nothing(page: Page, host: str | None) -> None:
    """A page of theirs whose name suddenly points here is of the same origin as ours, for the browser."""
    for path in ("/", "/static/style.css"):
        assert raw(page, "GET", path, BEARER, host=host).status == 421
    assert raw(page, "GET", "/", host=host, query=f"token={TOKEN}".encode()).status == 421
    assert posted(page, COOKIE, ("origin", f"http://{host}"), host=host) == 421


def test_both_names_of_this_machine_are_ours(page: Page) -> None:
    for host in (HOST, f"localhost:{PORT}"):
        assert raw(page, "GET", "/", BEARER, host=host).status == 200
        assert posted(page, COOKIE, ("origin", f"http://{host}"), host=host) == 404


def test_browsers_leave_out_the_port_80(page: Page) -> None:
    assert "127.0.0.1" in Settings((), page.workspace, 80).hosts
    assert "127.0.0.1" not in Settings((), page.workspace, 8080).hosts


@pytest.mark.parametrize("name", ["host", "origin", "authorization", "content-length", "sec-fetch-site"])
def test_a_header_that_comes_twice_is_refused(page: Page, name: str) -> None:
    twice = {
        "host": HOST,
        "origin": ORIGIN,
        "authorization": BEARER[1],
        "content-length": str(len(NOWHERE)),
        "sec-fetch-site": "same-origin",
    }
    once = [(key, value) for key, value in twice.items() if key != "host"]
    assert posted(page, *once) == 404
    assert posted(page, *once, (name, twice[name])) == 400
    assert posted(page, *once, (name.title(), "other")) == 400


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        f"https://{HOST}",
        f"http://127.0.0.1:{PORT + 1}",
        "http://127.0.0.1",
        f"http://{HOST}.evil.example",
        f"http://{HOST}/",
        "file://",
    ],
)
def test_forms_of_foreign_pages_are_refused(page: Page, origin: str) -> None:
    """Those on other ports of this machine send our cookie along: for a browser they are the same site."""
    for token in (COOKIE, BEARER):
        assert posted(page, token, ("origin", origin)) == 403
        assert posted(page, token, ("origin", origin), ("sec-fetch-site", "same-origin")) == 403
        assert raw(page, "GET", "/", token, ("origin", origin)).status == 403


def test_our_own_forms_are_taken(page: Page) -> None:
    own = ("origin", ORIGIN)
    assert posted(page, COOKIE, own) == 404
    assert posted(page, COOKIE, own, ("sec-fetch-site", "same-origin"), *NAVIGATED) == 404


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something new"])
def test_other_sites_may_link_to_us_and_nothing_more(page: Page, site: str) -> None:
    came = ("sec-fetch-site", site)
    assert raw(page, "GET", "/", COOKIE, came, *NAVIGATED).status == 200
    assert raw(page, "GET", "/", COOKIE, came).status == 403
    assert raw(page, "GET", "/", COOKIE, came, ("sec-fetch-mode", "no-cors")).status == 403
    framed = (("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe"))
    assert raw(page, "GET", "/", COOKIE, came, *framed).status == 403
    assert raw(page, "HEAD", "/", COOKIE, came, *NAVIGATED).status == 403
    assert posted(page, COOKIE, ("origin", ORIGIN), came, *NAVIGATED) == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_pages_and_the_address_bar_may_read(page: Page, site: str) -> None:
    assert raw(page, "GET", "/", COOKIE, ("sec-fetch-site", site)).status == 200


def test_programs_need_no_origin_but_cookies_do(page: Page) -> None:
    assert posted(page, BEARER) == 404
    assert posted(page, COOKIE) == 403
    assert posted(page, COOKIE, ("authorization", "Basic YTpi")) == 403
    assert posted(page, COOKIE, ("authorization", "Bearer wrong")) == 401
    assert posted(page, COOKIE, ("sec-fetch-site", "same-origin")) == 403


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "DELETE", "PATCH", "CONNECT", "get", "FOO"])
def test_other_methods_do_nothing(page: Page, table: str, method: str) -> None:
    found = raw(page, method, table, BEARER, ("origin", ORIGIN))
    assert found.status == 405
    assert found.header("allow") == "GET"
    assert not any(name.startswith("access-control-") for name, _ in found.headers)
    assert TOKEN not in found.text


def test_a_preflight_of_a_foreign_page_is_refused(page: Page) -> None:
    asked = (("origin", "http://evil.example"), ("access-control-request-method", "PUT"))
    found = raw(page, "OPTIONS", "/uploads/a.csv", COOKIE, *asked)
    assert found.status == 403
    assert not any(name.startswith("access-control-") for name, _ in found.headers)


def every_kind(page: Page, table: str) -> dict[str, Answer]:
    return {
        "page": raw(page, "GET", table, COOKIE, HTML),
        "json": raw(page, "GET", table, COOKIE),
        "schema": raw(page, "GET", "/openapi.json", COOKIE),
        "static": raw(page, "GET", "/static/shoal.js"),
        "come in": raw(page, "GET", "/", HTML, query=f"token={TOKEN}".encode()),
        "events": raw(page, "GET", f"{table}/jobs/profile-1/events", COOKIE),
        "redirect": raw(page, "POST", f"{table}/jobs/profile-1/cancel", BEARER, HTML),
        "nothing": raw(page, "GET", "/nothing", COOKIE, HTML),
        "nothing static": raw(page, "GET", "/static/nothing"),
        "no token": raw(page, "GET", "/", HTML),
        "foreign": raw(page, "GET", "/", host="evil.example"),
        "method": raw(page, "PUT", "/", BEARER),
        "form": raw(page, "POST", "/tables", BEARER, FORM, chunks=[b"folder=x"]),
        "too long": raw(page, "POST", "/tables", BEARER, ("content-length", "9" * 12)),
    }


def test_every_kind_of_answer_has_the_headers_that_keep_others_out(page: Page, table: str) -> None:
    answers = every_kind(page, table)
    assert answers["redirect"].status == 303
    for kind, found in answers.items():
        for name, value in HEADERS.items():
            assert found.header(name) == value, f"{kind}: {name}"
        assert not any(name.startswith("access-control-") for name, _ in found.headers), kind
        assert found.header("server") is None, kind


def test_the_token_is_in_no_answer(page: Page, table: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for kind, found in every_kind(page, table).items():
        assert TOKEN not in found.text, kind
        headers = [line for line in found.headers if line[0] != "set-cookie"]
        assert TOKEN not in str(headers), kind
    assert TOKEN not in caplog.text
    assert TOKEN not in repr(Settings((), page.workspace, PORT, TOKEN))


def test_scripts_and_styles_come_from_files_of_ours_only() -> None:
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/..%2fguard.py",
        "/static/%2e%2e/guard.py",
        "/static//etc/passwd",
        "/static/\0",
        "/static/" + "x" * 5000,
        "/static/..\\guard.py",
        "/static/../../../../../../../../etc/passwd",
        "/static/",
        "/static/../openapi.json",
        "/static/../tables",
    ],
)
def test_static_files_lie_in_their_folder_only(page: Page, path: str) -> None:
    found = raw(page, "GET", path)
    assert found.status == 404
    assert "root:" not in found.text
    assert "import" not in found.text


def test_static_files_need_no_token_but_take_nothing(page: Page) -> None:
    assert raw(page, "GET", "/static/style.css").status == 200
    assert raw(page, "HEAD", "/static/style.css").status == 200
    assert raw(page, "POST", "/static/style.css", ("origin", ORIGIN)).status == 405


def test_websockets_are_closed(page: Page) -> None:
    sent: list[Any] = []

    async def connect() -> None:
        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        scope = {"type": "websocket", "path": "/", "headers": [(b"host", HOST.encode())], "query_string": b""}
        await page.app(scope, receive, send)

    page.portal.call(connect)  # type: ignore[union-attr]
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_errors_show_nothing_that_was_given(page: Page, table: str) -> None:
    mark = "zq<script>xj"
    answers = [
        page.get(f"/tables/{mark}", headers=BROWSER),
        page.get("/files", params={"folder": mark}, headers=BROWSER),
        page.get("/files", params={"path": mark}, headers=BROWSER),
        page.post("/tables", data={"path": mark, "folder": mark}, headers=BROWSER),
        page.post(f"{table}/columns", data={"role": mark}, headers=BROWSER),
        page.get(f"{table}/jobs/{mark}", headers=BROWSER),
        page.put(f"/uploads/{mark}", content=b"x", headers=BROWSER),
        page.post("/tables", content=mark, headers={**BROWSER, "content-type": "multipart/form-data"}),
    ]
    for found in answers:
        assert 400 <= found.status_code < 500
        assert found.headers["content-type"] == "text/html; charset=utf-8"
        assert "zq" not in found.text
        assert "Traceback" not in found.text
        assert "That did not work" in found.text


@pytest.mark.parametrize("html", [True, False])
def test_what_breaks_says_nothing_and_has_the_shape_of_every_error(
    page: Page, table: str, html: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a cell of the table")

    monkeypatch.setattr(Project, "latest", broken)
    found = raw(page, "GET", table, BEARER, *([HTML] if html else []))
    assert found.status == 500
    assert "KeyError" in found.text
    assert "a cell" not in found.text
    assert "Traceback" not in found.text
    assert found.header("content-security-policy") == HEADERS["content-security-policy"]
    assert ("That did not work" in found.text) == html
    assert "a cell" not in "".join(capfd.readouterr())


def test_a_guard_that_breaks_still_answers(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ValueError("a cell of the table")

    monkeypatch.setattr(page.app, "app", broken)
    assert isinstance(page.app, Guard)
    found = raw(page, "GET", "/", BEARER)
    assert found.status == 500
    assert "a cell" not in found.text


@pytest.mark.parametrize(
    "query", [b"\xff\xfe", b"folder=%", b"path=%ff%00", b"&&&==", b"format=json&format=%zz"]
)
def test_addresses_that_are_no_text_break_nothing(page: Page, query: bytes) -> None:
    assert raw(page, "GET", "/files", BEARER, query=query).status in (200, 400, 404, 422)
    assert raw(page, "GET", "/files", HTML, query=query).status in (400, 401)
