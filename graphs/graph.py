"""An open graph: a schema and, if the graph has data, an engine and an entity lookup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from graphground.cypher.language import Language
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.dialects import Dialect
from graphground.graphs.engines.engine import Engine, EngineUnavailable
from graphground.graphs.engines.table import Table
from graphground.graphs.entities.candidate import EntityLookup

if TYPE_CHECKING:
    from graphground.cypher.tree import Query
    from graphground.graphs.schemas.statistics.model import Statistics


class SchemaReader(Protocol):
    """A schema that is read from a database and kept up to date, such as `opening.live_schema.LiveSchema`."""

    @property
    def schema(self) -> PropertyGraphSchema:
        """The schema as it was last read."""
        ...

    def refresh(self) -> object:
        """Reread the schema from the database."""
        ...

    @property
    def stale(self) -> bool:
        """Whether the database is known to have changed since the schema was read."""
        ...

    @property
    def provisional(self) -> bool:
        """Whether the schema was sampled, and the complete one is still being read."""
        ...

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The numbers of nodes and relationships when the schema was last read."""
        ...

    def look(self) -> None:
        """Check whether the database has changed; fast enough to be called before every tool call."""
        ...

    def settle(self) -> bool:
        """Reread a stale schema, or wait until a provisional one is complete; return whether it has been replaced."""
        ...

    def stop(self) -> None:
        """Stop the background reading; may be called twice."""
        ...


class StatisticsReader(Protocol):
    """A source of a graph's statistics, such as `schemas.statistics.live.LiveStatistics`."""

    def now(self, *, fresh: bool = False) -> Statistics | None:
        """Return the statistics known now, or None; with `fresh`, only statistics read since the last known change."""
        ...

    def stop(self) -> None:
        """Stop the background reading; may be called twice."""
        ...


class Background(Protocol):
    """Background work that follows the changes of a database, and stops when its graph is closed."""

    def look(self) -> None:
        """Begin the work that a change has made necessary; returns at once."""
        ...

    def stop(self) -> None:
        """Stop the work; may be called twice."""
        ...


@dataclass
class Graph:
    """A graph that tools can query.

    `Graph("films", schema)` is a schema without data; everything that needs no data works on such a graph.
    """

    name: str
    definition: PropertyGraphSchema | SchemaReader
    """The schema, or an object that reads it from a database and keeps it up to date."""
    description: str = ""
    engine: Engine | None = None
    entities: EntityLookup | None = None
    """The entity lookup; None if the graph has no data."""
    samples: Mapping[tuple[str, str], Sequence[Any]] | None = None
    """Sample values by (label or relationship type, property); None if they have not been read."""
    sampled: PropertyGraphSchema | None = None
    """The schema with which the samples were read; None if they were stored with the graph."""
    dialect: Dialect | None = None
    """The dialect of the graph's database, if it is known without a query."""
    language: Language = "cypher5"
    """The version of Cypher for queries that do not state one."""
    refuses_writes: bool | None = None
    """Whether the database itself refused a trial write; None if this was not tried."""
    background: Sequence[Background] = ()
    facts: StatisticsReader | None = None
    """The reader of the graph's statistics; None if the graph has no data."""

    @property
    def schema(self) -> PropertyGraphSchema:
        """The current schema as last read."""
        return self.definition if isinstance(self.definition, PropertyGraphSchema) else self.definition.schema

    @property
    def indexed_entities(self) -> EntityLookup | None:
        """The entity lookup if it is a built index, else None.

        Only a built index is fast enough for checking a query. Names that are only in the database would have to be
        read first, in a call that must not run a query.
        """
        return self.entities if self.entities is not None and self.entities.info is not None else None

    def refresh(self) -> None:
        """Reread the schema from the database; does nothing for a graph with a fixed schema.

        Raises:
            EngineError: the database cannot be read.
        """
        if not isinstance(self.definition, PropertyGraphSchema):
            self.definition.refresh()

    @property
    def stale(self) -> bool:
        """Whether the database is known to have changed since the schema was read."""
        return not isinstance(self.definition, PropertyGraphSchema) and self.definition.stale

    @property
    def provisional(self) -> bool:
        """Whether the schema is that of a sample, and the complete one is still being read."""
        return not isinstance(self.definition, PropertyGraphSchema) and self.definition.provisional

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The numbers of nodes and relationships when the schema was read; None for a fixed schema."""
        return (None, None) if isinstance(self.definition, PropertyGraphSchema) else self.definition.counts

    def look(self) -> None:
        """Check before a call whether the database has changed; does nothing for a graph with a fixed schema."""
        if not isinstance(self.definition, PropertyGraphSchema):
            self.definition.look()
            for work in self.background:
                work.look()

    def settle(self) -> bool:
        """Reread a stale schema, or wait until a provisional one is complete; return whether it has been replaced."""
        return not isinstance(self.definition, PropertyGraphSchema) and self.definition.settle()

    def statistics(self, *, fresh: bool = False) -> Statistics | None:
        """Return the statistics of the data that are known now; never waits and never queries the database.

        None for a schema without data, and until the statistics have been read in the background. With `fresh`, also
        None if the database is known to have changed since they were read.

            facts = graph.statistics()
            if facts is not None and facts.fill("Country", "founding_date") == 0: ...
        """
        return self.facts.now(fresh=fresh) if self.facts is not None else None

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query, given as text or as a tree; `timeout` is in seconds.

        Raises:
            EngineUnavailable: the graph has no data, or its database does not respond.
            QueryFailed: the database refused the query.
            QueryTimeout: the query was terminated at the time limit.
        """
        if self.engine is None:
            raise EngineUnavailable(
                f"the graph {self.name!r} is a schema without data; load one with "
                f"`graphground graphs load FILE --name {self.name}`"
            )
        return self.engine.run(query, parameters, limit=limit, timeout=timeout)

    def close(self) -> None:
        """Stop background work and close the connections; may be called twice."""
        if not isinstance(self.definition, PropertyGraphSchema):
            self.definition.stop()
        for work in self.background:
            work.stop()
        if self.facts is not None:
            self.facts.stop()
        if self.engine is not None:
            self.engine.close()
