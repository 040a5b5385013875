"""MCP over stdin and stdout."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from graphground.cypher.diagnostics import LONGEST_SPAN, cut


def serve_stdio(server: Server) -> None:
    """Serve one client until the client closes this process's stdin."""
    anyio.run(_serve, server)


async def _serve(server: Server) -> None:
    async with stdio_server() as (incoming, outgoing):
        messages: Any = AnsweredLines(incoming, outgoing)
        await server.run(messages, outgoing, server.create_initialization_options())


class AnsweredLines:
    """The messages of a client. A line that is neither blank nor a message is answered with an error.

    Otherwise its client would wait forever.

    The SDK silently drops such lines. A client sends them by accident: an emoji that is cut in half becomes half of a
    surrogate pair, which the SDK's JSON parser rejects.
    """

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    @property
    def last_context(self) -> Any:
        """The context in which the last message was sent."""
        return self._incoming.last_context

    async def receive(self) -> SessionMessage:
        """Return the next message.

        Raises:
            anyio.EndOfStream: the client has closed stdin.
        """
        while True:
            item = await self._incoming.receive()
            if not isinstance(item, Exception):
                message: SessionMessage = item
                return message
            error = refusal(item)
            if error is not None:
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self._outgoing.send(SessionMessage(error))

    async def aclose(self) -> None:
        """Stop receiving."""
        await self._incoming.aclose()

    async def __aenter__(self) -> AnsweredLines:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    def __aiter__(self) -> AnsweredLines:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def refusal(error: Exception) -> JSONRPCError | None:
    """Return the response to a line that is not a message, with the request's id if readable; None for a blank line."""
    if not isinstance(error, ValidationError):
        return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message="Parse error"))
    found = error.errors(include_url=False)
    line = found[0]["input"]
    if found[0]["type"] != "json_invalid":
        request = next((entry["input"] for entry in found if isinstance(entry["input"], dict)), None)
        message = "Invalid request: a request needs jsonrpc, a method, and an id that is a text or an integer"
        return _error(request, INVALID_REQUEST, message)
    if not isinstance(line, str | bytes) or not line.strip():
        return None
    reason = cut(str(found[0].get("ctx", {}).get("error", "invalid JSON")), LONGEST_SPAN)
    try:
        request = json.loads(line)  # accepts half of a surrogate pair and NaN
    except (ValueError, RecursionError):
        request = None
    return _error(request, PARSE_ERROR, f"Parse error: {reason}")


def _error(request: Any, code: int, message: str) -> JSONRPCError:
    identifier = request.get("id") if isinstance(request, dict) else None
    known = isinstance(identifier, int) and not isinstance(identifier, bool)
    if isinstance(identifier, str) and len(identifier) <= LONGEST_SPAN:
        known = not any("\ud800" <= character <= "\udfff" for character in identifier)
    return JSONRPCError(jsonrpc="2.0", id=identifier if known else None, error=ErrorData(code=code, message=message))
