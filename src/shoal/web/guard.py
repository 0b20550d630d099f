"""Who may ask: a browser on this machine that has the token, from our own page and no other.

The server listens on loopback, yet every page in the browser can send requests there. So a foreign name
(DNS rebinding), a foreign origin, a missing token and a body that is too long are refused before anything
else happens, and every answer carries the headers that keep foreign pages and scripts out.
"""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any
from urllib.parse import parse_qs

from shoal.display import sized
from shoal.errors import ShoalError, without_values
from shoal.web.problem import Refused, problem_response
from shoal.web.response import wants_html
from shoal.web.settings import MOST_SENT, Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

UPLOADS = "/uploads/"
FREE = "/static/"  # style and script hold nothing of the owner's
READING = ("GET", "HEAD")
LONGEST_NUMBER = 20  # digits of a length
ONCE = (b"host", b"origin", b"authorization", b"content-length", b"sec-fetch-site", b"sec-fetch-mode")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none at all, forms of our own would come from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Guard:
    """Stands before the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.invitation: str | None = settings.invitation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": _with_headers(message["headers"])}
            await send(message)

        headers = _headers(scope)
        try:
            _refuse_unclear(scope)
            self._refuse(scope, headers)
            limited = _limited(receive, self._most(scope["path"]), headers)
            await self.app(scope, limited, guarded_send)
        except ShoalError as error:
            await self._answer(error, scope, headers, receive, guarded_send, started)
        except Exception as error:
            if "SHOAL_DEBUG" in os.environ:
                raise
            await self._answer(without_values(error), scope, headers, receive, guarded_send, started)

    def _refuse(self, scope: Scope, headers: dict[str, str]) -> None:
        """Raise when this request is none of ours."""
        if headers.get("host") not in self.settings.hosts:
            raise Refused(
                421, "this address is not that of the page", "open the address that `shoal serve` printed."
            )
        _refuse_foreign(self.settings, scope["method"], headers)
        path, query = scope["path"], parse_qs(scope["query_string"].decode("latin-1"))
        if path.startswith(FREE) or any(
            self._is_token(given) for given in _given_tokens(self.settings, headers)
        ):
            return
        if path != "/" or not self._opens(query.get("token", [""])[0]):
            raise Refused(
                401,
                "the token is missing or wrong",
                "open the address that `shoal serve` printed when it started.",
            )

    def _is_token(self, given: str) -> bool:
        return _is(self.settings.token, given)

    def _opens(self, given: str) -> bool:
        """The token does, and an invitation once."""
        if self.invitation is not None and _is(self.invitation, given):
            self.invitation = None
            return True
        return self._is_token(given)

    def _most(self, path: str) -> int:
        return self.settings.most_uploaded if path.startswith(UPLOADS) else MOST_SENT

    async def _answer(
        self,
        error: ShoalError,
        scope: Scope,
        headers: dict[str, str],
        receive: Receive,
        send: Send,
        started: bool,
    ) -> None:
        if started:
            return
        status = error.status if isinstance(error, Refused) else 500
        html = wants_html(headers, scope["query_string"].decode("latin-1"))
        response = problem_response(error, status, html)
        await response(scope, receive, send)


def _refuse_foreign(settings: Settings, method: str, headers: dict[str, str]) -> None:
    """Pages of others, also on other ports of this machine, may link to ours and nothing more."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    linked = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
    framed = headers.get("sec-fetch-dest", "document") != "document"
    own = (
        (origin is None or origin in settings.origins)
        and (site in (None, "same-origin", "none") or (linked and not framed))
        and (method in READING or origin is not None or _bearer(headers) is not None)
    )
    if not own:
        raise Refused(403, "this request comes from another page", "go on in the page of `shoal serve`.")


def _given_tokens(settings: Settings, headers: dict[str, str]) -> list[str]:
    """The token of a script, or of the browser that has opened the first address. Pages on other ports can
    set cookies of the same name beside ours."""
    token = _bearer(headers)
    if token is not None:
        return [token]
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return [value for name, _, value in pairs if name == settings.cookie]


def _bearer(headers: dict[str, str]) -> str | None:
    """What only a program sends: no browser adds it by itself."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _is(token: str, given: str) -> bool:
    return compare_digest(token.encode(), given.encode("utf-8", "surrogatepass"))


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by name; several of one name become one line, as cookies may come."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found


def _refuse_unclear(scope: Scope) -> None:
    """Two readers of a header that comes twice could each take another; of bytes that are no text, too."""
    names = [name.lower() for name, _ in scope["headers"]]
    if any(names.count(name) > 1 for name in ONCE):
        raise Refused(400, "the request says the same thing twice", "send each header once.")
    if not scope["query_string"].isascii():
        raise Refused(400, "the address is no text", "write what is not ASCII as %XX.")


def _limited(receive: Receive, most: int, headers: dict[str, str]) -> Receive:
    """A body that ends with an error when it is longer than allowed, whatever it says of its length."""
    stated = headers.get("content-length", "0")
    if not stated.isascii() or not stated.isdigit():
        raise Refused(400, "the request does not say how long it is", "state its length as a number.")
    if len(stated) > LONGEST_NUMBER or int(stated) > most:
        raise _too_long(most)
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise _too_long(most)
        return message

    return counted


def _too_long(most: int) -> Refused:
    return Refused(
        413,
        f"this is more than the {sized(most)} that may be sent",
        "choose the file on this machine instead of sending it, or start with a larger --most-uploaded.",
    )


def _with_headers(given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Ours, where the answer has none of its own of that name."""
    names = {name.lower() for name, _ in given}
    ours = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in names]
    return [*given, *ours]
