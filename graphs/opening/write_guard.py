"""Whether the database itself refuses writes: the second line of defence after our own check."""

from __future__ import annotations

import logging

from graphground.graphs.engines.engine import Engine

logger = logging.getLogger(__name__)


def refuses_writes(name: str, engine: Engine) -> bool:
    """Whether the database refuses a trial write; log a warning about the graph `name` if it does not.

    Raises:
        EngineError: the database does not respond.
    """
    if engine.capabilities().enforces_read_only:
        return True
    logger.warning("graph %r: %s", name, warning(engine))
    return False


def warning(engine: Engine) -> str:
    """Return the warning, with advice, about a database where only our own check prevents writes."""
    capabilities = engine.capabilities()
    trial = "which was rolled back" if capabilities.dialect.probe_writes else "which would have changed nothing"
    return (
        f"its {capabilities.product} did not refuse a trial write, {trial}. Only graphground's "
        f"own check prevents queries from writing. Connect as a read-only user ({capabilities.dialect.reader})."
    )
