"""The connection settings of a graph in your own database."""

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
    """The name of a vector index in the database; with `auto`, each label's only vector index is used.

    `vector_model` is the model that computed the vectors of the index.
    """
    vector_model: str | None = None
    name_property: str | None = None
    """The property that names the nodes, for each label where it is not detected: `Order=orderNo, Person=fullName`."""

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
