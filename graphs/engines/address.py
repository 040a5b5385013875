"""Where a database is and who asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from graphground.graphs.engines.engine import EngineUnavailable

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


@dataclass(frozen=True, slots=True)
class BoltAddress:
    """`BoltAddress("neo4j://graphs.example:7687", "reader", "secret", "films")`.

    `database=None` asks the server's default database.
    """

    uri: str
    user: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None

    def where(self) -> str:
        """The address for messages, without a user or password that stands in it."""
        try:
            parts = urlsplit(self.uri)
        except ValueError:
            return self.uri.rpartition("@")[2]
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else self.uri.rpartition("@")[2]

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
            raise EngineUnavailable(f"{self.where()!r} is not the address of a Bolt server. Write it as "
                                    f"neo4j://HOST:7687 or bolt://HOST:7687 (schemes: {', '.join(SCHEMES)}).")
