"""A fake Bolt server: it speaks the protocol without a database, and answers as a test specifies.

The fake is for behaviour that no real server shows on demand (a leader that changes, a connection that drops in the
middle of a result) and for servers that do not run here (`fake_memgraph.py`). Tests with it show that graphground
reacts correctly to such answers, not that a real server gives them.

    with stand_in("Neo4j/5.26.0", lambda call: Rows(["one"], [[1]])) as server:
        …  # server.uri
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

HELLO, GOODBYE, RESET, RUN, BEGIN, COMMIT, ROLLBACK = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13
DISCARD, PULL, TELEMETRY, ROUTE, LOGON, LOGOFF = 0x2F, 0x3F, 0x54, 0x66, 0x6A, 0x6B
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
VERSIONS = ((5, 2), (4, 4), (4, 3), (4, 1))
"""The versions of Bolt that the fake server speaks; Memgraph's newest is 5.2."""


@dataclass(frozen=True)
class Call:
    """A received query: `Call("RETURN $x", {"x": 1}, {"mode": "r", "tx_metadata": {…}}, False, server)`."""

    query: str
    parameters: dict[str, Any]
    extra: dict[str, Any]
    in_transaction: bool
    server: StandIn


@dataclass(frozen=True)
class Rows:
    """An answer with rows; if `drop_after` is set, the connection is lost after that many rows."""

    columns: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    drop_after: int | None = None


@dataclass(frozen=True)
class Refusal:
    """A failure with the server's code and message; with `when_pulled` it comes after the columns,
    in place of the rows."""

    code: str
    message: str
    when_pulled: bool = False


@dataclass(frozen=True)
class Waits:
    """An answer that is delayed until `released` is set, and is then a refusal."""

    released: threading.Event
    refusal: Refusal


Answer = Rows | Refusal | Waits


