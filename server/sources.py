"""From settings to graphs that can be opened: the loaded ones, and those of your own databases."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.bundled import bundled_graphs
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import Engine, EngineError, EngineUnavailable, EngineUnreachable
from graphground.graphs.engines.port_check import problem_at
from graphground.graphs.entities.places import index_of
from graphground.graphs.entities.vectors.encoders import EncoderMissing
from graphground.graphs.entities.vectors.in_database import DatabaseVectors
from graphground.graphs.graph import Graph
from graphground.graphs.opening.bundled import is_bundled
from graphground.graphs.opening.live_schema import connected_graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.opening.write_guard import refuses_writes
from graphground.graphs.storage.catalog import CatalogError
from graphground.graphs.storage.home import Home
from graphground.server.settings import Database, Settings, default_home

logger = logging.getLogger(__name__)


def graph_sources(settings: Settings) -> OpenGraphs:
    """The graphs of a server, each opened when it is first asked for.

    Your own database goes before a loaded graph of the same name, and stands alone, without the bundled
    graph, unless that is asked for: then `graph` may be left out in every call.
    """
    home = Home(default_home(settings.home))
    databases = settings.bolt_databases()
    tell_unusable(databases)
    own = [GraphSource(database.name, database.description, "bolt", partial(open_database, database, home),
                       eager=True, problem=partial(problem_of, database)) for database in databases]
    taken = {source.name for source in own}
    try:
        taken |= left_out(settings)
        stored = [source for source in stored_sources(home) if source.name not in taken]
    except CatalogError as error:
        if not own:
            raise EngineUnavailable(str(error)) from None
        logger.warning(error)  # your own databases need no catalog
        stored = []
    return OpenGraphs(chosen([*stored, *own], settings.graph))


def bundled_names(home: Home) -> set[str]:
    """The graphs that come with the program, but for those in whose place the user loaded one of their own."""
    return {bundled.name for bundled in bundled_graphs() if is_bundled(bundled.name, home)}


def left_out(settings: Settings) -> set[str]:
    """The bundled graphs that a server with these settings does not serve: they stand back for your own database."""
    if settings.graph or not settings.bolt_databases():
        return set()
    return bundled_names(Home(default_home(settings.home)))


def problem_of(database: Database) -> str | None:
    """Why the database cannot be reached at this moment, found without asking it anything."""
    address = BoltAddress(database.uri)
    try:
        address.check()
    except EngineUnavailable as error:
        return str(error)
    return problem_at(address, seconds=1.0, speak=False)


def tell_unusable(databases: Sequence[Database]) -> None:
    """Warn of an address that no driver could use, long before somebody asks that graph."""
    for one in databases:
        try:
            BoltAddress(one.uri).check()
        except EngineUnavailable as error:
            logger.warning("graph %r: %s", one.name, error)


def chosen(sources: Sequence[GraphSource], names: Sequence[str]) -> list[GraphSource]:
    """The sources of those names, all when none is given; a name that is missing says so when it is asked."""
    if not names:
        return list(sources)
    known = {source.name: source for source in sources}
    return [known.get(name) or missing(name, list(known)) for name in dict.fromkeys(names)]


def missing(name: str, known: Sequence[str]) -> GraphSource:
    """A graph that was asked for on the command line and is not there."""
    message = (f"there is no graph {name!r}; there are: {', '.join(known) or 'none'}. Load it with "
               f"`graphground graphs load FILE --name {name}`, or serve another with --graph.")
    logger.warning(message)

    def fail() -> Graph:
        raise EngineUnavailable(message)

    return GraphSource(name, f"(not loaded: {message})", "none", fail)


def open_database(database: Database, home: Home | None = None) -> Graph:
    """Connect to your own database and read its schema, or take the one read before.

    The entity index that was built of it in the data folder goes with it. Without a data folder nothing is read.
    Where the database itself does not refuse writes, that is logged as a warning.

    Raises:
        EngineUnavailable: a wrong address, a refused password, a missing database.
    """
    address = BoltAddress(database.uri, database.username or "", database.password or "", database.database)
    address.check()
    if problem := problem_at(address):
        raise EngineUnreachable(problem)
    engine = bolt_engine(address)
    try:
        refused = refuses_writes(database.name, engine)
        if home is None:
            nothing = PropertyGraphSchema(database.name, {}, (), open=True)
            graph = Graph(database.name, nothing, database.description, engine)
        else:
            key = f"{database.uri} {database.database or ''} {database.username or ''}"
            graph = connected_graph(database.name, database.description, engine, key, home.schemas)
            index = index_of(home, database.name)
            graph.entities, graph.vectors = index, vectors_in(database, engine)
            if index is not None:
                index.database = graph.vectors
        graph.refuses_writes, graph.dialect = refused, engine.capabilities().dialect
        graph.language = engine.capabilities().language
    except EngineError:
        engine.close()
        raise
    return graph


def vectors_in(database: Database, engine: Engine) -> DatabaseVectors | None:
    """The database's own vector index, where its settings ask for it and its model is installed."""
    if database.vector_index is None or database.vector_model is None:
        return None
    try:
        return DatabaseVectors(engine, database.vector_model, database.vector_index)
    except EncoderMissing as error:
        logger.warning("graph %r: %s", database.name, error)
        return None
