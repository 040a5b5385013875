"""Where a database is and who asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from graphground.graphs.engines.engine import EngineUnavailable

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def without_credentials(uri: str) -> tuple[str, str, str]:
    """An address, and the user and the password that stood in it.

        >>> without_credentials("bolt://reader:s%40cret@graphs.example:7687")
        ('bolt://graphs.example:7687', 'reader', 's@cret')

    Everything before the last `@` counts, for a password may hold what ends a host.
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
    """`BoltAddress("neo4j://graphs.example:7687", "reader", "secret", "films")`.

    `database=None` asks the server's default database. A user and password that stand in the address are taken out of
    it, so that no message and no file shows them; those that are given beside it win.
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
        """The address for messages."""
        try:
            parts = urlsplit(self.uri)
        except ValueError:
            return self.uri
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else self.uri

    def check(self) -> None:
        """Say what is wrong with an address that no driver could use.

        Raises:
            EngineUnavailable: an unknown scheme, no host, a port that is no number.
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
