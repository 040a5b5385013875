"""Connections with limits: requests that do not arrive, answers that are not read, and too many connections."""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from graphground.server.transports import http as module

REQUEST = b"GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 50_000_000
RELEASED = threading.Event()
Serve = Callable[..., tuple[str, int]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Respond to `/quick` at once, to `/slow` after `RELEASED` is set,
    and to `/large` with more bytes than a socket buffers."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    while scope["path"] == "/slow" and not RELEASED.is_set():
        await asyncio.sleep(0.02)
    body = b"x" * LARGE if scope["path"] == "/large" else b"ok"
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(body)).encode())]}
    )
    await send({"type": "http.response.body", "body": body})


def opened(address: tuple[str, int], data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(address, timeout=60)
    connection.sendall(data)
    return connection


def closed(connection: socket.socket) -> bool:
    """Return True if the server closes the connection, and False if it sends a byte.

    If the server does neither, the test fails at the socket's time limit.
    """
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def drained(connection: socket.socket) -> int:
    """Return the number of bytes that arrive until the connection ends."""
    count = 0
    try:
        while part := connection.recv(1 << 20):
            count += len(part)
    except ConnectionError:
        pass
    return count


def answered(connection: socket.socket, request: bytes = REQUEST) -> bool:
    connection.sendall(request)
    return received(connection)


def received(connection: socket.socket) -> bool:
    """Return whether the server sends a complete response."""
    answer = b""
    while not answer.endswith(b"\r\n\r\nok"):
        part = connection.recv(1_000)
        if not part:
            return False
        answer += part
    return answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("sent", [b"", b"POST /", b"POST / HTTP/1.1\r\nHost: localhost\r\nX-"])
def test_a_connection_whose_headers_do_not_arrive_is_closed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(module, "HEADER_SECONDS", 0.3)
    with opened(serve(app), sent) as connection:
        assert closed(connection)


def test_a_body_may_take_longer_than_headers_but_has_a_time_limit(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, head = serve(app), b"POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345"
    monkeypatch.setattr(module, "HEADER_SECONDS", 1.0)
    with opened(address, head) as late:
        late.settimeout(1.5)
        with pytest.raises(TimeoutError):
            late.recv(1)
        late.settimeout(60)
        assert answered(late, b"67890")
    monkeypatch.setattr(module, "REQUEST_SECONDS", 1.5)
    with opened(address, head) as unfinished:
        assert closed(unfinished)


def test_a_client_that_does_not_read_its_answer_is_dropped(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNREAD_SECONDS", 0.3)
    dropped, drop = threading.Event(), module.BoundedConnection.drop

    def observed(connection: module.BoundedConnection) -> None:
        drop(connection)
        dropped.set()

    monkeypatch.setattr(module.BoundedConnection, "drop", observed)
    with opened(serve(app), REQUEST.replace(b"quick", b"large")) as connection:
        assert dropped.wait(60)
        assert 0 < drained(connection) < LARGE  # the bytes that the system had already accepted


def test_a_connection_over_the_limit_replaces_a_half_open_connection(serve: Serve) -> None:
    address = serve(app, most=3)
    with opened(address) as first, opened(address, b"GET") as half, opened(address) as idle:
        assert answered(first)
        assert answered(idle)
        with opened(address) as newest:
            assert closed(half)
            assert answered(newest)
            assert answered(first)
            assert answered(idle)


def test_a_connection_over_the_limit_replaces_an_idle_connection_rather_than_a_busy_connection(serve: Serve) -> None:
    address = serve(app, most=2)
    RELEASED.clear()
    with opened(address, REQUEST.replace(b"GET /quick", b"POST /slow")) as calling, opened(address) as idle:
        assert answered(idle)
        with opened(address, REQUEST) as newest:
            assert closed(idle)
            assert received(newest)
            RELEASED.set()
            assert received(calling)
