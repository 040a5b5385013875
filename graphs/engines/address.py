"""The address of a database and the user who connects to it, and a check whether a Bolt server listens there."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
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
    message or file shows them; a separately given user or password takes precedence. So is a path, `…:7687/films`,
    which names the database.
    """

    uri: str
    user: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None

    def __post_init__(self) -> None:
        uri, user, password = without_credentials(self.uri.strip())
        base, sign, rest = uri.partition("://")
        host, slash, path = rest.partition("/")
        if slash and "?" not in rest and "#" not in rest and path.count("/") <= path.endswith("/"):
            uri = f"{base}{sign}{host}"
            object.__setattr__(self, "database", self.database or unquote(path.strip("/")) or None)
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
            EngineUnavailable: the scheme, the host, the port or something after them is wrong; the message says which.
        """
        if wrong := _wrong_part(self.uri):
            raise EngineUnavailable(
                f"{self.where()!r} is not the address of a Bolt server: {wrong}. Write it as neo4j://HOST:7687, "
                "bolt://HOST:7687, or neo4j+s://HOST for a server with TLS, such as Neo4j Aura."
            )


def _wrong_part(uri: str) -> str | None:
    """Return what is wrong with an address, beginning with the part that is; None if nothing is."""
    scheme, sign, rest = uri.partition("://")
    if not sign:
        return f"it has no scheme ({', '.join(SCHEMES)})"
    if scheme.lower() not in SCHEMES:
        return f"the scheme {scheme!r} is none of {', '.join(SCHEMES)}"
    place = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host, _, port = place.rpartition(":") if re.search(r":[^\]:]*$", place) else (place, "", "")
    if place.count(":") > 1 and not place.startswith("["):
        return f"the IPv6 address in {place!r} needs brackets, as in [::1]:7687"
    if place.startswith("[") and "]" not in place:
        return f"the bracket of {place!r} is not closed"
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        return f"the host {host!r} cannot be read ({error})"
    if not parts.hostname:
        return "the host is missing"
    if port and not (port.isdecimal() and 0 < int(port) < 65_536):
        return f"the port {port!r} is not a number from 1 to 65535"
    if parts.path or parts.query or parts.fragment:
        return f"{uri.partition(parts.netloc)[2]!r} after the host is no name of a database"
    return None


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
    users: Mapping[str, Database] = field(default_factory=dict, compare=False, repr=False)
    """The same database as each further database user sees it, by the subject of the callers who are that user."""
    problem: str = field(default="", compare=False)
    """Why the settings are incomplete, such as an unset password variable; the graph then cannot be opened."""

    def __post_init__(self) -> None:
        address = BoltAddress(self.uri, self.username or "", self.password or "", self.database)
        object.__setattr__(self, "uri", address.uri)
        object.__setattr__(self, "database", address.database)
        object.__setattr__(self, "username", address.user or None)
        object.__setattr__(self, "password", address.password or None)

    def checked_address(self) -> BoltAddress:
        """Return the address and credentials with which the engine connects.

        Raises:
            EngineUnavailable: the settings are incomplete, or the address is invalid.
        """
        if self.problem:
            raise EngineUnavailable(self.problem)
        address = BoltAddress(self.uri, self.username or "", self.password or "", self.database)
        address.check()
        return address

    @property
    def naming(self) -> dict[str, str]:
        """The content of `name_property` as a map: `{"Order": "orderNo", "Person": "fullName"}`."""
        pairs = [pair.partition("=") for pair in (self.name_property or "").split(",") if pair.strip()]
        return {label.strip(): key.strip() for label, _, key in pairs}

    @property
    def key(self) -> str:
        """The key of the schema in the cache; it includes the user, who may see only a part of the database."""
        return f"{self.uri} {self.database or ''} {self.username or ''}"
