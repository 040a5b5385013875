"""Finds out whether a Neo4j server limits the memory of a transaction: without a limit, a query can use all memory."""

from __future__ import annotations

from graphground.graphs.engines.engine import Engine, EngineError

SETTING = "db.memory.transaction.max"
ADVICE = (
    f"Set {SETTING} in neo4j.conf to about an eighth of server.memory.heap.max_size, such as 256m for a heap of 2g: "
    "otherwise a single query may use up the memory that all others need."
)


def memory_limit(engine: Engine) -> str | None:
    """Return a transaction's memory limit as Neo4j writes it: `256.00MiB`, or `0B` for no limit.

    Return None if the limit cannot be read, and for any database other than Neo4j.
    """
    if engine.capabilities().dialect.name != "neo4j":
        return None
    try:
        rows = engine.run(f"SHOW SETTINGS '{SETTING}' YIELD value", limit=1, timeout=10).rows
    except EngineError:
        return None
    return str(rows[0][0]) if rows else None


def is_unlimited(limit: str) -> bool:
    """Whether a limit as Neo4j writes it means "no limit": `is_unlimited("0B")` is True."""
    return limit.strip("BbKMGTiI ").strip("0.") == ""
