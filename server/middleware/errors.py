"""Converts every exception that a tool raises to one form of failure."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphground.graphs.engines.engine import EngineError
from graphground.server.call import Call, Next, Outcome, encode
from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.tools.tool import Graphs

logger = logging.getLogger(__name__)


def shape_errors(call: Call, proceed: Next) -> Outcome:
    """Run the next step; convert an exception to an outcome that describes the failure as JSON.

    Paths are hidden in the failure; the server's log keeps them.
    """
    try:
        return proceed(call)
    except ToolFailure as failure:
        if failure.error == "graph_unavailable" and not failure.nearest:
            failure.nearest = other_graphs(call.graphs, call.arguments.get("graph"))
        found = failure
    except EngineError as error:
        others = other_graphs(call.graphs, call.arguments.get("graph"))
        found = ToolFailure(
            "graph_unavailable",
            call.hide(str(error)),
            nearest=others,
            next="Call list_graphs to see the available graphs."
            if others
            else "Report this problem to the user; no other graph is available.",
        )
        if call.hide(str(error)) != str(error):
            logger.warning("the tool %s failed: %s", call.tool.name, error)
    except Exception as error:
        logger.exception("the tool %s failed", call.tool.name)
        found = ToolFailure(
            "internal_error",
            call.hide(f"The tool failed: {type(error).__name__}: {error}"),
            next="Try other arguments, or report this problem to the user; the server's log on stderr has the traceback.",
        )
    if call.hide(found.message) != found.message:
        logger.warning("the tool %s failed: %s", call.tool.name, found.message)
        found.message = call.hide(found.message)
    return failed(found)


def other_graphs(graphs: Callable[[], Graphs], name: str | None) -> list[str]:
    """Return the names of all graphs but the one that a call has named; if it named none, of all if there are several.

    If the list of graphs itself cannot be read, the result is empty: the failure then reports that problem.
    """
    try:
        names = graphs().names()
    except Exception:
        return []
    return [other for other in names if other != name] if name is not None or len(names) > 1 else []


def failed(failure: ToolFailure) -> Outcome:
    """Return the outcome for a failure; its payload and its text are the failure's fields as JSON."""
    payload = encode(failure.as_dict())
    return Outcome(payload, payload.decode(), is_error=True)
