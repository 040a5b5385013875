"""A query whose client is gone is terminated; a query of a connected client may take any time."""

import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded import abandoned as module
from graphground.graphs.engines.embedded.abandoned import (
    LONG_SECONDS,
    LONGEST_SECONDS,
    AbandonedQueries,
    connected_clients,
)
from graphground.graphs.engines.embedded.process import server_settings
from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.storage.home import Home

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel's list of connections cannot be read")


class RunningQuery:
    """A query in ArcadeDB's list of running queries, and the list itself."""

    def __init__(self, client: str, seconds: float) -> None:
        self.client, self.seconds = client, seconds
        self.terminations: list[str] = []

    def getId(self) -> str:
        return "7"

    def getClientAddress(self) -> str:
        return self.client

    def getElapsedMillis(self) -> float:
        return self.seconds * 1000

    def terminate(self, reason: str) -> None:
        self.terminations.append(reason)

    def size(self) -> int:
        return 1

    def getRunning(self) -> "list[RunningQuery]":
        return [self]


class Connection:
    """A connection between a client and a server on this machine."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.client = socket.create_connection(listening.getsockname(), timeout=10)
            self.server, _ = listening.accept()
        self.port: int = self.server.getsockname()[1]
        self.client_port: int = self.client.getsockname()[1]

    def query(self, seconds: float) -> RunningQuery:
        return RunningQuery(f"/127.0.0.1:{self.client_port}", seconds)

    def is_terminated(self, query: RunningQuery) -> bool:
        AbandonedQueries(query, self.port).terminate()
        return bool(query.terminations)


@pytest.fixture
def connection() -> Iterator[Connection]:
    connection = Connection()
    yield connection
    connection.client.close()
    connection.server.close()


@linux
def test_the_query_of_a_connected_client_may_take_any_time(connection: Connection) -> None:
    assert not connection.is_terminated(connection.query(100 * LONGEST_SECONDS))


@linux
def test_a_query_whose_client_has_closed_its_connection_is_terminated(connection: Connection) -> None:
    connection.client.close()
    deadline = time.monotonic() + 10
    while (connected_clients(connection.port) or {}).get(connection.client_port) is not False:
        assert time.monotonic() < deadline
    assert not connection.is_terminated(connection.query(LONG_SECONDS / 2))
    assert connection.is_terminated(connection.query(LONG_SECONDS * 2))


@pytest.mark.parametrize("client", ["/127.0.0.1:1", "", "null"])
def test_a_query_of_an_unknown_client_is_terminated_after_the_longest_time(connection: Connection, client: str) -> None:
    assert not connection.is_terminated(RunningQuery(client, LONGEST_SECONDS - 1))
    assert connection.is_terminated(RunningQuery(client, LONGEST_SECONDS + 1))


def test_without_the_list_of_connections_each_query_is_terminated_after_the_longest_time(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "CONNECTIONS", (tmp_path / "tcp",))
    assert connected_clients(connection.port) is None
    assert not connection.is_terminated(connection.query(LONGEST_SECONDS - 1))
    assert connection.is_terminated(connection.query(LONGEST_SECONDS + 1))


@linux
def test_a_connection_that_the_list_omits_once_counts_as_connected(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, answers = connected_clients, [{}]
    monkeypatch.setattr(module, "connected_clients", lambda port: answers.pop() if answers else complete(port))
    assert not connection.is_terminated(connection.query(LONGEST_SECONDS + 1))
    assert not answers


def test_the_engine_limits_the_time_of_each_query_only_without_the_list_of_connections(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = EngineState(1, 2424, "instance", "reader", "root")
    monkeypatch.setattr(module, "CONNECTIONS", (tmp_path / "tcp",))
    assert server_settings(Home(tmp_path), state)["command.timeout"] == LONGEST_SECONDS * 1000
    (tmp_path / "tcp").write_text("  sl  local_address rem_address   st\n")
    assert server_settings(Home(tmp_path), state)["command.timeout"] == 0
