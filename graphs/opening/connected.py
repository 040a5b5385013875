"""Opens a graph in your own database: its engine, its schema and its entity lookup."""

from __future__ import annotations

import hashlib
import logging

from graphground.graphs.engines.address import Database, problem_at
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import Engine, EngineError, EngineUnreachable
from graphground.graphs.entities.index import index_folder
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.entities.vectors.building import EncoderMissing
from graphground.graphs.entities.vectors.in_database import DatabaseVectors
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.live_schema import LiveSchema, SchemaCache
from graphground.graphs.schemas.statistics import LiveStatistics
from graphground.graphs.storage.home import Home

logger = logging.getLogger(__name__)


def open_database(database: Database, home: Home, *, user: str = "") -> Graph:
    """Connect to your own database and open it as a graph, with its schema and its entity lookup.

    A schema in the data folder's cache is reused; if there is none, the database is read for a limited time. A warning
    is logged if the database does not refuse writes. For a further `user` of the database, everything that is read is
    kept apart: the cached schema and statistics, whose key has the user's name, and the index.

    Raises:
        EngineUnavailable: the address is invalid, no server answers there, the password is refused, or the database
            does not exist.
        EngineError: the schema cannot be read.
    """
    address = database.checked_address()
    if problem := problem_at(address):
        raise EngineUnreachable(problem)
    engine = bolt_engine(address)
    live = LiveSchema(engine, database.name, database.key, SchemaCache(home.schemas), database.naming)
    try:
        able = engine.capabilities()
        refused = write_protected(database.name, engine)
        live.open()
        kept_apart = f"{database.name}-{hashlib.sha256(database.key.encode()).hexdigest()}"
        names = OwnIndex(
            database.name,
            engine,
            lambda: live.schema,
            lambda: live.mark,
            index_folder(home, kept_apart if user else database.name),
            vectors_in(database, engine),
            live.complete,
            live.after_reading,
        )
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
            write_protected=refused,
            background=(names,),
            statistics_reader=facts,
        )
        names.start()
        facts.now()
        return graph
    except EngineError:
        live.stop()
        engine.close()
        raise


def vectors_in(database: Database, engine: Engine) -> DatabaseVectors | None:
    """Return the database's own vector index; None if none is configured, or if its model is not installed."""
    if database.vector_index is None or database.vector_model is None:
        return None
    try:
        return DatabaseVectors(engine, database.vector_model, database.vector_index)
    except EncoderMissing as error:
        logger.warning("graph %r: %s", database.name, error)
        return None


# Whether the database itself refuses writes: the second line of defence after our own check.


def write_protected(name: str, engine: Engine) -> bool | None:
    """Whether the database refuses a trial write; log a warning about the graph `name` if it does not.

    None, also with a warning, if the trial write was impossible or failed for another reason.

    Raises:
        EngineError: the database does not respond.
    """
    outcome = engine.capabilities().trial_write
    if outcome == "refused":
        return True
    logger.warning("graph %r: %s", name, warning(engine))
    return False if outcome == "accepted" else None


def warning(engine: Engine) -> str:
    """Return the warning, with advice, about a database that has not refused a trial write.

    Raises:
        EngineError: the database does not respond.
    """
    capabilities = engine.capabilities()
    dialect = capabilities.dialect
    advice = f"Connect as a read-only user ({dialect.reader}). {dialect.refuses_by_itself}".strip()
    if capabilities.trial_write == "accepted":
        trial = "which was rolled back" if dialect.probe_writes else "which would have changed nothing"
        return (
            f"its {dialect.product} did not refuse a trial write, {trial}. Only graphground's own check prevents queries from "
            f"writing. {advice}"
        )
    if capabilities.trial_write == "impossible":
        reason = "a trial write needs a label, and no label could be read"
    else:
        reason = "a trial write failed for a reason other than missing permissions"
    return (
        f"it is not known whether its {dialect.product} refuses writes: {reason}. If it does not, only graphground's own check "
        f"prevents queries from writing. {advice}"
    )


# Finds out whether a Neo4j server limits the memory of a transaction: without a limit, a query can use all memory.


SETTING = "db.memory.transaction.max"
ADVICE = (
    f"Set {SETTING} in neo4j.conf to about an eighth of server.memory.heap.max_size, such as 256m for a heap of 2g: "
    "otherwise a single query may use up the memory that all others need."
)


def memory_limit(engine: Engine) -> str | None:
    """Return a transaction's memory limit as Neo4j writes it: `256.00MiB`, or `0B` for no limit.

    Return None if the limit cannot be read, and for any database other than Neo4j.
    """
    if not engine.capabilities().dialect.limits_memory:
        return None
    try:
        rows = engine.run(f"SHOW SETTINGS '{SETTING}' YIELD value", limit=1, timeout=10).rows
    except EngineError:
        return None
    return str(rows[0][0]) if rows else None


def is_unlimited(limit: str) -> bool:
    """Whether a limit as Neo4j writes it means "no limit": `is_unlimited("0B")` is True."""
    return limit.strip("BbKMGTiI ").strip("0.") == ""
