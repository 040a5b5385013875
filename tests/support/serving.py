"""Starts the server as a user does, for tests with real clients."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

COMMAND = [sys.executable, "-m", "graphground"]
MODERN, LEGACY = "2026-07-28", "legacy"
ERROR_FIELDS = {"error", "message", "nearest", "next", "diagnostics"}


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment with the data folder of the tests, but without the user's own settings."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NEO4J_", "GRAPHGROUND_"))}
    jvm = {key: value for key, value in os.environ.items() if key.endswith("_JVM_ARGS")}  # set by tests/conftest.py
    return {**inherited, **jvm, "GRAPHGROUND_HOME": str(home), **(more or {})}


def stdio(home: Path, *options: str, more: Mapping[str, str] | None = None) -> StdioServerParameters:
    """Return the parameters with which a client starts `graphground serve`."""
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "serve", *options], env=environment(home, more)
    )


@asynccontextmanager
async def connected(
    server: StdioServerParameters | str, mode: str = MODERN, within: float = 90
) -> AsyncIterator[Client]:
    """Connect an SDK client to a server; the block must finish within `within` seconds."""
    with anyio.fail_after(within):
        async with Client(server, mode=mode) as client:
            yield client


@asynccontextmanager
async def with_token(address: str, token: str, mode: str = MODERN) -> AsyncIterator[Client]:
    """Connect an SDK client that sends a bearer token with each request."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


def failure_in(answer: CallToolResult) -> dict[str, Any]:
    """Return the fields of a tool's failure, which are JSON in the answer's only text."""
    assert answer.is_error, answer
    assert answer.structured_content is None
    [content] = answer.content
    assert isinstance(content, TextContent)
    failure: dict[str, Any] = json.loads(content.text)
    assert set(failure) == ERROR_FIELDS
    return failure


@contextmanager
def http_server(home: Path, *options: str, more: Mapping[str, str] | None = None) -> Iterator[str]:
    """Start a server on a free port; yield its address once it listens."""
    command = [*COMMAND, "serve", "--transport", "http", "--port", "0", *options]
    with listening(command, env=environment(home, more)) as address:
        yield address


@contextmanager
def listening(command: Sequence[str], **options: Any) -> Iterator[str]:
    """Start a program that prints `serving ADDRESS`; yield the address, and end the program after the block."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **options)
    assert process.stderr is not None
    watchdog = threading.Timer(100, process.kill)
    watchdog.start()
    lines: list[str] = []
    try:
        for line in process.stderr:
            lines.append(line)
            found = re.search(r"serving (https?://\S+)", line)
            if found:
                break
        else:
            raise AssertionError("the server did not start:\n" + "".join(lines))
        watchdog.cancel()
        # The rest is discarded, but it must be read: a full pipe would stop the server.
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield found[1]
    finally:
        watchdog.cancel()
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()


class LineServer:
    """A stdio server, driven line by line, so that many can be started at once: `LineServer(COMMAND).ask("ping", {})`.

    The server is killed if it does not answer within `within` seconds; without it, no thread watches.
    """

    def __init__(
        self, command: Sequence[str], variables: Mapping[str, str] | None = None, within: float | None = None
    ) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the server
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=None if variables is None else dict(variables),
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output, self._within, self.last = self.process.stdin, self.process.stdout, within, 0
        client = {"name": "lines", "version": "1"}
        self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._write({"method": "notifications/initialized"})

    def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a request without waiting for its result."""
        self.last += 1
        self._write({"id": self.last, "method": method, "params": params})

    def _write(self, message: Mapping[str, Any]) -> None:
        self.input.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.input.flush()

    def receive(self) -> dict[str, Any]:
        """Return the result of the last request."""
        watchdog = threading.Timer(self._within, self.process.kill) if self._within is not None else None
        if watchdog is not None:
            watchdog.start()
        try:
            for line in self.output:
                message = json.loads(line)
                if message.get("id") == self.last:
                    assert "error" not in message, message
                    return dict(message["result"])
        finally:
            if watchdog is not None:
                watchdog.cancel()
        self._errors.seek(0)
        raise AssertionError("the server ended without an answer:\n" + self._errors.read()[-1_000:])

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its result."""
        self.send(method, params)
        return self.receive()

    def close(self) -> None:
        """Close the server's input, and kill the server if it does not end."""
        self.input.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()
        self._errors.close()


def call(home: Path, tool: str, arguments: str = "{}", *options: str) -> subprocess.CompletedProcess[str]:
    """Run `graphground call TOOL '{…}'`."""
    return subprocess.run(
        [*COMMAND, "call", tool, arguments, *options], capture_output=True, text=True, timeout=90, env=environment(home)
    )