class StandIn:
    """A listening fake server; `calls` holds the received queries."""

    def __init__(self, agent: str, answer: Callable[[Call], Answer], tls: ssl.SSLContext | None = None) -> None:
        self.agent, self.answer, self.tls = agent, answer, tls
        self.calls: list[Call] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open: set[socket.socket] = set()
        self.threads: list[threading.Thread] = []

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # each message is sent for itself
                self.open.add(connection)
                thread = threading.Thread(target=self._talk, args=(connection,), daemon=True)
                self.threads.append(thread)
                thread.start()

    def drop_connections(self) -> None:
        """Drop all connections, as a restarted server does."""
        for connection in list(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _talk(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, EOFError):
            try:
                if self.tls is not None:
                    if connection.recv(1, socket.MSG_PEEK) != b"\x16":
                        connection.recv(1000)  # like Neo4j, read what is no TLS, and close the connection
                        return
                    with self.tls.wrap_socket(connection, server_side=True) as secured:
                        self.open.add(secured)
                        _Conversation(self, secured).go()
                else:
                    _Conversation(self, connection).go()
            finally:
                self.open.discard(connection)


class _Conversation:
    def __init__(self, server: StandIn, connection: socket.socket) -> None:
        self.server, self.connection = server, connection
        self.answer: Answer = Rows([])
        self.failed = self.in_transaction = False
        self.begun: dict[str, Any] = {}

    def go(self) -> None:
        if self._read(4) != b"\x60\x60\xb0\x17":
            return
        offered = [self._read(4) for _ in range(4)]
        major, minor = next(version for version in VERSIONS if any(_within(version, offer) for offer in offered))
        self.connection.sendall(bytes((0, 0, minor, major)))
        while True:
            tag, fields = self._message()
            if tag == GOODBYE:
                return
            if tag == RESET:
                self.failed = self.in_transaction = False
                self._send(SUCCESS, {})
            elif self.failed:
                self._send(IGNORED)
            else:
                self._one(tag, fields)

    def _one(self, tag: int, fields: list[Any]) -> None:
        if tag == HELLO:
            self._send(SUCCESS, {"server": self.server.agent, "connection_id": "bolt-1"})
        elif tag == RUN:
            extra = {**self.begun, **fields[2]} if self.in_transaction else fields[2]
            call = Call(fields[0], fields[1], extra, self.in_transaction, self.server)
            self.server.calls.append(call)
            self.answer = self.server.answer(call)
            if isinstance(self.answer, Refusal) and not self.answer.when_pulled:
                self._refuse(self.answer)
            else:
                columns = self.answer.columns if isinstance(self.answer, Rows) else ["x"]
                self._send(SUCCESS, {"fields": columns, "t_first": 0, "qid": 0})
        elif tag in (PULL, DISCARD):
            self._pull(tag == PULL)
        elif tag == ROUTE:
            place = [f"127.0.0.1:{self.server.port}"]
            roles = [{"addresses": place, "role": role} for role in ("READ", "WRITE", "ROUTE")]
            self._send(SUCCESS, {"rt": {"ttl": 300, "db": "neo4j", "servers": roles}})
        else:
            self.in_transaction = tag == BEGIN or (self.in_transaction and tag not in (COMMIT, ROLLBACK))
            self.begun = fields[0] if tag == BEGIN else self.begun
            self._send(SUCCESS, {})

    def _pull(self, with_rows: bool) -> None:
        answer = self.answer
        if isinstance(answer, Waits):
            answer.released.wait(60)
            answer = answer.refusal
        if isinstance(answer, Refusal):
            return self._refuse(answer)
        for number, row in enumerate(answer.rows if with_rows else ()):
            if number == answer.drop_after:
                raise EOFError
            self._send(RECORD, row)
        return self._send(SUCCESS, {"type": "r", "t_last": 0, "has_more": False})

    def _refuse(self, refusal: Refusal) -> None:
        self.failed = True
        self._send(FAILURE, {"code": refusal.code, "message": refusal.message})

    def _send(self, tag: int, *fields: Any) -> None:
        body = bytes((0xB0 + len(fields), tag)) + b"".join(map(packed, fields))
        chunks = [body[at : at + 65535] for at in range(0, len(body), 65535)]
        self.connection.sendall(b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + b"\0\0")

    def _message(self) -> tuple[int, list[Any]]:
        body = b""
        while (size := struct.unpack(">H", self._read(2))[0]) or not body:
            body += self._read(size)
        fields, place = [], 2
        for _ in range(body[0] & 0x0F):
            value, place = unpacked(body, place)
            fields.append(value)
        return body[1], fields

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.connection.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data


def _within(version: tuple[int, int], offer: bytes) -> bool:
    _, back, minor, major = offer
    return major == version[0] and minor - back <= version[1] <= minor


def packed(value: Any) -> bytes:
    """Encode a value in PackStream: None, a boolean, a number, a text, a list or a dictionary."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return struct.pack(">b", value) if -16 <= value < 128 else b"\xcb" + struct.pack(">q", value)
        case float():
            return b"\xc1" + struct.pack(">d", value)
        case str():
            return b"\xd2" + struct.pack(">I", len(value.encode())) + value.encode()
        case list():
            return b"\xd6" + struct.pack(">I", len(value)) + b"".join(map(packed, value))
        case dict():
            return (
                b"\xda"
                + struct.pack(">I", len(value))
                + b"".join(packed(key) + packed(entry) for key, entry in value.items())
            )
    raise TypeError(type(value))


SIZES = {0xD0: ">B", 0xD1: ">H", 0xD2: ">I", 0xD4: ">B", 0xD5: ">H", 0xD6: ">I", 0xD8: ">B", 0xD9: ">H", 0xDA: ">I"}
NUMBERS = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q", 0xC1: ">d"}
SIMPLE = {0xC0: None, 0xC2: False, 0xC3: True}


def unpacked(data: bytes, at: int) -> tuple[Any, int]:
    """Decode the value at a position; return the value and the position after it."""
    mark, at = data[at], at + 1
    if mark in SIMPLE:
        return SIMPLE[mark], at
    if mark in NUMBERS:
        return struct.unpack_from(NUMBERS[mark], data, at)[0], at + struct.calcsize(NUMBERS[mark])
    if mark < 0x80 or mark >= 0xF0:
        return (mark if mark < 0x80 else mark - 256), at
    if mark in SIZES:
        size = struct.unpack_from(SIZES[mark], data, at)[0]
        at += struct.calcsize(SIZES[mark])
        kind = {0xD0: 0x80, 0xD4: 0x90, 0xD8: 0xA0}[mark & 0xFC]
    else:
        kind, size = mark & 0xF0, mark & 0x0F
    if kind == 0x80:
        return data[at : at + size].decode(), at + size
    values = []
    for _ in range(size if kind == 0x90 else 2 * size):
        value, at = unpacked(data, at)
        values.append(value)
    return (values if kind == 0x90 else dict(zip(values[::2], values[1::2], strict=True))), at


@contextmanager
def stand_in(agent: str, answer: Callable[[Call], Answer], tls: ssl.SSLContext | None = None) -> Iterator[StandIn]:
    """Run a fake server that greets as `agent`, over TLS if it has a context; its threads end with the block."""
    server = StandIn(agent, answer, tls)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        with suppress(OSError):
            server.listener.shutdown(socket.SHUT_RDWR)
        server.listener.close()
        server.drop_connections()
        for worker in [thread, *server.threads]:
            worker.join(10)
            assert not worker.is_alive()
