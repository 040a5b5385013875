"""MCP over stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import os
import select
import threading
from collections import deque
from contextlib import suppress
from typing import Any, cast

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from graphground.cypher.diagnostics import LONGEST_SPAN, cut

READ_BYTES, MAX_LINES = 65_536, 1_000
"""The bytes of one read of stdin, and the number of lines that are read before the first of them is handled."""
WRITTEN_AT_ONCE = 4_096
"""The bytes that a pipe takes without blocking if it takes any (PIPE_BUF on Linux)."""


def serve_stdio(server: Server) -> None:
    """Serve one client until the client closes this process's stdin."""
    anyio.run(_serve, server)


async def _serve(server: Server) -> None:
    # The descriptors 0 and 1 no longer reach the client: stray output of a library goes to stderr.
    wire_in, wire_out = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        async with stdio_server(cast(Any, Lines(wire_in)), cast(Any, Wire(wire_out))) as (incoming, outgoing):
            messages: Any = AnsweredLines(incoming, outgoing)
            await server.run(messages, outgoing, server.create_initialization_options())
    finally:
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)


class Lines:
    """The lines of a descriptor: `async for line in Lines(0)`. One thread reads them, without a hop for each line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str | None] = deque()
        self._room, self._arrived = threading.Semaphore(MAX_LINES), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="graphground-stdin", daemon=True).start()

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        while not self._lines:
            self._arrived.clear()
            await self._arrived.wait()
        line = self._lines.popleft()
        self._room.release()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        parts: list[bytes] = []
        with suppress(OSError, RuntimeError):  # the client has gone, or the event loop is closed
            while data := os.read(self._descriptor, READ_BYTES):
                *ended, rest = data.split(b"\n")
                for line in ended:
                    self._pass_on(b"".join([*parts, line]).decode(errors="replace"))
                    parts.clear()
                parts.append(rest)
        with suppress(RuntimeError):
            if any(parts):
                self._pass_on(b"".join(parts).decode(errors="replace"))
            self._pass_on(None)

    def _pass_on(self, line: str | None) -> None:
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._add, line)

    def _add(self, line: str | None) -> None:
        self._lines.append(line)
        self._arrived.set()


class Wire:
    """A descriptor to which texts are written whole: `await Wire(1).write(text)`, in this thread if it cannot block."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(descriptor, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Write the text, in another thread if it is long or the client does not read."""
        data = text.encode()
        if len(data) <= WRITTEN_AT_ONCE and self._poll is not None and self._poll.poll(0):
            data = data[os.write(self._descriptor, data) :]
        if data:
            await anyio.to_thread.run_sync(self._write, data)

    async def flush(self) -> None:
        """Do nothing: each text has been written."""

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


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
