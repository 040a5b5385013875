"""Passwords are sent only to the engine, not to another process that listens on the port of an engine
that has ended."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EngineState, ensure_engine, is_alive
from graphground.graphs.storage.home import Catalog, Home

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]


@contextmanager
def impostor(port: int) -> Iterator[list[bytes]]:
    """Listen on a port, and speak enough Bolt to receive a password; yield the list of all received bytes."""
    heard: list[bytes] = []
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()

        def listen() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(5)
                        with suppress(OSError):
                            heard.append(connection.recv(1000))
                            connection.sendall(b"\0\0\4\4")
                            heard.append(connection.recv(1000))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield heard
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    assert not thread.is_alive()


def killed(home: Home) -> EngineState:
    """Start an engine and kill it; return the state that it leaves behind."""
    state = ensure_engine(home)
    os.kill(state.pid, signal.SIGKILL)
    while is_alive(home):
        pass
    assert EngineState.read(home) == state
    return state


def test_no_password_is_sent_to_the_port_of_a_killed_engine_and_a_new_engine_starts(own_small_home: Home) -> None:
    home = own_small_home
    database = Catalog(home).get("films").id
    engine = EmbeddedEngine(home, database)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    old = killed(home)
    with impostor(old.port) as heard:
        fresh = EmbeddedEngine(home, database)
        assert fresh.run("MATCH (n) RETURN count(n)").rows == [[4]], "one that reads the stale state"
        assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]], "one that was connected before"
    received = b"".join(heard)
    assert received.count(b"\x60\x60\xb0\x17") * 20 == len(received), (
        "at most the greeting of Bolt, which holds no name"
    )
    assert not any(word.encode() in received for word in (old.reader, old.root, "reader", "root"))
    state = ensure_engine(home)
    assert (state.port != old.port, state.reader != old.reader, state.root != old.root) == (True, True, True)
    for instance in (engine, fresh):
        instance.close()
