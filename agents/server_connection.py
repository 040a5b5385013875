"""The connection of an agent to a graphground server, over stdio or HTTP, through the MCP SDK.

async with connect() as server:                                  # starts `graphground serve` over stdio
    answer = await server.call("get_schema", {"graph": "nba"})

async with connect("http://127.0.0.1:8000/mcp") as server: …     # a running server
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from graphground.agents.conversation import ToolOffer
from graphground.agents.model_settings import AgentFailure, ServerFailure

SERVE = (sys.executable, "-m", "graphground", "serve")
TOKEN_VARIABLE = "GRAPHGROUND_TOKEN"
PASSED_ON = re.compile(
    r"(?:(?:GRAPHGROUND|NEO4J|SSL_CERT|LC|XDG|HF)_.*|.*PASSWORD|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH"
    r"|(?:HTTPS?|NO|ALL)_PROXY)\Z",
    re.IGNORECASE,
)
"""A pattern for the names of environment variables that a server receives in addition to those that the SDK always
passes (PATH, HOME …)."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's answer: `ToolAnswer("get_schema", "(:Player)-[:playsFor]->…", {"schema": "…"})`."""

    tool: str
    text: str
    """The text that a model sees."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The structured content of the answer; empty if the tool failed."""
    failed: bool = False
    seconds: float = 0.0

    def require(self) -> Mapping[str, Any]:
        """Return the fields of the structured content.

        Raises:
            ServerFailure: the tool failed; the message quotes the tool's error.
        """
        if self.failed:
            raise ServerFailure(f"{self.tool} failed: {' '.join(self.text.split())}")
        return self.fields


class ServerConnection:
    """An open connection; calls may run concurrently."""

    def __init__(self, client: Client, timeout: float) -> None:
        self._client, self._timeout = client, timeout

    async def tools(self) -> list[ToolOffer]:
        """Return the server's tools, in the form that is sent to a model."""
        listed = await self._client.list_tools()  # graphground's server has a single page of tools
        return [ToolOffer(tool.name, tool.description or "", tool.input_schema) for tool in listed.tools]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool and return its answer, even if the answer reports a failure of the tool.

        Raises:
            ServerFailure: there is no such tool, or the server exited or did not answer in time.
        """
        started = time.monotonic()
        try:
            with anyio.fail_after(self._timeout):
                result = await self._client.call_tool(tool, dict(arguments))
        except TimeoutError:
            raise ServerFailure(f"the server did not answer {tool} within {self._timeout:g} s") from None
        except MCPError as error:
            raise ServerFailure(f"the server refused {tool}: {error}") from None
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        fields = result.structured_content if isinstance(result.structured_content, dict) else {}
        return ToolAnswer(tool, text, fields, bool(result.is_error), time.monotonic() - started)


@asynccontextmanager
async def connect(
    server: str | Sequence[str] = SERVE,
    *,
    environment: Mapping[str, str] | None = None,
    passwords: Collection[str] = (),
    timeout: float = 120.0,
) -> AsyncIterator[ServerConnection]:
    """Connect to the server at a URL, or start a server with a command and connect to it over stdio.

    `timeout` is in seconds, for each call. `environment` is by default that of this process. A server started here
    receives the variables that `passed_on` selects. Requests to a URL carry the bearer token from the variable
    GRAPHGROUND_TOKEN, if it is set.

    Raises:
        ServerFailure: the server cannot be started or reached.
    """
    variables = dict(os.environ if environment is None else environment)
    try:
        async with AsyncExitStack() as stack:
            try:
                client = await stack.enter_async_context(await _client(server, variables, passwords, timeout, stack))
            except (MCPError, OSError, httpx2.HTTPError, ExceptionGroup) as error:
                named = server if isinstance(server, str) else " ".join(server)
                raise ServerFailure(f"cannot connect to {named}: {_innermost(error)}") from None
            yield ServerConnection(client, timeout)
    except ExceptionGroup as group:  # the SDK's task groups wrap what is raised while they are open
        inner = _innermost(group)
        if isinstance(inner, AgentFailure):
            raise inner from None
        raise


async def _client(
    server: str | Sequence[str],
    variables: Mapping[str, str],
    passwords: Collection[str],
    timeout: float,
    stack: AsyncExitStack,
) -> Client:
    if not isinstance(server, str):
        command = StdioServerParameters(command=server[0], args=list(server[1:]), env=passed_on(variables, passwords))
        return Client(command, read_timeout_seconds=timeout)
    token = variables.get(TOKEN_VARIABLE)
    if not token:
        return Client(server, read_timeout_seconds=timeout)
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, follow_redirects=True, timeout=300)
    transport = streamable_http_client(server, http_client=await stack.enter_async_context(http))
    return Client(transport, read_timeout_seconds=timeout)


def passed_on(environment: Mapping[str, str], passwords: Collection[str] = ()) -> dict[str, str]:
    """Select the environment variables for a new server: settings and passwords, no model keys, no Python variables.

    `passwords` lists variables that hold passwords although their names do not end in PASSWORD; they are selected too.

    >>> passed_on({"GRAPHGROUND_HOME": "/data", "FILMS_PASSWORD": "x", "OPENAI_API_KEY": "sk-1", "PYTHONPATH": "/lib"})
    {'GRAPHGROUND_HOME': '/data', 'FILMS_PASSWORD': 'x'}
    """
    return {name: value for name, value in environment.items() if name in passwords or PASSED_ON.match(name)}


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
