"""Answers to the page: `{"ok": true, "answer": …}`, or `{"ok": false, "failure": …}` with the fields of a tool failure.

The HTTP status is 200 in both cases: a failure such as an unknown graph is shown on the page and is no HTTP error.
"""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from graphground.server.call import Outcome, encode
from graphground.server.threads import owner_of
from graphground.tools.failure import ToolFailure

MOST_BYTES = 1_048_576
"""The maximum number of bytes of a request's body; MCP requests have the same limit."""


def of_outcome(outcome: Outcome) -> Response:
    """Return the response for a tool's outcome, without encoding its JSON again."""
    field = b'{"ok":false,"failure":' if outcome.is_error else b'{"ok":true,"answer":'
    return Response(field + outcome.payload + b"}", media_type="application/json")


def of_value(value: Any) -> Response:
    """Return the response for an answer made of plain values and answer models."""
    return Response(b'{"ok":true,"answer":' + encode(value) + b"}", media_type="application/json")


def of_failure(failure: ToolFailure) -> Response:
    """Return the response for a tool failure."""
    return Response(b'{"ok":false,"failure":' + encode(failure.as_dict()) + b"}", media_type="application/json")


async def arguments_in(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        ToolFailure: the body is too long, or is not a JSON object.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ToolFailure(
                "request_too_long", f"A request may have at most {MOST_BYTES:,} bytes.", next="Shorten the query."
            )
    try:
        value = orjson.loads(bytes(body) or b"{}")
    except orjson.JSONDecodeError as error:
        raise ToolFailure("invalid_json", f"The request is not JSON: {error}.", next="Reload the page.") from None
    if not isinstance(value, dict):
        raise ToolFailure("invalid_json", "The arguments must be a JSON object.", next="Reload the page.")
    return value


def page_of(request: Request) -> str:
    """Return the name under which a browser page calls tools and owns kept rows; each page has its own name."""
    number = request.headers.get("x-graphground-page", "")[:64]
    return f"page {number} {owner_of(request)}"
