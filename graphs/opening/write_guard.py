"""Whether the database itself refuses writes: the second line of defence after our own check."""

from __future__ import annotations

import logging

from graphground.graphs.engines.engine import Engine

logger = logging.getLogger(__name__)


def refuses_writes(name: str, engine: Engine) -> bool | None:
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
    product, dialect = capabilities.product, capabilities.dialect
    advice = f"Connect as a read-only user ({dialect.reader}). {dialect.refuses_by_itself}".strip()
    if capabilities.trial_write == "accepted":
        trial = "which was rolled back" if dialect.probe_writes else "which would have changed nothing"
        return (
            f"its {product} did not refuse a trial write, {trial}. Only graphground's own check prevents queries from "
            f"writing. {advice}"
        )
    if capabilities.trial_write == "impossible":
        reason = "a trial write needs a label, and no label could be read"
    else:
        reason = "a trial write failed for a reason other than missing permissions"
    return (
        f"it is not known whether its {product} refuses writes: {reason}. If it does not, only graphground's own check "
        f"prevents queries from writing. {advice}"
    )
