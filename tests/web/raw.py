"""Requests as no polite client would send them: straight to the application, header by header."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.web.conftest import PORT, TOKEN, Page

HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
COOKIE = ("cookie", f"shoal_{PORT}={TOKEN}")
BEARER = ("authorization", f"Bearer {TOKEN}")


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key == name]
        assert len(found) <= 1, f"{name} comes {len(found)} times"
        return found[0] if found else None


def raw(
    page: Page,
    method: str,
    path: str,
    *headers: tuple[str, str],
    host: str | None = HOST,
    query: bytes = b"",
    chunks: Iterable[bytes] = (),
    then_gone: bool = False,
) -> Answer:
    """``chunks`` are the body; ``then_gone`` leaves before its end."""
    given = [*([("host", host)] if host is not None else []), *headers]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogateescape"),
        "root_path": "",
        "query_string": query,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT),
        "state": {},
    }
    return page.portal.call(_asked, page.app, scope, chunks, then_gone)  # type: ignore[union-attr]


async def _asked(app: Any, scope: dict[str, Any], chunks: Iterable[bytes], then_gone: bool) -> Answer:
    answer, messages = Answer(), _messages(chunks, then_gone)

    async def receive() -> dict[str, Any]:
        return await anext(messages, {"type": "http.disconnect"})

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
        else:
            answer.body += message.get("body", b"")

    await app(scope, receive, send)
    return answer


async def _messages(chunks: Iterable[bytes], then_gone: bool) -> AsyncIterator[dict[str, Any]]:
    for chunk in chunks:
        yield {"type": "http.request", "body": chunk, "more_body": True}
    if not then_gone:
        yield {"type": "http.request", "body": b"", "more_body": False}
