"""Where a graph in your own database is, and what is known of it before it is opened."""

from __future__ import annotations

from dataclasses import dataclass, field

from graphground.graphs.engines.address import BoltAddress


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
    """A vector index of the database itself, or `auto`; `vector_model` made its vectors."""
    vector_model: str | None = None

    def __post_init__(self) -> None:
        address = BoltAddress(self.uri, self.username or "", self.password or "")
        object.__setattr__(self, "uri", address.uri)
        object.__setattr__(self, "username", address.user or None)
        object.__setattr__(self, "password", address.password or None)

    @property
    def key(self) -> str:
        """The name of its schema in the cache: the same database read by another user may look different."""
        return f"{self.uri} {self.database or ''} {self.username or ''}"
