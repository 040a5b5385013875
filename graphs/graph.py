"""The opened graph: a schema and, where there is data, an engine and an entity index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphground.cypher.api import Language
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.dialects import Dialect
from graphground.graphs.engines.engine import Engine, EngineUnavailable
from graphground.graphs.entities.candidate import EntityLookup
from graphground.graphs.table import Table

if TYPE_CHECKING:
    from graphground.cypher.tree import Query
    from graphground.graphs.entities.vectors.in_database import DatabaseVectors


@dataclass
class Graph:
    """One graph that tools can ask.

    A graph without an engine is a schema alone: everything that needs no data works on it.
    """

    name: str
    schema: PropertyGraphSchema
    description: str = ""
    engine: Engine | None = None
    entities: EntityLookup | None = None
    samples: Mapping[tuple[str, str], Sequence[Any]] | None = None
    """Sample values by label or relationship type and property; None while they were not read."""
    refresh: Callable[[], object] | None = None
    """Reads the schema anew from the database; None where the schema is a definition, which nothing can change."""
    before_close: Callable[[], None] | None = None
    """Ends what still asks the engine in the background."""
    vectors: DatabaseVectors | None = None
    """The vector index of the database itself, where the graph's settings ask for it."""
    dialect: Dialect | None = None
    """What its kind of database does in its own way, where that is known without asking it."""
    language: Language = "cypher5"
    """The version of Cypher of queries that do not say their own."""
    refuses_writes: bool | None = None
    """Whether the database itself refuses writes, as it was tried; None while it was not."""

    def run(self, query: str | Query, parameters: Mapping[str, Any] | None = None, *,
            limit: int | None = None, timeout: float | None = None) -> Table:
        """Run one reading query, given as a text or as its tree; `timeout` is in seconds.

        Raises:
            EngineUnavailable: the graph has no data, or its database does not answer.
            QueryFailed: the database refused the query.
            QueryTimeout: it was ended at the time limit.
        """
        if self.engine is None:
            raise EngineUnavailable(f"the graph {self.name!r} is a schema without data; load one with "
                                    f"`graphground graphs load FILE --name {self.name}`")
        return self.engine.run(query, parameters, limit=limit, timeout=timeout)

    def close(self) -> None:
        """End what runs in the background and give back the connections; calling it twice is fine."""
        if self.before_close is not None:
            self.before_close()
        if self.engine is not None:
            self.engine.close()
