"""From settings to graphs that can be opened: the loaded ones, and those of databases of one's own."""

from __future__ import annotations

from functools import partial

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.graph import Graph
from graphground.graphs.opened import GraphSource, OpenGraphs
from graphground.server.settings import Database, Settings


def graph_sources(settings: Settings) -> OpenGraphs:
    """The graphs of a server, each opened when it is first asked for."""
    sources = [GraphSource(one.name, one.description, "bolt", partial(open_database, one))
               for one in settings.bolt_databases()]
    return OpenGraphs(sources)


def open_database(database: Database) -> Graph:
    """Connect to a database of one's own."""
    engine = bolt_engine(BoltAddress(database.uri, database.username or "", database.password or "",
                                     database.database))
    return Graph(database.name, PropertyGraphSchema(database.name, {}, (), open=True), database.description, engine)
