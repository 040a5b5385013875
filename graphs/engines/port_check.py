"""Checks whether a Bolt server listens at an address, because a driver waits ten seconds for any other server."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from graphground.graphs.engines.address import BoltAddress

BOLT_PORT = 7687
HANDSHAKE = bytes.fromhex("6060b01700080805000204040000000300000000")
"""Bolt's magic number and four proposals for the protocol version; a Bolt server responds with four bytes."""
HTTP_REQUEST = b"HEAD / HTTP/1.0\r\n\r\n"


def problem_at(address: BoltAddress, seconds: float = 2.0, *, speak: bool = True) -> str | None:
    """Return a message that says why no Bolt server can be used at an address; None if no problem is found.

    With `speak=False` the function only connects, which leaves no trace in a database's log. A server that responds
    slowly or is behind TLS counts as usable; if it is not a Bolt server, the driver fails to connect.

        >>> problem_at(BoltAddress("bolt://127.0.0.1:1"))
        'No Bolt server answers at bolt://127.0.0.1:1 (Connection refused). Check the address, and that the database …'
    """
    where, parts = address.where(), urlsplit(address.uri)
    place = parts.hostname or "", parts.port or BOLT_PORT
    try:
        if not speak or "+" in parts.scheme:
            socket.create_connection(place, timeout=seconds).close()
            return None
        answer = _answer(place, HANDSHAKE, seconds)
    except OSError as error:
        return (
            f"No Bolt server answers at {where} ({error.strerror or error}). Check the address, and that the "
            "database is running."
        )
    if len(answer) != 4 and _speaks_http(place, seconds):
        return (
            f"{where} is an HTTP port, not a Bolt port. Give the database's Bolt address, "
            f"such as {parts.scheme}://{parts.hostname}:{BOLT_PORT}."
        )
    return None


def _answer(place: tuple[str, int], greeting: bytes, seconds: float) -> bytes:
    """Return the first bytes of the response to `greeting`;
    empty if the server closes the connection or is too slow."""
    with socket.create_connection(place, timeout=seconds) as connection:
        try:
            connection.sendall(greeting)
            return connection.recv(16)
        except (TimeoutError, ConnectionError):
            return b""


def _speaks_http(place: tuple[str, int], seconds: float) -> bool:
    try:
        return _answer(place, HTTP_REQUEST, seconds).startswith(b"HTTP/")
    except OSError:
        return False
