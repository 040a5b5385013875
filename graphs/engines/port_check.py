"""What answers at a Bolt address: asked of the port itself, before a driver waits ten seconds for it."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from graphground.graphs.engines.address import BoltAddress

BOLT_PORT = 7687
HANDSHAKE = bytes.fromhex("6060b017" "00080805" "00020404" "00000003" "00000000")
"""Bolt's magic number and four versions; a Bolt server answers with four bytes."""
BLANK_LINE = b"\r\n\r\n"
"""Ends what an HTTP server takes for a request, so that it answers."""


def problem_at(address: BoltAddress, seconds: float = 2.0, *, speak: bool = True) -> str | None:
    """Why no Bolt server can be used at the address, in a sentence; None where none of that is known.

    `speak=False` only connects, which leaves no trace in a database's log. A server that is slow to answer, and
    one behind TLS, count as usable: the driver finds out.

        >>> problem_at(BoltAddress("bolt://127.0.0.1:1"))
        'No Bolt server answers at bolt://127.0.0.1:1 (Connection refused). Check the address, and that the database …'
    """
    where, parts = address.where(), urlsplit(address.uri)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or BOLT_PORT), timeout=seconds) as connection:
            if not speak or "+" in parts.scheme:
                return None
            connection.sendall(HANDSHAKE)
            answer = _received(connection) or _received_after(connection, BLANK_LINE)
    except OSError as error:
        return (f"No Bolt server answers at {where} ({error.strerror or error}). Check the address, and that the "
                "database is running.")
    if answer.startswith(b"HTTP"):
        return (f"{where} is an HTTP port, not a Bolt port. Give the database's Bolt address, "
                f"such as {parts.scheme}://{parts.hostname}:{BOLT_PORT}.")
    return None


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(16)
    except TimeoutError:
        return b""


def _received_after(connection: socket.socket, more: bytes) -> bytes:
    try:
        connection.sendall(more)
    except OSError:
        return b""
    return _received(connection)
