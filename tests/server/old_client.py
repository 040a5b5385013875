"""The script that test_old_client.py runs with `mcp<2`: calls a server and prints the answers as JSON."""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def drive(incoming, outgoing, calls):
    async with ClientSession(incoming, outgoing) as session:
        await session.initialize()
        tools = await session.list_tools()
        rows = await session.call_tool("execute_cypher", {"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"})
        failures = [await session.call_tool(call["tool"], call["arguments"]) for call in calls]
        resources = await session.list_resources()
        prompts = await session.list_prompts()
        schema = await session.read_resource("graph://nba/schema")
        sys.stdout.write(
            json.dumps(
                {
                    "tools": [tool.name for tool in tools.tools],
                    "rows": (rows.structuredContent or {}).get("rows"),
                    "failures": [
                        {
                            "isError": failure.isError,
                            "structured": failure.structuredContent,
                            "text": failure.content[0].text,
                        }
                        for failure in failures
                    ],
                    "resources": [str(resource.uri) for resource in resources.resources],
                    "prompts": [prompt.name for prompt in prompts.prompts],
                    "schema": schema.contents[0].text,
                }
            )
        )


async def main():
    calls_file, kind, *target = sys.argv[1:]
    calls = json.loads(Path(calls_file).read_text())
    if kind == "stdio":
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
        async with stdio_client(server) as (incoming, outgoing):
            await drive(incoming, outgoing, calls)
    else:
        async with streamablehttp_client(target[0]) as (incoming, outgoing, _):
            await drive(incoming, outgoing, calls)


asyncio.run(asyncio.wait_for(main(), 80))
