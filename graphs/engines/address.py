"""The address of a database and the user who connects to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from graphground.graphs.engines.engine import EngineUnavailable

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


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
