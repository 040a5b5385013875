"""MCP over stdin and stdout."""

from __future__ import annotations

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def serve_stdio(server: Server) -> None:
    """Serve one client until the client closes this process's stdin."""
    anyio.run(_serve, server)


async def _serve(server: Server) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
