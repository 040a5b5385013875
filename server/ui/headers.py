"""Checks the headers of every request to the page, and sets security headers in the response."""

from __future__ import annotations

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # images inside the style sheet
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}
SAME_SITE = ("same-origin", "none")
"""The values of Sec-Fetch-Site that browsers send for the page's own requests and for addresses typed by the user."""


class GuardedPage:
    """An ASGI application that refuses requests for hosts that are not allowed, and other sites' requests for data.

    Only the page itself may request data, which are under /api/. Other sites may link to the page.
    """

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app, self._checks = app, TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it on; add the security headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope, receive)
        refusal = await self._checks.validate_request(request, is_post=request.method == "POST")
        if refusal is None and "/api/" in scope["path"] and not from_the_page(request):
            refusal = PlainTextResponse("only the page itself may request this address", status_code=403)
        await (refusal or self._app)(scope, receive, send_with_headers)


def from_the_page(request: Request) -> bool:
    """Whether the page itself or the user made the request, as far as the browser reports where it comes from."""
    return request.headers.get("sec-fetch-site", "none") in SAME_SITE
