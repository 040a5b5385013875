"""Converts every exception that a tool raises to one form of failure."""

from __future__ import annotations

import logging

from graphground.graphs.engines.engine import EngineError
from graphground.server.call import Call, Next, Outcome, encode
from graphground.tools.failure import ToolFailure

logger = logging.getLogger(__name__)


def shape_errors(call: Call, proceed: Next) -> Outcome:
    """Run the next step; convert an exception to an outcome that describes the failure as JSON."""
    try:
        return proceed(call)
    except ToolFailure as failure:
        if failure.error == "graph_unavailable" and not failure.nearest:
            failure.nearest = _other_graphs(call)
        return failed(failure)
    except EngineError as error:
        return failed(
            ToolFailure(
                "graph_unavailable",
                str(error),
                nearest=_other_graphs(call),
                next="Call list_graphs to see the available graphs.",
            )
        )
    except Exception as error:
        logger.exception("the tool %s failed", call.tool.name)
        return failed(
            ToolFailure(
                "internal_error",
                f"The tool failed: {type(error).__name__}: {error}",
                next="Try another query; the server's log on stderr has the traceback.",
            )
        )


def _other_graphs(call: Call) -> list[str]:
    return [name for name in call.graphs().names() if name != call.arguments.get("graph")]


def failed(failure: ToolFailure) -> Outcome:
    """Return the outcome for a failure; its payload and its text are the failure's fields as JSON."""
    payload = encode(failure.as_dict())
    return Outcome(payload, payload.decode(), is_error=True)
