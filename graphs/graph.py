"""An open graph: a schema and, if the graph has data, an engine and an entity lookup."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import Language
from graphground.cypher.safety.access import unknown_functions
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.dialects import Dialect
from graphground.graphs.engines.engine import Engine, EngineUnavailable, Table
from graphground.graphs.entities.candidate import EntityLookup

if TYPE_CHECKING:
    from graphground.cypher.tree import Query
    from graphground.graphs.entities.own_index import OwnIndex
    from graphground.graphs.schemas.live_schema import LiveSchema
    from graphground.graphs.schemas.statistics import LiveStatistics, Statistics

CHECK_SECONDS = 0.25
"""The minimum time, in seconds, between checks for changes that run beside calls."""


@dataclass
class Graph:
    """A graph that tools can query.

    `Graph("films", schema)` is a schema without data; everything that needs no data works on such a graph.
    """

    name: str
    schema_source: PropertyGraphSchema | LiveSchema
    """The schema, or an object that reads it from a database and keeps it up to date."""
    description: str = ""
    engine: Engine | None = None
    entities: EntityLookup | None = None
    """The entity lookup; None if the graph has no data."""
    samples: Mapping[tuple[str, str], Sequence[Any]] | None = None
    """Sample values by (label or relationship type, property); None if they have not been read."""
    sampled: PropertyGraphSchema | None = None
    """The schema for which the samples were read; None if no samples have been read since the graph was opened."""
    dialect: Dialect | None = None
    """The dialect of the graph's database; None if only a query could find it."""
    language: Language = "cypher5"
    """The version of Cypher for queries that do not state one."""
    write_protected: bool | None = None
    """Whether the database itself refused a trial write; None if this could not be tried or is unclear."""
    background: Sequence[OwnIndex] = ()
    """The indexes to build again after the database has changed."""
    statistics_reader: LiveStatistics | None = None
    """The reader of the graph's statistics; None if the graph has no data."""
    _checked: float = field(default=0.0, init=False, repr=False, compare=False)

    @property
    def schema(self) -> PropertyGraphSchema:
        """The current schema as last read."""
        return self.schema_source if isinstance(self.schema_source, PropertyGraphSchema) else self.schema_source.schema

    @property
    def indexed_entities(self) -> EntityLookup | None:
        """The entity lookup if it is a built index, else None.

        Only a built index can be used while a query is checked: without it, names would have to be read from the
        database, but a check must not run a query.
        """
        return self.entities if self.entities is not None and self.entities.info is not None else None

    def refresh(self) -> None:
        """Reread the schema from the database; does nothing for a graph with a fixed schema.

        Raises:
            EngineError: the database cannot be read.
        """
        if not isinstance(self.schema_source, PropertyGraphSchema):
            self.schema_source.refresh()

    @property
    def stale(self) -> bool:
        """Whether the database is known to have changed since the schema was read."""
        return not isinstance(self.schema_source, PropertyGraphSchema) and self.schema_source.stale

    @property
    def unreachable(self) -> str | None:
        """The reason why the database could not be reached when changes were last looked for; None if it could."""
        return None if isinstance(self.schema_source, PropertyGraphSchema) else self.schema_source.unreachable

    @property
    def partial(self) -> bool:
        """Whether something of the schema could not be read, or not yet."""
        return not isinstance(self.schema_source, PropertyGraphSchema) and self.schema_source.partial

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The numbers of nodes and relationships when the schema was read.

        A number is None if it is unknown; both are None for a fixed schema.
        """
        return (None, None) if isinstance(self.schema_source, PropertyGraphSchema) else self.schema_source.counts

    def check_for_changes(self) -> None:
        """Check whether the database has changed; after a change, reread the schema and start the background work.

        Does nothing for a graph with a fixed schema.
        """
        if not isinstance(self.schema_source, PropertyGraphSchema):
            self.schema_source.check_for_changes()
            for work in self.background:
                work.check_for_changes()

    def check_beside(self) -> None:
        """Check for changes in a separate thread, beside the call that follows; at most every `CHECK_SECONDS`.

        The call may use the schema from before a change. That is right for a query without a schema error, which the
        database itself answers; before an error is reported, `await_current_schema` brings the schema up to date.
        """
        now = time.monotonic()
        if now - self._checked >= CHECK_SECONDS and not isinstance(self.schema_source, PropertyGraphSchema):
            self._checked = now
            threading.Thread(target=self.check_for_changes, name="graphground-changes", daemon=True).start()

    def await_current_schema(self) -> bool:
        """Bring the schema up to date: reread a stale schema.

        The time is limited, so the schema may still be stale afterwards. Returns whether the schema has been replaced.
        """
        return not isinstance(self.schema_source, PropertyGraphSchema) and self.schema_source.await_current_schema()

    def statistics(self, *, fresh: bool = False) -> Statistics | None:
        """Return the available statistics of the data; never waits and never queries the database.

        The result is None for a schema without data, and until the statistics have been read in the background. With
        `fresh`, it is also None if the database is known to have changed since they were read.

            facts = graph.statistics()
            if facts is not None and facts.fill("Country", "founding_date") == 0: ...
        """
        return self.statistics_reader.now(fresh=fresh) if self.statistics_reader is not None else None

    def await_statistics(self, seconds: float) -> bool:
        """Wait up to `seconds` for the first statistics of the data; return whether they came.

        In the first seconds of a server only the data say whether a whole number is a year or a time in milliseconds.
        """
        return (
            self.statistics_reader is not None
            and self.statistics() is None
            and self.statistics_reader.wait(seconds) is not None
        )

    def supports_other_functions(self, query: Query) -> bool:
        """Whether the database supports every function in the query that Neo4j does not support.

        The result is False if the database has no functions beyond those of Neo4j, or if the graph has no database. The
        additional functions of each database are a fixed list, and none of them has side effects.
        """
        functions = self.engine.capabilities().dialect.other_functions if self.engine is not None else frozenset()
        return bool(functions) and unknown_functions(query) <= functions

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query, given as text or as a tree.

        At most `limit` rows are returned; `timeout` is in seconds.

        Raises:
            EngineUnavailable: the graph has no data, or its database does not respond.
            QueryFailed: the database refused the query.
            QueryTimeout: the query was terminated at the time limit.
        """
        if self.engine is None:
            raise EngineUnavailable(
                f"the graph {self.name!r} is a schema without data; load its data with "
                f"`graphground graphs load FILE --name {self.name}`"
            )
        return self.engine.run(query, parameters, limit=limit, timeout=timeout)

    def close(self) -> None:
        """Stop background work and close the connections; may be called twice."""
        if not isinstance(self.schema_source, PropertyGraphSchema):
            self.schema_source.stop()
        for work in self.background:
            work.stop()
        if self.statistics_reader is not None:
            self.statistics_reader.stop()
        if self.engine is not None:
            self.engine.close()
