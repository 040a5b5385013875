"""Run by test_old_client.py with `mcp<2`: drives a server and prints what it answered as JSON."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def drive(incoming, outgoing):
    async with ClientSession(incoming, outgoing) as session:
        await session.initialize()
        tools = await session.list_tools()
        rows = await session.call_tool("execute_cypher", {"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"})
        wrong = await session.call_tool("execute_cypher", {"querry": "RETURN 1"})
        resources = await session.list_resources()
        prompts = await session.list_prompts()
        schema = await session.read_resource("graph://nba/schema")
        sys.stdout.write(json.dumps({
            "tools": [tool.name for tool in tools.tools],
            "rows": (rows.structuredContent or {}).get("rows"),
            "error": {"isError": wrong.isError, "error": json.loads(wrong.content[0].text)["error"]},
            "resources": [str(resource.uri) for resource in resources.resources],
            "prompts": [prompt.name for prompt in prompts.prompts],
            "schema": schema.contents[0].text,
        }))


async def main():
    kind, *target = sys.argv[1:]
    if kind == "stdio":
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
        async with stdio_client(server) as (incoming, outgoing):
            await drive(incoming, outgoing)
    else:
        async with streamablehttp_client(target[0]) as (incoming, outgoing, _):
            await drive(incoming, outgoing)


asyncio.run(asyncio.wait_for(main(), 80))
