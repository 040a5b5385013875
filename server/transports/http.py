"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphground.server.settings import Settings, SettingsError, default_home
from graphground.server.telemetry import METRICS, Readiness, gauges, write_metrics
from graphground.server.transports.authorization import authorization

if TYPE_CHECKING:
    from graphground.server.application import Application
    from graphground.server.threads import WorkerThreads
    from graphground.server.ui.routes import Page


PATH, HEALTH = "/mcp", "/health"
BACKLOG = 32
"""The maximum number of connections that wait to be accepted.

The event loop also accepts at most this number in a row before it continues with other work.
"""
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def serve_http(
    make_server: Callable[[], Server[Any]],
    settings: Settings,
    operations: Sequence[Route] = (),
    *,
    page: Page | None = None,
    when_listening: Callable[[str], None] | None = None,
) -> int:
    """Serve until interrupted, and return the exit status; the address is printed on stderr once clients can connect.

    `operations` and `page` are served beside MCP. `when_listening` is called with the address of MCP.

    Raises:
        SettingsError: a setting, such as an address, a token or a certificate, is invalid.
    """
    security(settings)  # wrong settings are reported before the port is taken
    check_certificate(settings)
    listening = listen(settings.host, settings.port)
    address = address_of(listening, settings)
    authorization(settings, address)
    sys.stderr.write(f"graphground: serving {address}\n")
    if settings.ui:
        sys.stderr.write(f"graphground: the page is at {page_address(address)}\n")
    sys.stderr.flush()
    if when_listening is not None:
        when_listening(address)
    config = uvicorn.Config(
        http_app(make_server(), settings, address, page, operations),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=3,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        http=type("Connection", (BoundedConnection,), {"most": connections_allowed()}),
        ws="none",
        timeout_keep_alive=30,
        backlog=BACKLOG,
    )
    uvicorn.Server(config).run(sockets=[listening])
    return 0


def http_app(
    server: Server[Any], settings: Settings, address: str, page: Page | None = None, operations: Sequence[Route] = ()
) -> Starlette:
    """Return the ASGI application: MCP at /mcp, the response of `health` at /health, `operations`, the page at /ui/."""
    auth, verifier = authorization(settings, address)
    from graphground.server.transports.sessions import IDLE_SECONDS, MOST_BODY_BYTES, make_room

    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=settings.host,
        transport_security=security(settings),
        auth=auth,
        token_verifier=verifier,
        custom_starlette_routes=[Route(HEALTH, health, methods=["GET"]), *operations],
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=None,  # `make_room` keeps to a limit, and refuses nobody
        max_request_body_size=MOST_BODY_BYTES,
    )
    if page is not None:
        app.router.routes += page.routes(security(settings), auth)
    make_room(server.session_manager)
    app.add_middleware(CheckedHeaders)
    return app


async def health(_: Request) -> JSONResponse:
    """Handle `GET /health`: respond with 200, without querying a database and without requiring a token."""
    return JSONResponse({"status": "ok"})


def operation_routes(application: Application, workers: WorkerThreads, settings: Settings) -> list[Route]:
    """Return what operators ask for: /ready (can a graph be used?) and, if the settings say so, /metrics."""
    readiness, home = Readiness(application), default_home(settings.home)
    needs_token = bool(settings.token or settings.operator_token or settings.token_file or settings.jwks_url)

    def ready(_: Request) -> JSONResponse:
        is_ready, graphs = readiness.look()
        answer = {"status": "ready" if is_ready else "not ready", "graphs": graphs}
        return JSONResponse(answer, 200 if is_ready else 503)

    def metrics(request: Request) -> PlainTextResponse:
        if needs_token and getattr(request.scope.get("user"), "access_token", None) is None:
            return PlainTextResponse("A token is needed.", 401, {"WWW-Authenticate": "Bearer"})
        samples = [*METRICS.samples(), *gauges(application, workers, home)]
        return PlainTextResponse(write_metrics(samples), media_type="text/plain; version=0.0.4")

    routes = [Route("/ready", ready, methods=["GET"])]
    return [*routes, Route("/metrics", metrics, methods=["GET"])] if settings.metrics else routes


def check_certificate(settings: Settings) -> None:
    """Refuse a TLS certificate that cannot be used.

    Raises:
        SettingsError: a file cannot be read, the key does not belong to the certificate, or a key is given without a
            certificate.
    """
    if settings.tls_certificate is None:
        if settings.tls_key:
            raise SettingsError("--tls-key needs --tls-certificate")
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_certificate, settings.tls_key)
    except OSError as error:
        key = f" and --tls-key {settings.tls_key}" if settings.tls_key else ""
        raise SettingsError(
            f"--tls-certificate {settings.tls_certificate}{key} cannot be used: {error.strerror or error}"
        ) from None


def address_of(listening: socket.socket, settings: Settings) -> str:
    """Return the address of MCP for clients on this machine: `http://127.0.0.1:8300/mcp`."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if settings.tls_certificate else 'http'}://{shown}:{port}{PATH}"


def page_address(address: str) -> str:
    """Return the address of the page for an address of MCP: `http://127.0.0.1:8300/ui/`."""
    return f"{address.removesuffix(PATH)}/ui/"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        SettingsError: the address cannot be used; the message gives the reason.
    """
    listening = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        if listening is not None:
            listening.close()
        raise SettingsError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; "
            f"choose another --host or --port (0 takes a free port)"
        ) from None
    return listening


