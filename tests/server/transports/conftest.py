"""A uvicorn server in this process, with our connection class."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import uvicorn

from graphground.server.transports.http import BoundedConnection
from tests.support.waiting import until

Serve = Callable[..., tuple[str, int]]


@contextmanager
def _served(app: Any, most: int) -> Iterator[tuple[str, int]]:
    connection = type("Connection", (BoundedConnection,), {"most": most})
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(app, http=connection, ws="none", log_level="critical", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until(lambda: server.started)
        try:
            yield listening.getsockname()[:2]
        finally:
            server.should_exit = True
            thread.join(30)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Yield a function that serves an application over HTTP:
    `host, port = serve(app, most=4)` limits the connections."""
    with ExitStack() as stack:
        yield lambda app, most=8: stack.enter_context(_served(app, most))
