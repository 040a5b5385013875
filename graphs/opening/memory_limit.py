"""Finds out whether a Neo4j limits the memory of a transaction: without a limit one query can use all the memory."""

from __future__ import annotations

from graphground.graphs.engines.engine import Engine, EngineError

SETTING = "db.memory.transaction.max"
ADVICE = (
    f"Add {SETTING}=256m (about an eighth of the heap, server.memory.heap.max_size) to neo4j.conf: otherwise a single "
    "query may take the memory of all others."
)


def memory_limit(engine: Engine) -> str | None:
    """Return the memory limit of a transaction as Neo4j writes it, `256.00MiB`; `0B` means no limit, None unknown."""
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
