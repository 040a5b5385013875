"""Opens a graph in your own database: its engine, its schema and its entity lookup."""

from __future__ import annotations

import logging

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import Engine, EngineError, EngineUnreachable
from graphground.graphs.engines.port_check import problem_at
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.entities.places import index_folder
from graphground.graphs.entities.vectors.encoders import EncoderMissing
from graphground.graphs.entities.vectors.in_database import DatabaseVectors
from graphground.graphs.graph import Graph
from graphground.graphs.opening.database import Database
from graphground.graphs.opening.live_schema import LiveSchema
from graphground.graphs.opening.write_guard import refuses_writes
from graphground.graphs.schemas.extraction.cache import SchemaCache
from graphground.graphs.schemas.statistics.live import LiveStatistics
from graphground.graphs.storage.home import Home

logger = logging.getLogger(__name__)


def open_database(database: Database, home: Home, *, may_be_provisional: bool = False) -> Graph:
    """Connect to your own database and open it as a graph, with its schema and its entity lookup.

    A schema in the data folder's cache is reused. If there is none and `may_be_provisional` is set, the first schema
    of a large Neo4j is provisional: it is read from a sample, and replaced when the whole database has been read. A
    warning is logged if the database does not refuse writes.

    Raises:
        EngineUnavailable: the address is invalid, no server answers there, the password is refused, or the database
            does not exist.
        EngineError: the schema cannot be read.
    """
    address = address_of(database)
    address.check()
    if problem := problem_at(address):
        raise EngineUnreachable(problem)
    engine = bolt_engine(address)
    live = LiveSchema(
        engine,
        database.name,
        database.key,
        SchemaCache(home.schemas),
        database.naming,
        may_be_provisional=may_be_provisional,
    )
    try:
        able = engine.capabilities()
        refused = refuses_writes(database.name, engine)
        live.open()
        names = lookup_for(database, home, engine, live)
        facts = LiveStatistics(
            database.name,
            engine,
            live.complete,
            SchemaCache(home.schemas).path(database.key).with_suffix(".statistics.json"),
            lambda: live.mark,
        )
        graph = Graph(
            database.name,
            live,
            database.description,
            engine,
            names,
            dialect=able.dialect,
            language=able.language,
            refuses_writes=refused,
            background=(names,),
            facts=facts,
        )
        names.start()
        facts.now()
        return graph
    except EngineError:
        live.stop()
        engine.close()
        raise


def address_of(database: Database) -> BoltAddress:
    """Return the address and credentials with which the engine connects."""
    return BoltAddress(database.uri, database.username or "", database.password or "", database.database)


def lookup_for(database: Database, home: Home, engine: Engine, live: LiveSchema) -> OwnIndex:
    """Return the database's entity index; the index is stored in the data folder and updated in the background."""
    return OwnIndex(
        database.name,
        engine,
        lambda: live.schema,
        lambda: live.mark,
        index_folder(home, database.name),
        vectors_in(database, engine),
        live.wait_until_complete,
        live.after_reading,
    )


def vectors_in(database: Database, engine: Engine) -> DatabaseVectors | None:
    """Return the database's own vector index; None if none is configured, or if its model is not installed."""
    if database.vector_index is None or database.vector_model is None:
        return None
    try:
        return DatabaseVectors(engine, database.vector_model, database.vector_index)
    except EncoderMissing as error:
        logger.warning("graph %r: %s", database.name, error)
        return None
