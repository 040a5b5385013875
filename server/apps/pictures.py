"""The picture of an answer, for clients with views, and the note that a schema may be incomplete or outdated.

Picture and note are sent in `_meta`, which models do not read; the note is also in the schema's text.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import orjson

from graphground.graphs.graph import Graph
from graphground.server.application import Application
from graphground.server.call import Outcome
from graphground.tools.get_schema import PROVISIONAL, STALE
from graphground.tools.tool import graph_named

PICTURE, NOTE = "graphground/picture", "graphground/note"
SLOW_MS, TIMEOUT_SECONDS = 2_000.0, 2.0
"""The longest time in ms of a query whose answer is drawn, and the time limit in s of the query for the picture."""
logger = logging.getLogger(__name__)


def picture_of(application: Application, name: str, arguments: Mapping[str, Any], outcome: Outcome) -> str | None:
    """Return the picture of an answer as SVG without a style sheet.

    None if there is nothing to draw, the query was slow, or the picture cannot be drawn.
    """
    if outcome.is_error:
        return None
    answer = orjson.loads(outcome.payload)
    try:
        if name == "get_schema":
            return _of_schema(graph_named(application.graphs(), answer["graph"]))
        if name == "execute_cypher" and answer["rows"] and arguments.get("query") and answer["elapsed_ms"] < SLOW_MS:
            return _of_rows(graph_named(application.graphs(), arguments.get("graph")), arguments)
    except Exception:  # a picture is optional, and the answer is complete without it
        logger.info("%s: the answer has no picture", name, exc_info=True)
    return None


def note_of(name: str, outcome: Outcome) -> str | None:
    """Return the note in a `get_schema` answer that the schema may be incomplete or outdated; None without a note."""
    if name != "get_schema" or outcome.is_error:
        return None
    schema = orjson.loads(outcome.payload)["schema"]
    return next((note for note in (PROVISIONAL, STALE) if note in schema), None)


def _of_schema(graph: Graph) -> str | None:
    from graphground.graphs.schemas.pictures.drawing import schema_drawing  # loaded on first use: NumPy
    from graphground.graphs.schemas.pictures.svg import svg

    drawing = schema_drawing(graph.schema)
    return svg(drawing, style=False) if drawing.boxes else None


def _of_rows(graph: Graph, arguments: Mapping[str, Any]) -> str | None:
    from graphground.graphs.schemas.pictures.drawing import query_drawing, subgraph
    from graphground.graphs.schemas.pictures.svg import svg

    found = subgraph(arguments["query"], graph, timeout=TIMEOUT_SECONDS, parameters=arguments.get("parameters"))
    return svg(query_drawing(found), style=False) if found else None
