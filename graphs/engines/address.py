"""The address of a database and the user who connects to it, and a check whether a Bolt server listens there."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from graphground.graphs.engines.engine import EngineUnavailable

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
BOLT_PORT = 7687
HANDSHAKE = bytes.fromhex("6060b01700080805000204040000000300000000")
"""Bolt's magic number and four proposals for the protocol version; a Bolt server responds with four bytes."""
HTTP_REQUEST = b"HEAD / HTTP/1.0\r\n\r\n"


def without_credentials(uri: str) -> tuple[str, str, str]:
    """Split an address into the address without credentials, the user and the password.

        >>> without_credentials("bolt://reader:s%40cret@graphs.example:7687")
        ('bolt://graphs.example:7687', 'reader', 's@cret')

    Everything between `://` and the last `@` is credentials, because a password may contain characters that end a host
    name. The user and the password are empty if the address contains no credentials.
    """
    scheme, sign, rest = uri.partition("://")
    if not sign:
        scheme, rest = "", uri
    credentials, at, host = rest.rpartition("@")
    if not at:
        return uri, "", ""
    user, _, password = credentials.partition(":")
    return f"{scheme}{sign}{host}", unquote(user), unquote(password)


@dataclass(frozen=True, slots=True)
class BoltAddress:
    """The address of a database: `BoltAddress("neo4j://graphs.example:7687", "reader", "secret", "films")`.

    `database=None` means the server's default database. A user and password inside the address are removed, so that no
    message or file shows them; a separately given user or password takes precedence.
    """

    uri: str
    user: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None

    def __post_init__(self) -> None:
        uri, user, password = without_credentials(self.uri)
        object.__setattr__(self, "uri", uri)
        if not self.user:
            object.__setattr__(self, "user", user)
        if not self.password and self.user == user:
            object.__setattr__(self, "password", password)

    def where(self) -> str:
        """Return the address as messages show it: scheme, host and port."""
        try:
            parts = urlsplit(self.uri)
        except ValueError:
            return self.uri
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else self.uri

    def check(self) -> None:
        """Raise an error if no driver could use the address.

        Raises:
            EngineUnavailable: an unknown scheme, no host, or an invalid port.
        """
        try:
            parts = urlsplit(self.uri)
            usable = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise EngineUnavailable(
                f"{self.where()!r} is not the address of a Bolt server. Write it as "
                f"neo4j://HOST:7687 or bolt://HOST:7687 (schemes: {', '.join(SCHEMES)})."
            )


def problem_at(address: BoltAddress, seconds: float = 2.0, *, speak: bool = True) -> str | None:
    """Return a message that says why no Bolt server can be used at an address; None if no problem is found.

    A driver would wait ten seconds for a server of another kind.

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


@dataclass(frozen=True)
class Database:
    """A graph in your own Bolt database: `Database("films", "neo4j://localhost:7687", "neo4j", "…")`."""

    name: str
    uri: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    description: str = ""
    vector_index: str | None = None
    """The name of a vector index in the database; with `auto`, each label's only vector index is used.

    `vector_model` is the model that computed the vectors of the index.
    """
    vector_model: str | None = None
    name_property: str | None = None
    """The property that names the nodes, for each label where it is not detected: `Order=orderNo, Person=fullName`."""
    problem: str = field(default="", compare=False)
    """Why the settings are incomplete, such as an unset password variable; the graph then cannot be opened."""

    def __post_init__(self) -> None:
        address = BoltAddress(self.uri, self.username or "", self.password or "")
        object.__setattr__(self, "uri", address.uri)
        object.__setattr__(self, "username", address.user or None)
        object.__setattr__(self, "password", address.password or None)

    @property
    def naming(self) -> dict[str, str]:
        """The content of `name_property` as a map: `{"Order": "orderNo", "Person": "fullName"}`."""
        pairs = [pair.partition("=") for pair in (self.name_property or "").split(",") if pair.strip()]
        return {label.strip(): key.strip() for label, _, key in pairs}

    @property
    def key(self) -> str:
        """The key of the schema in the cache; it includes the user, who may see only a part of the database."""
        return f"{self.uri} {self.database or ''} {self.username or ''}"
