"""The kind of server at a Bolt address is checked before the driver connects."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress, Database, problem_at
from graphground.graphs.engines.engine import EngineUnreachable
from graphground.graphs.opening.connected import open_database
from graphground.graphs.storage.home import Home


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def http_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_an_http_port_is_reported_by_the_probe_and_not_as_an_error_of_the_query(http_port: int, tmp_path: Path) -> None:
    with pytest.raises(EngineUnreachable, match="is an HTTP port, not a Bolt port"):
        open_database(Database("films", f"bolt://127.0.0.1:{http_port}", "neo4j", "secret"), Home(tmp_path))


def test_a_port_without_a_listening_server_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    problem = problem_at(BoltAddress(f"neo4j://127.0.0.1:{port}"))
    assert problem is not None
    assert problem.startswith(f"No Bolt server answers at neo4j://127.0.0.1:{port}")


def test_a_server_that_does_not_respond_to_the_probe_is_not_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = BoltAddress(f"bolt://127.0.0.1:{silent.getsockname()[1]}")
        assert problem_at(address, seconds=0.05) is None
        assert problem_at(address, seconds=0.05, speak=False) is None
