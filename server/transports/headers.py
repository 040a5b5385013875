"""Checks of request headers, made before the SDK and the page make their own checks.

If a `Host` or `Origin` is allowed with every port, the SDK accepts any text after the colon, such as
`localhost:1@evil.example`. The SDK also fails on `Last-Event-ID`, because it has no event store here.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_NAME = r"(?:\[[0-9a-z:.%_-]{2,64}\]|[^\s\[\]:/@,;#?\\%]{1,255})(?::\d{1,5})?"
HOST = re.compile(_NAME, re.IGNORECASE)
ORIGIN = re.compile(rf"null|[a-z][a-z0-9+.-]{{0,60}}://(?:{_NAME})?", re.IGNORECASE)


class CheckedHeaders:
    """ASGI middleware that refuses malformed `Host` and `Origin` headers, and drops `Last-Event-ID`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or respond with status 400."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        wrong = wrong_header(headers)
        if wrong is not None:
            await PlainTextResponse(f"Invalid {wrong} header", status_code=400)(scope, receive, send)
            return
        passed_on: Any = [header for header in headers if header[0] != b"last-event-id"]
        await self.app({**scope, "headers": passed_on}, receive, send)


def wrong_header(headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return the name of the first malformed `Host` or `Origin` header; None if both are well formed.

    >>> wrong_header([(b"host", b"localhost:8300"), (b"origin", b"http://localhost:1@evil.example")])
    'Origin'
    """
    for key, value in headers:
        text = value.decode("latin-1").strip()
        if key == b"host" and text and not HOST.fullmatch(text):
            return "Host"
        if key == b"origin" and not ORIGIN.fullmatch(text):
            return "Origin"
    return None
