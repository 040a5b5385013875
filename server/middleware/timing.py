"""Logs one line per call, with its duration and the size of its answer."""

from __future__ import annotations

import logging
from time import perf_counter

from graphground.server.call import Call, Next, Outcome

logger = logging.getLogger(__name__)


def log_time(call: Call, proceed: Next) -> Outcome:
    """Run the next step, and log its time at level info: `execute_cypher ok 3.1 ms 5120 bytes`."""
    if not logger.isEnabledFor(logging.INFO):
        return proceed(call)
    begin = perf_counter()
    outcome = proceed(call)
    logger.info(
        "%s %s %.1f ms %d bytes",
        call.tool.name,
        "failed" if outcome.is_error else "ok",
        (perf_counter() - begin) * 1000,
        len(outcome.payload),
    )
    return outcome