def security(settings: Settings) -> TransportSecuritySettings:
    """Return the Host and Origin headers that are accepted: those of this machine, and those that the settings allow.

    Raises:
        SettingsError: other machines can connect, but the settings allow no host name, or neither require a token nor
            allow anonymous access.
    """
    if not is_loopback(settings.host):
        if not settings.allowed_host:
            raise SettingsError(
                f"--host {settings.host} accepts connections from other machines: give the host names that they use, such as "
                f"--allowed-host 'graphs.example.org:*' (requests for other names are refused, which keeps hostile web "
                f"pages out)"
            )
        tokens = settings.token or settings.operator_token or settings.token_file or settings.jwks_url
        if not (tokens or settings.allow_anonymous):
            raise SettingsError(
                f"--host {settings.host} accepts connections from other machines: require a token (--token-file, "
                "GRAPHGROUND_TOKEN, or --jwks-url), or pass --allow-anonymous to serve everyone who "
                "can reach this port"
            )
    hosts = [f"{local}:*" for local in LOCAL_HOSTS] + list(settings.allowed_host)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{name}" for name in hosts for scheme in ("http", "https")],
    )


def is_loopback(host: str) -> bool:
    """Whether a host's address can be reached only from the same machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


_NAME = r"(?:\[[0-9a-z:.%_-]{2,64}\]|[^\s\[\]:/@,;#?\\%]{1,255})(?::\d{1,5})?"
HOST = re.compile(_NAME, re.IGNORECASE)
REQUEST, REQUEST_KEY = re.compile(rb"[\w.-]{1,64}"), "graphground.request_id"
_PREFIX, _numbers = secrets.token_hex(4), count(1)
ORIGIN = re.compile(rf"null|[a-z][a-z0-9+.-]{{0,60}}://(?:{_NAME})?", re.IGNORECASE)


class CheckedHeaders:
    """ASGI middleware that refuses malformed `Host` and `Origin` headers, drops `Last-Event-ID`, and names requests.

    The response repeats the request's `X-Request-Id`, or gives it one.

    If a `Host` or `Origin` is allowed with every port, the SDK accepts any text after the colon, such as
    `localhost:1@evil.example`. The SDK also fails on `Last-Event-ID`, because it has no event store here.
    """

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
        given = next((value for key, value in headers if key == b"x-request-id" and REQUEST.fullmatch(value)), None)
        request = given or f"{_PREFIX}-{next(_numbers)}".encode()

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", request)]}
            await send(message)

        await self.app({**scope, "headers": passed_on, REQUEST_KEY: request.decode()}, receive, send_named)


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


HEADER_SECONDS, REQUEST_SECONDS, UNREAD_SECONDS = 10.0, 30.0, 30.0
"""The time limits for a request's headers, for the whole request, and for reading some bytes of a response."""
MAX_CONNECTIONS = 512


class BoundedConnection(H11Protocol):
    """An HTTP/1.1 connection with time limits; beyond the limit, a new one replaces the least important connection.

    uvicorn closes a connection that is idle after a response, but not a connection that never sends a complete request
    or never reads its response.
    """

    most = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; beyond the limit, close the least important connection, which may be this one."""
        super().connection_made(transport)
        self.number, self._unread, self._reading = next(_numbers), 0, True
        self._timer: asyncio.TimerHandle | None = None
        self._await_request()
        if len(self.connections) > self.most:
            others: Any = self.connections - {self}
            victim = min(others, key=lambda other: (other.importance(), other.number), default=self)
            (self if victim.importance() == CALLING else victim).drop()

    def data_received(self, data: bytes) -> None:
        """Process bytes of a request."""
        if not self._reading and self.conn.their_state is not h11.SEND_BODY:
            self._await_request()
        super().data_received(data)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR):
            self._reading = False
            self._look_again(UNREAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the connection's timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def importance(self) -> int:
        """Return the rank of the connection: INCOMPLETE request < IDLE < STANDING (an open stream) < CALLING."""
        if self._reading:
            return INCOMPLETE
        if self.cycle is None or self.cycle.response_complete:
            return IDLE
        return STANDING if self.scope is not None and self.scope.get("method") == "GET" else CALLING

    def drop(self) -> None:
        """Close the connection now."""
        self.connections.discard(self)
        with suppress(Exception):
            self.transport.abort()

    def _await_request(self) -> None:
        self._reading, self._begun = True, self.loop.time()
        self._look_again(HEADER_SECONDS)

    def _look_again(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Close the connection if its client keeps the server waiting; otherwise check again later."""
        if self.transport.is_closing():
            return
        unread: int = self.transport.get_write_buffer_size()
        if self._reading:
            left = REQUEST_SECONDS - (self.loop.time() - self._begun)
            is_late = self.conn.their_state is not h11.SEND_BODY or left <= 0
        else:
            left, is_late = UNREAD_SECONDS, bool(unread) and unread == self._unread
        self._unread = unread
        if is_late:
            self.drop()
        else:
            self._look_again(left)


INCOMPLETE, IDLE, STANDING, CALLING = range(4)


def connections_allowed() -> int:
    """Return the limit of connections, which leaves half of the file descriptors for databases and files."""
    try:
        import resource  # not on Windows
    except ImportError:
        return MAX_CONNECTIONS
    soft: Any = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(MAX_CONNECTIONS, soft // 2))
